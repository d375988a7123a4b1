#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A date and time for a transcript.
struct TranscriptTime: Equatable {
  /// Seconds since 1970.
  var seconds: Int
  var milliseconds: Int

  static var now: TranscriptTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return TranscriptTime(seconds: Int(time.tv_sec), milliseconds: Int(time.tv_nsec) / 1_000_000)
  }

  /// The time of day in the machine's time zone, such as "10:03:04.012".
  var clock: String {
    var (time, parts) = (time_t(seconds), tm())
    localtime_r(&time, &parts)
    return Self.clock(parts) + fraction
  }

  /// The time in UTC, such as "2026-11-21T10:03:04.012Z".
  var iso: String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map(Self.two)
    return date.joined(separator: "-") + "T" + Self.clock(parts) + fraction + "Z"
  }

  private static func clock(_ parts: tm) -> String {
    [parts.tm_hour, parts.tm_min, parts.tm_sec].map { two(Int($0)) }.joined(separator: ":")
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private var fraction: String { "." + String("00\(milliseconds)".suffix(3)) }
}
