import HAPModel
import HAPWire

/// The configuration of an accessory, whose number is `c#`. HAP R2 §6.4: `c#` rises when accessories, services or
/// characteristics change, and for new firmware.
package enum ConfigurationText {
  /// Returns one line for each accessory, service and characteristic. The only value in it is the firmware revision.
  package static func text(of accessories: [Accessory]) -> String {
    var lines: [String] = ["hapsim/1"]
    for accessory in accessories {
      let information = accessory.services.first { $0.type == .accessoryInformation }
      let firmware = information?.characteristics.first { $0.type == .firmwareRevision }?.value.stringValue ?? ""
      lines.append("accessory \(accessory.aid) \(quoted(firmware))")
      for service in accessory.services {
        let flags = (service.isPrimary ? " primary" : "") + (service.isHidden ? " hidden" : "")
        let links = service.linked.isEmpty ? "" : " linked " + service.linked.map(String.init).joined(separator: ",")
        lines.append("service \(service.iid) \(service.type.wireForm)\(flags)\(links)")
        lines += service.characteristics.map(line)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ characteristic: Characteristic) -> String {
    let constraints = characteristic.constraints
    var parts = [
      "characteristic", String(characteristic.iid), characteristic.type.wireForm, characteristic.format.rawValue,
      characteristic.perms.names.joined(separator: ","),
    ]
    func add(_ name: String, _ text: String?) {
      if let text { parts.append("\(name)=\(text)") }
    }
    add("unit", characteristic.unit?.rawValue)
    add("min", constraints.minValue.map(number))
    add("max", constraints.maxValue.map(number))
    add("step", constraints.minStep.map(number))
    add("maxLen", constraints.maxLen.map(String.init))
    add("maxDataLen", constraints.maxDataLen.map(String.init))
    add("valid", constraints.validValues?.map(String.init).joined(separator: ","))
    add("range", constraints.validValuesRange.map { "\($0.lowerBound)...\($0.upperBound)" })
    add("description", characteristic.description.map(quoted))
    return parts.joined(separator: " ")
  }

  /// Returns a limit as text. 1 and 1.0 are the same limit.
  private static func number(_ value: Value) -> String {
    switch value {
    case .integer(let integer): return String(integer)
    case .float(let double):
      if let whole = Int128(exactly: double) { return String(whole) }
      return String(double)
    default: return ""
    }
  }

  private static func quoted(_ text: String) -> String { JSONWriter.text { $0.string(text) } }
}
