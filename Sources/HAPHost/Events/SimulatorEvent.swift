import HAPModel
import HAPWire

/// Something that happened to a running accessory, for logs, pages and scripts.
package struct SimulatorEvent: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// The accessory is served from now on, in addition to those from the start.
    case added
    /// The accessory is no longer served.
    case removed
    case connected(peer: String)
    /// A readable request arrived. Its result is reported separately.
    case requested(peer: String, request: String)
    case disconnected(peer: String)
    case paired(controller: String, isAdmin: Bool)
    case unpaired(controller: String)
    case verified(controller: String)
    case wrote(NamedValue, controller: String)
    case subscribed(NamedCharacteristic, controller: String)
    case unsubscribed(NamedCharacteristic, controller: String)
    /// An event with this value was sent to a controller.
    case told(NamedValue, controller: String)
    /// The device, or a person at it, changed a value.
    case changed(NamedValue)
    case identified(aid: UInt64, for: Duration)
    /// A request was refused or a connection cut; `request` is empty if none could be read.
    case refused(peer: String, request: String, reason: String)
    /// The device has not answered for three seconds.
    case slow([NamedCharacteristic])
    /// The profile was replaced; this is the new configuration number.
    case reconfigured(configurationNumber: UInt16)
    /// A fault was switched on or off; `text` has its parameters.
    case fault(name: String, text: String, isOn: Bool)
    /// The accessory was disconnected from the network, or connected again.
    case radio(isOn: Bool)
    /// A bridged accessory became unreachable, or reachable again.
    case reachable(aid: UInt64, name: String, Bool)
    /// The accessory's record was withdrawn from the network, or announced again.
    case announced(Bool)
    /// The accessory has stopped, by a command or because it could not restart. It can still be inspected.
    case stopped
    /// The accessory is back, as if the process had restarted.
    case restarted(Restart)
    /// The accessory is visible in DNS-SD under this name.
    case advertised(name: String)
    /// Another host on the network has the name.
    case renamed(from: String, to: String)
    /// The accessory is still visible; these are its new addresses.
    case moved([String])
    /// Whether a search on the network, as a controller does it, found the accessory.
    case selfCheck(name: String, isVisible: Bool)
    /// An event of the accessory as a Matter node.
    case matter(MatterEvent)
    /// An error after which the accessory continues.
    case trouble(String)
  }

  /// A characteristic with its displayed name.
  package struct NamedCharacteristic: Equatable, Sendable {
    package var id: AttributeID
    /// "Target Door State"; on a bridge the accessory's name precedes it.
    package var name: String
  }

  package struct NamedValue: Equatable, Sendable {
    package var characteristic: NamedCharacteristic
    package var value: Value
    /// "open", if the catalogue has a name for the value.
    package var word: String?
    package var unit: Unit?
  }

  /// The accessory's (or bridge's) name.
  package var accessory: String
  /// The accessory's number in the process, because several may have the same name. 0: no accessory in particular.
  package var number = 0
  package var kind: Kind

  package init(accessory: String, _ kind: Kind) {
    self.accessory = accessory
    self.kind = kind
  }
}

extension SimulatorEvent {
  /// One line for users.
  package var text: String {
    switch kind {
    case .added: "added"
    case .removed: "removed"
    case .requested(let peer, let request): "\(peer): \(request)"
    case .connected(let peer): "connected: \(peer)"
    case .disconnected(let peer): "disconnected: \(peer)"
    case .paired(let controller, let isAdmin): "paired with \(controller)\(isAdmin ? " (admin)" : "")"
    case .unpaired(let controller): "unpaired from \(controller)"
    case .verified(let controller): "verified: \(controller)"
    case .wrote(let value, let controller): "\(controller) wrote \(value)"
    case .subscribed(let characteristic, let controller): "\(controller) subscribed to \(characteristic)"
    case .unsubscribed(let characteristic, let controller): "\(controller) unsubscribed from \(characteristic)"
    case .told(let value, let controller): "sent to \(controller): \(value)"
    case .changed(let value): "\(value)"
    case .identified(let aid, _): aid == 1 ? "identify!" : "identify accessory \(aid)!"
    case .refused(let peer, let request, let reason):
      request.isEmpty ? "refused \(peer): \(reason)" : "refused \(request) from \(peer): \(reason)"
    case .slow(let characteristics):
      "the device has not answered for 3 seconds: \(characteristics.map(\.description).joined(separator: ", "))"
    case .reconfigured(let number): "profile replaced, c# \(number)"
    case .fault(_, let text, let isOn): isOn ? "fault: \(text)" : "fault ended: \(text)"
    case .radio(let isOn): isOn ? "back on the network" : "off the network"
    case .announced(let isTold): isTold ? "record announced again" : "record withdrawn"
    case .stopped: "stopped"
    case .reachable(_, let name, let isReachable): "\(name) is \(isReachable ? "back" : "offline")"
    case .restarted(.reboot): "rebooted"
    case .restarted(.powerCut): "back after a power cut"
    case .restarted(.factoryReset): "back after a factory reset"
    case .advertised(let name): "visible on the network as \"\(name)\""
    case .renamed(let old, let new): "the name \"\(old)\" is taken on this network: now \"\(new)\""
    case .moved(let addresses): "the addresses are now \(addresses.joined(separator: ", "))"
    case .selfCheck(let name, true): "self-check: \"\(name)\" was found on the network"
    case .selfCheck(let name, false):
      "self-check: \"\(name)\" was not found on the network; check the firewall (UDP port 5353) and where the daemon runs"
    case .matter(let event): event.text
    case .trouble(let message): "trouble: \(message)"
    }
  }

  /// The approximate number of bytes that it holds of data from a peer.
  package var weight: Int {
    switch kind {
    case .wrote(let named, _), .told(let named, _), .changed(let named): named.value.weight
    case .requested(_, let request): request.utf8.count
    case .refused(_, let request, let reason): request.utf8.count + reason.utf8.count
    case .matter(let event): event.weight
    case .trouble(let message): message.utf8.count
    default: 0
    }
  }

  /// Whether it reports a request, or a message of Matter. They are frequent, so they are only reported on demand.
  package var isRequest: Bool {
    switch kind {
    case .requested: true
    case .matter(let event): event.isMessage
    default: false
    }
  }

  /// Whether an accessory reports it even without a reader of events: failures, restarts, and changes of visibility on
  /// the network.
  package var isToldUnasked: Bool {
    switch kind {
    case .trouble, .restarted, .advertised, .renamed, .moved, .selfCheck: true
    default: false
    }
  }

  /// The value of the `event` member.
  package var name: String {
    switch kind {
    case .added: "added"
    case .removed: "removed"
    case .requested: "requested"
    case .connected: "connected"
    case .disconnected: "disconnected"
    case .paired: "paired"
    case .unpaired: "unpaired"
    case .verified: "verified"
    case .wrote: "wrote"
    case .subscribed: "subscribed"
    case .unsubscribed: "unsubscribed"
    case .told: "told"
    case .changed: "changed"
    case .identified: "identify"
    case .refused: "refused"
    case .advertised: "advertised"
    case .renamed: "renamed"
    case .slow: "slow"
    case .fault: "fault"
    case .radio: "radio"
    case .announced: "announced"
    case .stopped: "stopped"
    case .reachable: "reachable"
    case .restarted: "restarted"
    case .reconfigured: "reconfigured"
    case .moved: "addresses"
    case .selfCheck: "self-check"
    case .matter(let event): event.name
    case .trouble: "trouble"
    }
  }
}

extension Value {
  fileprivate var weight: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .null, .bool, .integer, .float: 0
    }
  }
}

extension SimulatorEvent.NamedCharacteristic: CustomStringConvertible {
  package var description: String { "\(name) (\(id))" }
}

extension SimulatorEvent.NamedValue: CustomStringConvertible {
  package var description: String {
    var text = "\(characteristic): "
    text += word.map { "\($0) (\(value.text))" } ?? value.text
    if let unit, word == nil {
      switch unit {
      case .percentage: text += " %"
      case .celsius: text += " °C"
      case .arcdegrees: text += "°"
      case .lux: text += " lx"
      case .seconds: text += " s"
      }
    }
    return text
  }
}
