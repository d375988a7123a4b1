import HAPCommandLine
import HAPModel
import HAPProtocol
import HAPStore
import HAPTransport

extension Command {
  /// `hapctl identify`
  static let identify = Command(
    "identify", "let the accessory show which one it is, paired or not",
    operands: .some(label: "TARGET", count: 1...1), options: CommonOptions.all,
    examples: [("hapctl identify 192.0.2.7:51826", "an accessory that nobody is paired with")]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("identify", to: try Target(arguments.operands[0]), arguments, console)
    return visit.run { loop in
      let known = try visit.store().pairings()
      if case .address(let address) = visit.target, (try? known.pairing(for: visit.target)) == nil {
        let client = try await OpenAccessory.connect(["\(address)"], on: loop, timeout: visit.timeout)
        let answer = try await client.request(.identify)
        guard answer.status == 204 else {
          throw Failure(.problem, "the accessory refuses with \(answer.status): it is paired, with another controller")
        }
        return .well
      }
      let pairing = try known.pairing(for: visit.target)
      let accessory = try await OpenAccessory.open(pairing, on: loop, timeout: visit.timeout)
      try await accessory.identify(in: try await accessory.mirror().database)
      return .well
    }
  }
}
