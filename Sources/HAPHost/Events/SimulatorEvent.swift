import HAPModel
import HAPWire

/// Something that happened to a running accessory, for logs, pages and scripts.
package struct SimulatorEvent: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// It is served from now on, beside those that there were at the start.
    case added
    /// It is served no more.
    case removed
    case connected(peer: String)
    /// A request came that could be understood; what becomes of it is told apart.
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
    /// A request was refused or a connection cut off; `request` is empty where none could be read.
    case refused(peer: String, request: String, reason: String)
    /// The device has not answered for three seconds.
    case slow([NamedCharacteristic])
    /// The profile was replaced; the configuration number is this now.
    case reconfigured(configurationNumber: UInt16)
    /// A fault was switched on or off; `text` has its parameters.
    case fault(name: String, text: String, isOn: Bool)
    /// It went off the network, or came back.
    case radio(isOn: Bool)
    /// An accessory behind the bridge was lost, or found again.
    case reachable(aid: UInt64, name: String, Bool)
    /// Its record on the network was taken back, or is told again.
    case announced(Bool)
    /// It has stopped, by a command or because it could not start anew, and is still there to be looked at.
    case stopped
    /// It is back, served as if the process had started anew.
    case restarted(Restart)
    /// Visible in DNS-SD under this name.
    case advertised(name: String)
    /// The name was taken by somebody else on the network.
    case renamed(from: String, to: String)
    /// Still visible; these are its addresses now.
    case moved([String])
    /// Whether looking for it on the network, as a controller would, found it.
    case selfCheck(name: String, isVisible: Bool)
    /// Something is wrong that the accessory goes on with.
    case trouble(String)
  }

  /// A characteristic with words for people.
  package struct NamedCharacteristic: Equatable, Sendable {
    package var id: AttributeID
    /// "Target Door State", with the accessory's name in front behind a bridge.
    package var name: String
  }

  package struct NamedValue: Equatable, Sendable {
    package var characteristic: NamedCharacteristic
    package var value: Value
    /// "open" where the catalogue has a word for the value.
    package var word: String?
    package var unit: Unit?
  }

  /// The accessory's (or bridge's) name.
  package var accessory: String
  /// Which of the process's accessories that is: several may have the same name. 0: none in particular.
  package var number = 0
  package var kind: Kind

  package init(accessory: String, _ kind: Kind) {
    self.accessory = accessory
    self.kind = kind
  }
}

extension SimulatorEvent {
  /// One line for people.
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
    case .told(let value, let controller): "told \(controller): \(value)"
    case .changed(let value): "\(value)"
    case .identified(let aid, _): aid == 1 ? "identify!" : "identify accessory \(aid)!"
    case .refused(let peer, let request, let reason):
      request.isEmpty ? "refused \(peer): \(reason)" : "refused \(request) of \(peer): \(reason)"
    case .slow(let characteristics):
      "the device has not answered for 3 seconds: \(characteristics.map(\.description).joined(separator: ", "))"
    case .reconfigured(let number): "serves another profile, c# \(number)"
    case .fault(_, let text, let isOn): isOn ? "fault: \(text)" : "fault over: \(text)"
    case .radio(let isOn): isOn ? "back on the network" : "off the network"
    case .announced(let isTold): isTold ? "tells its record again" : "tells its record no more"
    case .stopped: "stopped"
    case .reachable(_, let name, let isReachable): "\(name) is \(isReachable ? "back" : "offline")"
    case .restarted(.reboot): "rebooted"
    case .restarted(.powerCut): "back after a power cut"
    case .restarted(.factoryReset): "as new: a factory reset"
    case .advertised(let name): "visible on the network as \"\(name)\""
    case .renamed(let old, let new): "the name \"\(old)\" is taken on this network: now \"\(new)\""
    case .moved(let addresses): "the addresses are now \(addresses.joined(separator: ", "))"
    case .selfCheck(let name, true): "self-check: \"\(name)\" was found on the network"
    case .selfCheck(let name, false):
      "self-check: \"\(name)\" can't be found on the network; does a firewall keep UDP port 5353, or is the daemon elsewhere?"
    case .trouble(let message): "trouble: \(message)"
    }
  }

  /// About how many bytes it keeps of what somebody sent.
  package var weight: Int {
    switch kind {
    case .wrote(let named, _), .told(let named, _), .changed(let named): named.value.weight
    case .requested(_, let request): request.utf8.count
    case .refused(_, let request, let reason): request.utf8.count + reason.utf8.count
    case .trouble(let message): message.utf8.count
    default: 0
    }
  }

  /// Whether it tells of a request: of these there are many, and only who asks for them is told.
  package var isRequest: Bool { if case .requested = kind { true } else { false } }

  /// Whether an accessory reports it without a reader of events, too: failures, restarts, and what is visible on the network.
  package var isToldUnasked: Bool {
    switch kind {
    case .trouble, .restarted, .advertised, .renamed, .moved, .selfCheck: true
    default: false
    }
  }

  /// What the `event` member says.
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
