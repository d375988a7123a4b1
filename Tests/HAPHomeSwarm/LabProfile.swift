import HAPModel

/// Profiles for the accessories of a lab.
package enum LabProfile {
  /// The setup code of all accessories.
  package static let code = "031-45-154"
  /// A characteristic without a meaning, for 32 bits. Each write can have its own value.
  package static let token = "7C9D0F2A-5B1E-4E0B-9C52-6A3F0D1B8E11"

  /// An accessory with lamps and a motion sensor.
  /// - Parameter extra: the number of additional switches, after the other services.
  package static func accessory(_ name: String, lamps: Int, extra: Int = 0) -> String {
    let services =
      (1...lamps).map { lamp("\(name) Lamp \($0)") } + [sensor("\(name) Motion")]
      + (0..<extra).map { switchService("\(name) Extra \($0 + 1)") }
    return """
      { "format": "hasaccessory/1", "name": "\(name)", "category": "lightbulb", "setupCode": "\(code)",
        "services": [ \(services.joined(separator: ",\n")) ] }
      """
  }

  /// A bridge with two accessories, each with lamps.
  /// - Parameter extra: the number of additional accessories, after the others.
  package static func bridge(_ name: String, lamps: Int, extra: Int = 0) -> String {
    let accessories =
      ["Left", "Right"].map { side in
        let lamps = (1...lamps).map { lamp("\(name) \(side) Lamp \($0)") }
        return "{ \"name\": \"\(name) \(side)\", \"services\": [ \(lamps.joined(separator: ",\n")) ] }"
      }
      + (0..<extra).map { number in
        "{ \"name\": \"\(name) Extra \(number + 1)\", \"services\": [ \(switchService("\(name) Extra \(number + 1)")) ] }"
      }
    return """
      { "format": "hasaccessory/1", "name": "\(name)", "category": "bridge", "setupCode": "\(code)",
        "bridgedAccessories": [ \(accessories.joined(separator: ",\n")) ] }
      """
  }

  private static func lamp(_ name: String) -> String {
    """
    { "type": "Lightbulb", "name": "\(name)", "characteristics": [
      { "type": "On" }, { "type": "Brightness" },
      { "type": "\(token)", "description": "Token", "format": "uint32", "perms": ["pr", "pw", "ev"], "value": 0 } ] }
    """
  }

  private static func sensor(_ name: String) -> String {
    """
    { "type": "MotionSensor", "name": "\(name)", "characteristics": [ { "type": "MotionDetected", "value": false } ] }
    """
  }

  private static func switchService(_ name: String) -> String {
    """
    { "type": "Switch", "name": "\(name)", "characteristics": [ { "type": "On", "value": false } ] }
    """
  }
}
