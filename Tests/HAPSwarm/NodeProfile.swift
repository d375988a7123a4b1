/// Profiles for accessories that are served over Matter, too. Each service has a characteristic of a vendor, which Matter
/// controllers can write, and whose values never repeat.
package enum NodeProfile: String, CaseIterable, Sendable {
  case light = "node-light"
  case bridge = "node-bridge"
  case lock = "node-lock"

  var text: String {
    switch self {
    case .light:
      """
      { "format": "hasaccessory/1", "name": "Lamp", "serialNumber": "N-1", "category": "lightbulb",
        "services": [ \(Self.lamp("Lamp")) ] }
      """
    case .bridge:
      """
      { "format": "hasaccessory/1", "name": "Bridge", "serialNumber": "N-2", "category": "bridge",
        "bridgedAccessories": [
          { "name": "Desk", "serialNumber": "N-3", "services": [ \(Self.lamp("Desk Lamp")) ] },
          { "name": "Hall", "serialNumber": "N-4", "services": [ \(Self.lamp("Hall Lamp")) ] } ] }
      """
    case .lock:
      """
      { "format": "hasaccessory/1", "name": "Lock", "serialNumber": "N-5", "category": "door-lock",
        "services": [
          { "type": "LockMechanism", "name": "Lock", "primary": true, "characteristics": [
            { "type": "LockCurrentState", "value": "secured" }, { "type": "LockTargetState", "value": "secured" },
            \(Self.token) ] } ] }
      """
    }
  }

  private static func lamp(_ name: String) -> String {
    """
    { "type": "LightBulb", "name": "\(name)", "primary": true, "characteristics": [
      { "type": "On", "value": false }, { "type": "Brightness", "value": 50 }, \(token) ] }
    """
  }

  private static let token = """
    { "type": "7C9D0F2A-5B1E-4E0B-9C52-6A3F0D1B8E11", "description": "Token", "format": "uint32",
      "perms": ["pr", "pw", "ev"], "minValue": 0, "maxValue": 1000000, "minStep": 1, "value": 0 }
    """
}
