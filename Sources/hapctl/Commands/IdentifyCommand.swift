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
    let target = try Target(arguments.operands[0])
    let folder = try stateFolder(arguments, console)
    let timeout = Duration.seconds(try arguments.value(CommonOptions.timeout) ?? 10)
    return withLoop("identify", console) { loop in
      let known = try ControllerStore(folder: folder).pairings()
      if case .address(let address) = target, (try? known.pairing(for: target)) == nil {
        let client = try await OpenAccessory.connect(["\(address)"], on: loop, timeout: timeout)
        let answer = try await client.request(.identify)
        guard answer.status == 204 else {
          throw Failure(.problem, "the accessory refuses with \(answer.status): it is paired, with another controller")
        }
        return .well
      }
      let accessory = try await OpenAccessory.open(try known.pairing(for: target), on: loop, timeout: timeout)
      let database = try await accessory.mirror().database
      guard let slot = database.characteristics.firstIndex(where: { $0.type == CharacteristicDefinition.identify.type })
      else { throw Failure(.problem, "the accessory has no Identify") }
      let entries = try await accessory.entries(.write([.init(database.id(ofSlot: slot), value: .bool(true))]))
      if let status = entries.first(where: { !$0.isSuccess })?.status {
        throw Failure(.problem, "the accessory refuses with \(status)")
      }
      return .well
    }
  }
}
