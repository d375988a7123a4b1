/// The ways to restart a running accessory; the raw value is the command's name.
public enum Restart: String, CaseIterable, Sendable {
  /// The accessory sends an mDNS goodbye, closes its connections, and starts from its stored state.
  case reboot
  /// Like `reboot`, but without a goodbye: connections are reset.
  case powerCut = "power-cut"
  /// The accessory removes its pairings and values and gets a new identity, as `hapsim reset` does.
  case factoryReset = "factory-reset"
}
