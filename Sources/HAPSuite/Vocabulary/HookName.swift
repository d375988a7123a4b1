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
  /// Nothing is done: it is asked which accessories have identified themselves since it was asked last.
  case identified

  /// As a request to a person, without what it is about.
  package var request: String {
    switch self {
    case .reboot: "restart the device the proper way"
    case .powerCut: "cut the device's power and give it back"
    case .factoryReset: "reset the device to its factory settings"
    case .press: "press the button"
    case .trigger: "let the sensor notice something, or the alarm go off"
    case .set: "operate the device by hand"
    case .obstruct: "put something in the way"
    case .jam: "let the mechanism get stuck"
    case .offline: "let the bridge lose the accessory"
    case .online: "let the bridge find the accessory again"
    case .battery: "bring the battery to this charge, in percent"
    case .stop: "stop the accessory the proper way"
    case .start: "start the accessory again"
    case .addAccessory: "add an accessory to the bridge"
    case .removeAccessory: "remove the accessory from the bridge"
    case .radio: "take the device off the network, or bring it back"
    case .stall: "let the device's answer to a read get stuck"
    case .identified: "say whether the device has identified itself since the last question: done means that it has"
    }
  }
}
