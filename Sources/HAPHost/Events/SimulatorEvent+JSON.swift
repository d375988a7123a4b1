import HAPModel
import HAPProfile
import HAPWire

extension SimulatorEvent {
  /// The content of a member of an event's JSON object.
  package enum Member {
    case value(Value)
    case texts([String])
    case characteristics([NamedCharacteristic])

    fileprivate static func text(_ text: String) -> Member { .value(.string(text)) }
    fileprivate static func number(_ number: UInt64) -> Member { .value(.integer(Int128(number))) }
    fileprivate static func flag(_ flag: Bool) -> Member { .value(.bool(flag)) }
  }

  /// Writes the members of the event's JSON object: `event`, `accessory`, and the members of its kind.
  package func write(to json: inout JSONWriter) {
    json.key("event")
    json.string(name)
    json.key("accessory")
    json.string(accessory)
    forEachMember { name, member in
      json.key(name)
      switch member {
      case .value(let value): json.value(value)
      case .texts(let texts): json.array { json in for text in texts { json.string(text) } }
      case .characteristics(let characteristics):
        json.array { json in
          for named in characteristics {
            json.object { json in
              named.forEachMember { name, value in
                json.key(name)
                json.value(value)
              }
            }
          }
        }
      }
    }
  }

  /// Calls `body` with each member of the event except `event` and `accessory`, in the order of its JSON object.
  package func forEachMember(_ body: (String, Member) -> Void) {
    switch kind {
    case .added, .removed, .stopped: break
    case .connected, .requested, .disconnected, .paired, .unpaired, .verified, .wrote, .subscribed, .unsubscribed,
      .told, .refused:
      forEachMemberOfController(body)
    case .advertised, .renamed, .moved, .selfCheck, .announced, .radio: forEachMemberOfNetwork(body)
    case .changed(let value): value.forEachMember { body($0, .value($1)) }
    case .identified(let aid, let duration):
      body("aid", .number(aid))
      body("seconds", .value(.float(duration / .seconds(1))))
    case .fault(let name, let text, let isOn):
      body("fault", .text(name))
      body("text", .text(text))
      body("on", .flag(isOn))
    case .reachable(let aid, let name, let isReachable):
      body("aid", .number(aid))
      body("name", .text(name))
      body("reachable", .flag(isReachable))
    case .restarted(let restart): body("by", .text(restart.rawValue))
    case .slow(let characteristics): body("characteristics", .characteristics(characteristics))
    case .reconfigured(let number): body("configurationNumber", .number(UInt64(number)))
    case .matter(let event):
      event.forEachMember { body($0, .value($1)) }
      if case .message(let traffic) = event, traffic.name != nil { body("content", .texts(traffic.parts)) }
    case .trouble(let message): body("message", .text(message))
    }
  }

  private func forEachMemberOfController(_ body: (String, Member) -> Void) {
    switch kind {
    case .connected(let peer), .disconnected(let peer): body("peer", .text(peer))
    case .requested(let peer, let request):
      body("peer", .text(peer))
      body("request", .text(request))
    case .paired(let controller, let isAdmin):
      body("controller", .text(controller))
      body("admin", .flag(isAdmin))
    case .unpaired(let controller), .verified(let controller): body("controller", .text(controller))
    case .wrote(let value, let controller), .told(let value, let controller):
      value.forEachMember { body($0, .value($1)) }
      body("controller", .text(controller))
    case .subscribed(let named, let controller), .unsubscribed(let named, let controller):
      named.forEachMember { body($0, .value($1)) }
      body("controller", .text(controller))
    case .refused(let peer, let request, let reason):
      body("peer", .text(peer))
      body("request", .text(request))
      body("reason", .text(reason))
    default: preconditionFailure("\(name) is no event of a controller")
    }
  }

  private func forEachMemberOfNetwork(_ body: (String, Member) -> Void) {
    switch kind {
    case .radio(let isOn), .announced(let isOn): body("on", .flag(isOn))
    case .advertised(let name): body("name", .text(name))
    case .renamed(let old, let new):
      body("from", .text(old))
      body("to", .text(new))
    case .moved(let addresses): body("addresses", .texts(addresses))
    case .selfCheck(let name, let isVisible):
      body("name", .text(name))
      body("visible", .flag(isVisible))
    default: preconditionFailure("\(name) is no event of the network")
    }
  }
}

extension SimulatorEvent.NamedCharacteristic {
  fileprivate func forEachMember(_ body: (String, Value) -> Void) {
    body("aid", .integer(Int128(id.aid)))
    body("iid", .integer(Int128(id.iid)))
    body("name", .string(name))
  }
}

extension SimulatorEvent.NamedValue {
  fileprivate func forEachMember(_ body: (String, Value) -> Void) {
    characteristic.forEachMember(body)
    body("value", value)
    if let word { body("word", .string(word)) }
  }
}
