import HAPModel
import HAPWire

extension Claims {
  /// Derives claims from an accessory's TXT record and database; all others are unknown.
  /// - Parameters:
  ///   - txt: its TXT record; nil if none was found.
  ///   - database: the answer to `GET /accessories`.
  package static func drawn(txt: [String: String]?, database: JSONNode?) -> Claims {
    var claims = Claims()
    if let txt { claims.draw(txt) }
    if let accessories = database?["accessories"]?.elements { claims.draw(accessories) }
    return claims
  }

  private mutating func draw(_ txt: [String: String]) {
    // TXT keys are case-insensitive. RFC 6763 §6.4.
    let txt = Dictionary(txt.map { ($0.lowercased(), $1) }) { first, _ in first }
    if let category = txt["ci"].flatMap(UInt16.init), category > 0 {
      self["category"] = .number(Int128(category))
      if category == 2 { self["bridge"] = .flag(true) }
    }
    if let model = txt["md"] { self["model"] = .text(model) }
    self["protocol-version"] = .text(txt["pv"] ?? "1.0")
    // The setup hash shows that a setup ID exists, but not its value.
    if txt["sh"] == nil { self["setup-id"] = .flag(false) }
    if let flags = txt["ff"].map(UInt8.init) ?? 0 { self["mfi"] = .flag(flags & 3 != 0) }
    if let state = txt["s#"].flatMap(UInt32.init), state != 1 { self["counts-states"] = .flag(true) }
  }

  private mutating func draw(_ accessories: [JSONNode]) {
    let services = accessories.flatMap { $0["services"]?.elements ?? [] }
    let permissions = Set(
      services.flatMap { $0["characteristics"]?.elements ?? [] }.flatMap { $0["perms"]?.elements ?? [] }
        .compactMap(\.stringValue))
    self["accessories"] = .number(Int128(accessories.count))
    self["bridge"] = .flag(accessories.count > 1 || self["bridge"] == .flag(true))
    var names: [String] = []
    for service in services {
      guard let type = service["type"]?.stringValue.flatMap(TypeID.init) else { continue }
      let name = Self.serviceName(type)
      if !names.contains(name) { names.append(name) }
    }
    self["services"] = .names(names)
    self["camera"] = .flag(names.contains(Self.serviceName(0x110)))  // Camera RTP Stream Management
    self["timed-writes"] = .flag(permissions.contains("tw"))
    self["write-response"] = .flag(permissions.contains("wr"))
    self["has-additional-authorization"] = .flag(permissions.contains("aa"))
  }

  /// Returns the catalogue's identifier, or else the type in HAP's form.
  static func serviceName(_ type: TypeID) -> String { Catalogue.service(type)?.identifier ?? type.wireForm }
}
