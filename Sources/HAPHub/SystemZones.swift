import HAPAlmanac
import HAPLoop

/// The rules of time zones from the files of this machine, each read once. Any thread may use it.
package final class SystemZones: Sendable {
  /// The folders of zone files on Linux and macOS.
  private static let folders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/var/db/timezone/zoneinfo"]
  /// The maximum size of a zone file in bytes. The largest one of tzdata has 4 KB.
  private static let longestFile = 1 << 20

  /// Returns the bytes of a file of at most `limit` bytes; nil: it can't be read.
  package typealias Read = @Sendable (_ path: String, _ limit: Int) -> [UInt8]?

  private let folders: [String]
  private let readFile: Read
  private let known = Guarded<[ZoneName: ZoneRules]>([:])

  /// - Parameter folder: the value of `TZDIR`; nil or empty: the system's folders.
  package init(folder: String?, read: @escaping Read) {
    readFile = read
    folders = folder.flatMap { $0.isEmpty ? nil : [$0] } ?? Self.folders
  }

  /// Returns the rules of a zone; nil if the machine does not have it.
  package func rules(of name: ZoneName) -> ZoneRules? { try? read(name) }

  /// Returns the rules of a zone.
  /// - Throws: `ZoneError` with the reason, such as missing data of time zones.
  package func read(_ name: ZoneName) throws(ZoneError) -> ZoneRules {
    if let rules = known.withLock({ $0[name] }) { return rules }
    let rules = try ZoneRules(name) { name in
      for folder in folders {
        if let bytes = readFile("\(folder)/\(name)", Self.longestFile) { return bytes }
      }
      return nil
    }
    known.withLock { $0[name] = rules }
    return rules
  }
}
