import HAPModel
import HAPWire

/// The TXT record of a discovered accessory. HAP R2 §6.4, Tables 6-7 and 6-8.
///
/// Reads all that it can and reports each deviation: accessories on the market omit keys, or write them differently.
package struct DiscoveredAccessory: Equatable, Sendable {
  /// The name of the service.
  package var name: String
  /// `id`: normally a device ID, here in upper case; nil: missing.
  package private(set) var deviceID: String?
  /// `md`: the model.
  package private(set) var model: String?
  /// `c#`; 32 bits before R12.
  package private(set) var configurationNumber: UInt32?
  /// `s#`: the state number.
  package private(set) var stateNumber: UInt32?
  /// `pv`; a missing one means 1.0.
  package private(set) var protocolVersion = "1.0"
  /// `ff`; a missing one means 0.
  package private(set) var featureFlags: UInt8 = 0
  /// `sf`; nil: missing or unreadable.
  package private(set) var statusFlags: Advertisement.StatusFlags?
  /// `ci`: a number that may not be in the catalogue.
  package private(set) var categoryNumber: UInt8?
  /// `sh`: 4 bytes.
  package private(set) var setupHash: [UInt8]?
  /// The deviations.
  package private(set) var remarks: [Deviation] = []

  /// Whether a controller is paired with it; nil: unknown.
  package var isPaired: Bool? { statusFlags.map { !$0.contains(.notPaired) } }
  package var category: Category? { categoryNumber.flatMap { Catalogue.category(number: $0) } }

  /// - Parameter txt: the strings of the TXT record, normally "key=value".
  package init(name: String, txt: [[UInt8]]) {
    self.name = name
    var values: [String: String] = [:]
    for string in txt.prefix(100) { take(string, into: &values) }

    deviceID = required("id", values)?.uppercased()
    if let deviceID, DeviceID(deviceID) == nil { remark("id", "\"\(deviceID)\" is not six octets with colons") }
    model = required("md", values)
    configurationNumber = required("c#", values).flatMap { number("c#", $0, 1...UInt32.max) }
    if let number = configurationNumber, number > 65535 { remark("c#", "\(number) is more than 65535") }
    stateNumber = required("s#", values).flatMap { number("s#", $0, 1...UInt32.max) }
    if let version = values["pv"] {
      protocolVersion = version
      let parts = version.split(separator: ".", omittingEmptySubsequences: false)
      if parts.count != 2 || parts.contains(where: { UInt16($0) == nil }) {
        remark("pv", "\"\(version)\" is not a version such as 1.1")
      }
    }
    if let flags = values["ff"] { featureFlags = number("ff", flags, 0...UInt8.max) ?? 0 }
    statusFlags = required("sf", values).flatMap { number("sf", $0, 0...UInt8.max) }.map { .init(rawValue: $0) }
    if let flags = statusFlags, flags.rawValue > 7 { remark("sf", "\(flags.rawValue) has unknown flags") }
    categoryNumber = required("ci", values).flatMap { number("ci", $0, 0...UInt8.max) }
    if let number = categoryNumber, category == nil { remark("ci", "there is no category \(number)") }
    if let text = values["sh"] {
      let hash = Base64.decode(text)
      setupHash = hash?.count == 4 ? hash : nil
      if setupHash == nil { remark("sh", "\"\(text)\" is not the Base64 of 4 bytes") }
    }
  }

  /// If a key occurs twice, the first one counts; RFC 6763 §6.4.
  private mutating func take(_ string: [UInt8], into values: inout [String: String]) {
    let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(decoding: parts[0], as: UTF8.self)
    let key = written.lowercased()
    guard !key.isEmpty else { return remark("", "an entry has no key") }
    guard parts.count == 2 else {
      if Self.keys.contains(key) { remark(written, "it has no value") }
      return
    }
    guard values[key] == nil else { return remark(key, "it occurs twice") }
    let value = String(decoding: parts[1], as: UTF8.self)
    if Self.keys.contains(key) {
      if written != key { remark(key, "it is written \(written)") }
      if !value.utf8.elementsEqual(parts[1]) { remark(key, "its value is not UTF-8") }
    }
    values[key] = value
  }

  private static let keys: Set<String> = ["c#", "ff", "id", "md", "pv", "s#", "sf", "ci", "sh"]

  private mutating func required(_ key: String, _ values: [String: String]) -> String? {
    guard let value = values[key], !value.isEmpty else {
      remark(key, values[key] == nil ? "it is missing" : "it is empty")
      return nil
    }
    return value
  }

  /// Parses a decimal number. Also accepts leading zeros, a plus sign, and surrounding blanks.
  private mutating func number<Number: FixedWidthInteger>(
    _ key: String, _ text: String, _ range: ClosedRange<Number>
  ) -> Number? {
    let plain = text.filter { $0 != " " }
    guard let number = Number(plain), range.contains(number) else {
      remark(key, "\"\(text)\" is not a number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    if "\(number)" != text { remark(key, "\(number) is written \"\(text)\"") }
    return number
  }

  private mutating func remark(_ place: String, _ message: String) { remarks.append(Deviation(place, message)) }
}
