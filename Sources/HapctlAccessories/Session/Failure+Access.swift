import HAPCommandLine
import HAPController
import HAPModel

extension Failure {
  /// A failure with advice.
  init(_ error: AccessError) {
    switch error {
    case .noPairing(.name(let name), let nearest):
      let meant = nearest.map { "; did you mean \(shown($0))?" } ?? ""
      self.init(.problem, "there is no pairing \(shown(name))\(meant) ('hapctl list' shows all pairings)")
    case .noPairing(.address(let address), _):
      self.init(.problem, "no pairing is saved for \(address); run 'hapctl pair \(address) --code …' to create one")
    case .noPairing(.setupID(let id), _): self.init(.problem, "no pairing is saved for setup ID \(id)")
    case .notFound(let target, let time, let trouble, let nearest):
      self.init(notFound: target, within: time, trouble, nearest)
    case .ambiguous(let target, let found):
      let all = found.map(\.title).joined(separator: ", ")
      self.init(.usage, "\(found.count) accessories are \(target.inWords): \(all); specify one by its address")
    case .notPaired(let target, let found):
      self.init(
        .problem,
        "\(found.map(\.title) ?? "it") has no saved pairing; run 'hapctl pair \(target.quoted) --code …' to create one")
    case .malformedAddress(let text, let reason): self.init(.usage, "\(shown(text)): \(reason)")
    case .nameTaken(let alias):
      self.init(.usage, "a pairing \(shown(alias)) already exists; choose another --alias")
    case .otherAccessory(let found, let id):
      self.init(
        .problem,
        "the payload belongs to another accessory: the setup hash of \(found.title) doesn't match setup ID \(id)")
    case .pairSetup(let failure): self.init(pairSetup: failure)
    case .pairedHere(let alias):
      let name = shown(alias)
      self.init(
        .problem,
        "the accessory is already paired with this controller, under the name \(name): use that name, or run 'hapctl unpair \(name)' first"
      )
    case .noIdentify: self.init(.problem, "the accessory has no characteristic Identify")
    case .identifyRefused(let status): self.init(.problem, "the accessory refuses with \(status)")
    case .identifyForbidden(let status):
      self.init(.problem, "the accessory refuses with \(status): it is paired with another controller")
    case .unreadablePairings:
      self.init(.problem, "a pairing in the accessory's list has no identifier, or no key of 32 bytes")
    case .pairingsRefused(let code): self.init(pairingsRefused: code)
    }
  }

  private init(notFound target: Target, within time: Duration, _ trouble: String?, _ nearest: String?) {
    let search =
      trouble.map { "the search failed: \($0)" }
      ?? "none was found on the network within \(time.components.seconds) s"
    guard case .name(let name) = target else {
      let hint = "give its address (hapctl pair HOST:PORT), or run 'hapctl discover' to list accessories"
      self.init(.cannotRun, "no accessory is \(target.inWords): \(search); \(hint)")
      return
    }
    let meant = nearest.map { "; did you mean \(shown($0))?" } ?? ""
    self.init(.cannotRun, "there is no pairing \(shown(name)), and no accessory with that name: \(search)\(meant)")
  }
}

extension Target {
  /// The continuation of "no accessory is" or "2 accessories are".
  fileprivate var inWords: String {
    switch self {
    case .name(let name): "named \(shown(name))"
    case .setupID(let id): "advertised with the payload's setup ID \(id)"
    case .address(let address): "at \(address)"
    }
  }

  fileprivate var quoted: String { if case .name(let name) = self { shown(name) } else { "HOST:PORT" } }
}
