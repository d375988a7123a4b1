import HAPModel
import HAPWire

extension SimulatorEvent {
  /// The members of the event's JSON object: `event`, `accessory`, and what belongs to the kind.
  package func write(to json: inout JSONWriter) {
    json.member("event", name)
    json.member("accessory", accessory)
    switch kind {
    case .added, .removed, .stopped: break
    case .connected, .requested, .disconnected, .paired, .unpaired, .verified, .wrote, .subscribed, .unsubscribed,
      .told,
      .refused:
      writeEventOfController(to: &json)
    case .advertised, .renamed, .moved, .selfCheck, .announced, .radio: writeEventOfNetwork(to: &json)
    case .changed(let value): value.write(to: &json)
    case .identified(let aid, let duration):
      json.member("aid", aid)
      json.key("seconds")
      json.double(duration / .seconds(1))
    case .fault(let name, let text, let isOn):
      json.member("fault", name)
      json.member("text", text)
      json.member("on", isOn)
    case .reachable(let aid, let name, let isReachable):
      json.member("aid", aid)
      json.member("name", name)
      json.member("reachable", isReachable)
    case .restarted(let restart): json.member("by", restart.rawValue)
    case .slow(let characteristics):
      json.key("characteristics")
      json.array { json in
        for named in characteristics { json.object { json in named.write(to: &json) } }
      }
    case .reconfigured(let number): json.member("configurationNumber", UInt64(number))
    case .trouble(let message): json.member("message", message)
    }
  }

  private func writeEventOfController(to json: inout JSONWriter) {
    switch kind {
    case .connected(let peer), .disconnected(let peer): json.member("peer", peer)
    case .requested(let peer, let request):
      json.member("peer", peer)
      json.member("request", request)
    case .paired(let controller, let isAdmin):
      json.member("controller", controller)
      json.member("admin", isAdmin)
    case .unpaired(let controller), .verified(let controller): json.member("controller", controller)
    case .wrote(let value, let controller), .told(let value, let controller):
      value.write(to: &json)
      json.member("controller", controller)
    case .subscribed(let named, let controller), .unsubscribed(let named, let controller):
      named.write(to: &json)
      json.member("controller", controller)
    case .refused(let peer, let request, let reason):
      json.member("peer", peer)
      json.member("request", request)
      json.member("reason", reason)
    default: preconditionFailure("\(name) is no event of a controller")
    }
  }

  private func writeEventOfNetwork(to json: inout JSONWriter) {
    switch kind {
    case .radio(let isOn), .announced(let isOn): json.member("on", isOn)
    case .advertised(let name): json.member("name", name)
    case .renamed(let old, let new):
      json.member("from", old)
      json.member("to", new)
    case .moved(let addresses):
      json.key("addresses")
      json.array { json in for address in addresses { json.string(address) } }
    case .selfCheck(let name, let isVisible):
      json.member("name", name)
      json.member("visible", isVisible)
    default: preconditionFailure("\(name) is no event of the network")
    }
  }
}

extension SimulatorEvent.NamedCharacteristic {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("aid", id.aid)
    json.member("iid", id.iid)
    json.member("name", name)
  }
}

extension SimulatorEvent.NamedValue {
  fileprivate func write(to json: inout JSONWriter) {
    characteristic.write(to: &json)
    json.key("value")
    json.value(value)
    if let word { json.member("word", word) }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  fileprivate mutating func member(_ name: String, _ number: UInt64) {
    key(name)
    integer(number)
  }

  fileprivate mutating func member(_ name: String, _ flag: Bool) {
    key(name)
    bool(flag)
  }
}
