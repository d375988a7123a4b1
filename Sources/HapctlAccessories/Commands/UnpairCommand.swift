import HAPCommandLine
import HAPController
import HAPStore
import HAPWire

extension Command {
  private static let forget = Flag("forget", "delete only the saved pairing, without contacting the accessory")

  /// `hapctl unpair`
  static let unpair = Command(
    "unpair", "remove the pairing from the accessory and from this machine",
    operands: .some(label: "TARGET", count: 1...1),
    options: [forget.definition, CommonOptions.json.definition] + CommonOptions.all,
    examples: [("hapctl unpair garage", "removes the pairing; the accessory can be paired again")]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("unpair", to: try Target(arguments.operands[0]), arguments, console)
    let onlyHere = arguments[forget]
    let isJSON = arguments[CommonOptions.json]
    return visit.run { loop in
      let store = try visit.store()
      let pairing: ControllerPairing
      if onlyHere {
        pairing = try store.pairings().pairing(for: visit.target)
      } else {
        let accessory = try await visit.open(on: loop)
        pairing = accessory.pairing
        do { try await accessory.change(.removing(pairing)) } catch let failure as Failure {
          throw Failure(failure.code, "\(failure.message); --forget deletes only the saved pairing")
        }
      }
      try store.remove(alias: pairing.alias)
      if isJSON {
        console.print(json(pairing, isRemovedFromAccessory: !onlyHere))
        return .well
      }
      console.print(onlyHere ? "Forgot \(shown(pairing.alias))." : "Unpaired \(shown(pairing.alias)).")
      return .well
    }
  }

  /// `hapctl list`
  static let list = Command(
    "list", "list the saved pairings", options: [CommonOptions.state.definition, CommonOptions.json.definition]
  ) { (arguments, console) throws(UsageError) in
    let folder = try stateFolder(arguments, console)
    return withLoop("list", console) { _ in
      let pairings = try ControllerStore(folder: folder).pairings()
      if arguments[CommonOptions.json] {
        console.print(JSONWriter.text { json in json.object { $0.write(pairings: pairings) } })
      } else if pairings.isEmpty {
        console.print("No pairing is saved in \(folder).")
      } else {
        for pairing in pairings {
          console.print(
            "\(shown(pairing.alias))  \(pairing.accessoryName)  \(pairing.addresses.joined(separator: ", "))")
        }
      }
      return .well
    }
  }
}

/// Returns `{"alias":…,"deviceID":…,"addresses":[…],"removedFromAccessory":true}`.
private func json(_ pairing: ControllerPairing, isRemovedFromAccessory: Bool) -> String {
  JSONWriter.text { json in
    json.object { json in
      pairing.writeFacts(to: &json)
      json.key("removedFromAccessory")
      json.bool(isRemovedFromAccessory)
    }
  }
}
