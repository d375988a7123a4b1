/// The actions on the device under test that a case can request from a user, a command or hapsim.
package enum HookName: String, CaseIterable, Hashable, Sendable {
  case reboot
  case powerCut = "power-cut"
  case factoryReset = "factory-reset"
  case press
  case trigger
  case set
  case obstruct
  case jam
  case offline
  case online
  case battery
  case stop
  case start
  case addAccessory = "add-accessory"
  case removeAccessory = "remove-accessory"
  case radio
  case stall
  /// Performs no action: returns the accessories that have identified themselves since the last request.
  case identified

  /// The request to a person, without its subject.
  package var request: String {
    switch self {
    case .reboot: "restart the device in its normal way"
    case .powerCut: "cut the device's power, then restore it"
    case .factoryReset: "reset the device to its factory settings"
    case .press: "press the button"
    case .trigger: "trigger the sensor or the alarm"
    case .set: "operate the device by hand"
    case .obstruct: "put an obstacle in the way"
    case .jam: "make the mechanism jam"
    case .offline: "disconnect the accessory from the bridge"
    case .online: "reconnect the accessory to the bridge"
    case .battery: "set the battery to this charge, in percent"
    case .stop: "stop the accessory in its normal way"
    case .start: "start the accessory again"
    case .addAccessory: "add an accessory to the bridge"
    case .removeAccessory: "remove the accessory from the bridge"
    case .radio: "take the device off the network, or put it back"
    case .stall: "delay the device's answer to a read"
    case .identified:
      "check whether the device has identified itself since the last request; \"done\" means that it has"
    }
  }
}
