import HAPCommandLine

extension Command {
  /// The commands of `hapctl` for accessories, in the order of its help.
  package static let ofAccessories: [Command] = [
    .discover, .pair, .unpair, .identify, .list, .keys, .accessories, .get, .put, .watch, .export, .pairings,
    .resource, .shell, .proxy, .misbehave,
  ]
}
