/// How a running accessory is restarted; the raw value is the command's name.
public enum Restart: String, CaseIterable, Sendable {
  /// It says goodbye, closes its connections, and starts from its stored state.
  case reboot
  /// The same without a goodbye: connections are reset.
  case powerCut = "power-cut"
  /// It forgets controllers and values and gets a new identity, as `hapsim reset` does.
  case factoryReset = "factory-reset"
}
