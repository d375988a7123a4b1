import HAPDevices
import HAPDeviations
import HAPIP
import HAPModel
import HAPProfile
import HAPWire

/// A command for running accessories. Standard input, `hapsim ctl`, hooks, scenarios, the control API and the page all
/// use these commands.
///
/// The JSON form is one object: `{"id": 7, "command": "set", "accessory": "Garage", "characteristic":
/// "TargetDoorState", "value": "open"}`.
package struct SimulatorCommand: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    /// Sets a characteristic's value.
    /// - Parameter value: the value as written, possibly a name from the catalogue.
    case set(CharacteristicSelector, value: Value)
    /// Makes the accessory identify itself, as a controller's Identify would.
    case identify
    /// Places an obstacle in front of a door, or removes it.
    case obstruct(Bool, service: ServiceSelector?)
    /// Performs any other action on a service.
    case physical(PhysicalAction, service: ServiceSelector?)
    /// Advances simulated time when it is frozen.
    case advance(Duration)
    /// Leaves reads of a characteristic without an answer, or answers them again.
    case stall(CharacteristicSelector, Bool)
    /// Switches a fault on, with its parameters, or off.
    case fault(FaultChoice, Bool)
    /// Withdraws the record from the network and changes nothing else, or announces it again.
    case announce(Bool)
    /// Makes a bridged accessory unreachable, or reachable again.
    case reachable(Bool)
    /// Takes the accessory off the network, or brings it back.
    case radio(Bool)
    /// Closes the connections of a controller, by its identifier; nil: of all.
    case disconnect(controller: String?)
    /// Removes the pairing of a controller, by its identifier; nil: all.
    case unpair(controller: String?)
    case restart(Restart)
    /// Opens a commissioning window of Matter.
    case openWindow(MatterWindow.Kind, seconds: Int)
    /// Closes the commissioning window of Matter.
    case closeWindow
    /// Removes a fabric of Matter, by its index.
    case removeFabric(UInt8)
    /// Restarts the accessory with other quirks.
    case quirks(Quirks)
    /// Serves another profile, by its path.
    case replace(profile: String)
    /// Serves one more accessory, by its profile's path.
    case add(profile: String)
    /// Stops and removes an accessory.
    case remove
    /// Returns the accessories and the time.
    case list
    /// Returns the state of the accessories.
    case status
    /// Stops one accessory, or all accessories and the process.
    case stop
  }

  /// An ID that the answer repeats: a string or a number of the sender's choice.
  package enum ID: Equatable, Sendable {
    case text(String)
    /// The number's text, unchanged.
    case number(String)
  }

  package var id: ID?
  /// The selected accessory; `nil`: the only one, or all of them for `list`, `status` and `stop`.
  package var accessory: AccessorySelector?
  package var action: Action

  package init(id: ID? = nil, accessory: AccessorySelector? = nil, _ action: Action) {
    self.id = id
    self.accessory = accessory
    self.action = action
  }

  package var name: CommandName { action.name }
}

// MARK: The three switches to extend for a new action

extension SimulatorCommand.Action {
  fileprivate var name: CommandName {
    switch self {
    case .set: .set
    case .identify: .identify
    case .obstruct: .obstruct
    case .physical(let action, _):
      switch action.kind {
      case .press: .press
      case .trigger: .trigger
      case .jam: .jam
      case .tamper: .tamper
      case .battery: .battery
      }
    case .advance: .advance
    case .stall: .stall
    case .fault: .fault
    case .announce: .announce
    case .reachable(let isReachable): isReachable ? .online : .offline
    case .radio: .radio
    case .disconnect: .disconnect
    case .unpair: .unpair
    case .restart(.reboot): .reboot
    case .restart(.powerCut): .powerCut
    case .restart(.factoryReset): .factoryReset
    case .openWindow: .openWindow
    case .closeWindow: .closeWindow
    case .removeFabric: .removeFabric
    case .quirks: .quirks
    case .replace: .replace
    case .add: .add
    case .remove: .remove
    case .list: .list
    case .status: .status
    case .stop: .stop
    }
  }

  /// - Parameter node: an object with the command's members.
  package init(_ name: CommandName, _ node: JSONNode) throws(JSONProblem) {
    switch name {
    case .set: self = .set(try CharacteristicSelector(membersOf: node), value: try node.writtenValue())
    case .identify: self = .identify
    case .obstruct: self = .obstruct(try node.flag(), service: try .member(of: node))
    case .press: self = .physical(.press(try node.press()), service: try .member(of: node))
    case .trigger: self = .physical(.trigger, service: try .member(of: node))
    case .jam: self = .physical(.jam(try node.flag()), service: try .member(of: node))
    case .tamper: self = .physical(.tamper(try node.flag()), service: try .member(of: node))
    case .battery: self = .physical(.battery(try node.percent()), service: try .member(of: node))
    case .advance: self = .advance(try node.duration())
    // A fault can be switched off by its name, without parameters.
    case .fault: self = .fault(try FaultLibrary.builtIn.choice(try node.required("fault")), try node.flag())
    case .announce, .radio, .stall, .reboot, .powerCut, .factoryReset: self.init(try FaultAction(name.rawValue, node))
    case .offline: self = .reachable(false)
    case .online: self = .reachable(true)
    case .disconnect: self = .disconnect(controller: try node.optionalString("controller"))
    case .unpair: self = .unpair(controller: try node.optionalString("controller"))
    case .openWindow: self = .openWindow(try node.window(), seconds: try node.seconds())
    case .closeWindow: self = .closeWindow
    case .removeFabric: self = .removeFabric(try node.fabric())
    case .quirks: self = .quirks(try node.quirks())
    case .replace: self = .replace(profile: try node.string("profile"))
    case .add: self = .add(profile: try node.string("profile"))
    case .remove: self = .remove
    case .list: self = .list
    case .status: self = .status
    case .stop: self = .stop
    }
  }

  /// Returns the command with the same name.
  package init(_ action: FaultAction) {
    switch action {
    case .announce(let isOn): self = .announce(isOn)
    case .radio(let isOn): self = .radio(isOn)
    case .stall(let selector, let isStuck): self = .stall(selector, isStuck)
    case .restart(let restart): self = .restart(restart)
    }
  }

  /// Writes the members of the command's object, in the order of its form.
  func write(to json: inout JSONWriter) {
    switch self {
    case .set(let selector, let value):
      json.member(selector)
      json.key("value")
      value.writeWritten(to: &json)
    case .stall(let selector, let isStuck):
      json.member(selector)
      json.member(isStuck)
    case .obstruct(let isObstructed, let service):
      json.member(service)
      json.member(isObstructed)
    case .physical(let action, let service):
      json.member(service)
      switch action {
      case .press(let press): json.member("kind", press.name)
      case .trigger: break
      case .jam(let isOn), .tamper(let isOn): json.member(isOn)
      case .battery(let percent):
        json.key("value")
        json.integer(percent)
      }
    case .advance(let duration): json.member("duration", duration.exactText)
    case .fault(let fault, let isOn):
      json.key("fault")
      fault.write(to: &json)
      json.member(isOn)
    case .announce(let isOn), .radio(let isOn): json.member(isOn)
    case .disconnect(let controller?), .unpair(let controller?): json.member("controller", controller)
    case .openWindow(let kind, let seconds):
      json.member("kind", kind.rawValue)
      json.key("seconds")
      json.integer(seconds)
    case .removeFabric(let index):
      json.key("fabric")
      json.integer(index)
    case .quirks(let quirks):
      json.key("value")
      quirks.writeChanges(to: &json)
    case .replace(let profile), .add(let profile): json.member("profile", profile)
    case .identify, .disconnect(nil), .unpair(nil), .reachable, .restart, .closeWindow, .remove, .list, .status, .stop:
      break
    }
  }
}
