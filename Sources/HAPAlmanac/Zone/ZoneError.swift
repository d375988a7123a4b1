/// The reason why a time zone can't be used.
public enum ZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The machine has data of other zones, but not of this one.
  case unknown(ZoneName)
  /// The machine has no data of time zones.
  case noData(ZoneName)
  /// The data of the zone is malformed.
  case malformed(ZoneName, TZifError)

  /// An explanation for people, with a remedy.
  public var description: String {
    switch self {
    case .unknown(let name):
      "no time zone is named \"\(name)\"; names are those of the IANA database, such as Europe/Berlin"
    case .noData(let name):
      "the time zone \"\(name)\" needs the data of time zones, which is missing; install the package tzdata, or set TZDIR to the folder of the data"
    case .malformed(let name, let error): "the data of the time zone \"\(name)\" is malformed: \(error)"
    }
  }
}

extension ZoneRules {
  /// Finds the rules of a zone. UTC needs no data.
  /// - Parameter read: returns the bytes of the file of a zone; nil if there is no such file.
  public init(_ name: ZoneName, read: (ZoneName) -> [UInt8]?) throws(ZoneError) {
    guard let bytes = read(name) else {
      guard name != .utc else {
        self = .utc
        return
      }
      throw read(.utc) == nil ? .noData(name) : .unknown(name)
    }
    do { try self.init(tzif: bytes) } catch { throw .malformed(name, error) }
  }
}
