import HAPCommandLine
import HAPHost
import HAPLoop
import HAPObservation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the path of a new file: start time of the run, process ID, and number of the accessory:
/// `20261121T063000-1234-1.hapcapture`. From an accessory's second start on, the number of the start follows:
/// `20261121T063000-1234-1-2.hapcapture`.
/// - Parameters:
///   - accessory: counted from 1.
///   - start: the start of the accessory, counted from 1.
func capturePath(in folder: String, _ accessory: Int, start: Int) -> String {
  var now = time(nil)
  var fields = tm()
  gmtime_r(&now, &fields)
  var text = [CChar](repeating: 0, count: 32)
  strftime(&text, text.count, "%Y%m%dT%H%M%S", &fields)
  let stamp = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return "\(folder)/\(stamp)-\(getpid())-\(accessory)\(start > 1 ? "-\(start)" : "").hapcapture"
}

extension Simulation.Setting {
  /// Records every start of every accessory in a file in a folder.
  package mutating func capture(in folder: String) {
    capture = { accessory, start in
      let path = capturePath(in: folder, accessory, start: start)
      return { (onFailure) throws(LoopError) in try CaptureWriter(path, onFailure: onFailure) }
    }
  }
}
