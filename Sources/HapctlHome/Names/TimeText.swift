import HAPAlmanac
import HAPHome

extension String {
  /// The time as documents have it: "7:30" as "07:30", and "2026-06-01 7:30" as "2026-06-01T07:30". Any other text stays as
  /// it is.
  var paddedTime: String {
    let halves = split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
    guard let last = halves.last, halves.count == 1 || (try? CivilDate(String(halves[0]))) != nil else { return self }
    let hour = last.prefix { $0 != ":" }
    let isShort = hour.utf8.count == 1 && hour.allSatisfy { ("0"..."9").contains($0) } && last.count > 1
    guard isShort || halves.count == 2 else { return self }
    return (halves.count == 2 ? "\(halves[0])T" : "") + (isShort ? "0" : "") + last
  }
}
