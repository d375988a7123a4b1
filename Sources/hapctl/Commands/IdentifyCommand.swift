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
    examples: [
      ("hapctl identify 192.0.2.7:51826", "an accessory that nobody is paired with"),
      ("hapctl identify \"Hall Lamp\"", "by the name that 'hapctl discover' shows"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("identify", to: try Target(arguments.operands[0]), arguments, console)
    return visit.run { loop in
      if let addresses = try await visit.addressesOfStranger(on: loop) {
        let client = try await OpenAccessory.connect(addresses, on: loop, timeout: visit.timeout)
        let answer = try await client.request(.identify)
        guard answer.status == 204 else {
          throw Failure(.problem, "the accessory refuses with \(answer.status): it is paired, with another controller")
        }
        return .well
      }
      let accessory = try await visit.open(on: loop)
      let mirror = try await accessory.mirror()
      visit.note(mirror.remarks)
      let database = mirror.database
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
