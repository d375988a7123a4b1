import HAPSuite
import HAPWire

/// One hook to run on the device, with its target and arguments.
package struct HookCall: Equatable, Sendable {
  /// A service, by its type's name or by its iid.
  package enum Service: Equatable, Sendable {
    case name(String)
    case iid(UInt64)
  }

  package var name: HookName
  package var aid: UInt64?
  /// The iid of a characteristic.
  package var iid: UInt64?
  package var service: Service?
  /// The type's name, for `set` without an `iid`.
  package var characteristic: String?
  /// For `set`, `battery` and `radio`. For `obstruct` and `jam`, `false` removes the fault.
  package var value: JSONNode?
  /// For `press`: "single", "double" or "long".
  package var kind: String?

  package init(
    _ name: HookName, aid: UInt64? = nil, iid: UInt64? = nil, service: Service? = nil, characteristic: String? = nil,
    value: JSONNode? = nil, kind: String? = nil
  ) {
    self.name = name
    self.aid = aid
    self.iid = iid
    self.service = service
    self.characteristic = characteristic
    self.value = value
    self.kind = kind
  }

  /// The value as text: a string unquoted, anything else as JSON. nil without a value.
  package var valueText: String? {
    value.map { value in value.stringValue ?? value.compactText }
  }

  /// Environment variables for a hook's command. All are set, so that a command never inherits one from haptest's environment.
  package var environment: [String: String] {
    let service =
      switch service {
      case .name(let name): name
      case .iid(let iid): "\(iid)"
      case nil: ""
      }
    return [
      "HAPTEST_HOOK": name.rawValue, "HAPTEST_AID": aid.map { "\($0)" } ?? "", "HAPTEST_IID": iid.map { "\($0)" } ?? "",
      "HAPTEST_SERVICE": service, "HAPTEST_CHARACTERISTIC": characteristic ?? "", "HAPTEST_VALUE": valueText ?? "",
      "HAPTEST_KIND": kind ?? "",
    ]
  }

  /// The request to a person, as one sentence without a full stop: "Please press the button (double, service 9, accessory 1)".
  package var request: String {
    var parts: [String] = []
    if let kind { parts.append(kind) }
    if let valueText { parts.append("value \(valueText)") }
    if let characteristic { parts.append(characteristic) } else if let iid { parts.append("characteristic \(iid)") }
    switch service {
    case .name(let name): parts.append(name)
    case .iid(let iid): parts.append("service \(iid)")
    case nil: break
    }
    if let aid { parts.append("accessory \(aid)") }
    return "Please \(name.request)" + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
  }
}
