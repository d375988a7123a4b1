import HAPCommandLine
import HAPController
import HAPModel

extension Failure {
  /// With what to do about it.
  init(_ error: AccessError) {
    switch error {
    case .noPairing(.name(let name), let nearest):
      let meant = nearest.map { "; did you mean \(shown($0))?" } ?? ""
      self.init(.problem, "there is no pairing \(shown(name))\(meant) ('hapctl list' has them all)")
    case .noPairing(.address(let address), _):
      self.init(.problem, "no pairing is kept for \(address): 'hapctl pair \(address) --code …' makes one")
    case .noPairing(.setupID(let id), _): self.init(.problem, "no pairing is kept for setup ID \(id)")
    case .notFound(let target, let time, let trouble, let nearest):
      self.init(notFound: target, within: time, trouble, nearest)
    case .ambiguous(let target, let found):
      let all = found.map(\.title).joined(separator: ", ")
      self.init(.usage, "\(found.count) accessories are \(target.inWords): \(all); name one by its address")
    case .notPaired(let target, let found):
      self.init(
        .problem,
        "\(found.map(\.title) ?? "it") has no pairing here: 'hapctl pair \(target.quoted)' makes one, with --code")
    case .malformedAddress(let text, let reason): self.init(.usage, "\(shown(text)): \(reason)")
    case .nameTaken(let alias):
      self.init(.usage, "there is a pairing \(shown(alias)) already; choose another --alias")
    case .otherAccessory(let found, let id):
      self.init(
        .problem,
        "the payload is of another accessory: \(found.title) advertises another setup hash than setup ID \(id)")
    case .pairSetup(let failure): self.init(pairSetup: failure)
    case .pairedHere(let alias):
      let name = shown(alias)
      self.init(
        .problem,
        "the accessory is already paired with this controller, and called \(name): use it under that name, or run 'hapctl unpair \(name)' first"
      )
    case .noIdentify: self.init(.problem, "the accessory has no Identify")
    case .identifyRefused(let status): self.init(.problem, "the accessory refuses with \(status)")
    case .identifyForbidden(let status):
      self.init(.problem, "the accessory refuses with \(status): it is paired, with another controller")
    case .unreadablePairings:
      self.init(.problem, "a pairing in the accessory's list lacks its identifier, or its key of 32 bytes")
    case .pairingsRefused(let code): self.init(pairingsRefused: code)
    }
  }

  private init(notFound target: Target, within time: Duration, _ trouble: String?, _ nearest: String?) {
    let search =
      trouble.map { "it can't be looked for: \($0)" }
      ?? "none was found on the network in \(time.components.seconds) s"
    guard case .name(let name) = target else {
      let hint = "give its address (hapctl pair HOST:PORT), or run 'hapctl discover' to list accessories"
      self.init(.cannotRun, "no accessory is \(target.inWords): \(search); \(hint)")
      return
    }
    let meant = nearest.map { "; did you mean \(shown($0))?" } ?? ""
    self.init(.cannotRun, "there is no pairing \(shown(name)), and no accessory of that name: \(search)\(meant)")
  }
}

extension Target {
  /// After "no accessory is" or "2 accessories are".
  fileprivate var inWords: String {
    switch self {
    case .name(let name): "called \(shown(name))"
    case .setupID(let id): "advertised with the setup ID \(id) of the payload"
    case .address(let address): "at \(address)"
    }
  }

  fileprivate var quoted: String { if case .name(let name) = self { shown(name) } else { "HOST:PORT" } }
}
