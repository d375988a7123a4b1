/// How a running accessory starts anew; the raw value is the command's name.
public enum Restart: String, CaseIterable, Sendable {
  /// It says goodbye, closes its connections, and starts from what it keeps.
  case reboot
  /// The same without a word: connections are reset.
  case powerCut = "power-cut"
  /// It forgets controllers and values and gets a new identity, as `hapsim reset` does, and starts as new.
  case factoryReset = "factory-reset"

  var ending: AccessoryRun.Ending { self == .powerCut ? .powerCut : .forRestart }
}
