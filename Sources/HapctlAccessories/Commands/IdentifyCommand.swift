import HAPCommandLine
import HAPController
import HAPModel
import HAPStore
import HAPTransport
import HAPWire

extension Command {
  /// `hapctl identify`
  static let identify = Command(
    "identify", "make an accessory identify itself, paired or not",
    operands: .some(label: "TARGET", count: 1...1), options: [CommonOptions.json.definition] + CommonOptions.all,
    examples: [
      ("hapctl identify 192.0.2.7:51826", "identifies an accessory that is not paired"),
      ("hapctl identify \"Hall Lamp\"", "identifies an accessory by its name, as 'hapctl discover' shows it"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("identify", to: try Target(arguments.operands[0]), arguments, console)
    let isJSON = arguments[CommonOptions.json]
    return visit.run { loop in
      if let addresses = try await visit.finder(on: loop).identifyStranger(visit.target) {
        if isJSON { console.print(json(nil, addresses)) }
        return .well
      }
      let accessory = try await visit.open(on: loop)
      let mirror = try await accessory.mirror()
      visit.note(mirror.remarks)
      try await accessory.identify(in: mirror.database)
      if isJSON { console.print(json(accessory.pairing, accessory.pairing.addresses)) }
      return .well
    }
  }
}

/// Returns `{"paired":true,"alias":"garage","deviceID":…,"addresses":[…]}`; `alias` and `deviceID` are `null` without a
/// pairing.
private func json(_ pairing: ControllerPairing?, _ addresses: [String]) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("paired")
      json.bool(pairing != nil)
      if let pairing { return pairing.writeFacts(to: &json) }
      for name in ["alias", "deviceID"] {
        json.key(name)
        json.null()
      }
      json.write(addresses: addresses)
    }
  }
}
