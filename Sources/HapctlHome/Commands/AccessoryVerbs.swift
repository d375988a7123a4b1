import HAPCommandLine
import HAPHome
import HAPHubLink
import HAPModel
import HAPWire

/// The commands for accessories of a home.
extension HomeVerb {
  private static let forgets = Flag(
    "forget", "remove the accessory although it can't be reached; the hub removes its pairing when it returns")

  static let accessories = [
    HomeVerb(
      "move", "move accessories to a room", [.several(.accessory, "ACCESSORY"), .init(.room, "ROOM")],
      examples: [("hapctl home move \"Stereo Light\" \"Living Room\"", "moves an accessory")], json: changesJSON
    ) { session, arguments in
      let lookup = try session.lookup
      let room = try lookup.room(arguments.operands[arguments.operands.count - 1])
      return try await session.change(
        try arguments.operands.dropLast().map { .moveAccessory(try lookup.accessory($0).id, room: room.id) })
    },
    HomeVerb(
      "associate", "set the type of the device that a switch or an outlet controls",
      [.init(.service, "SERVICE"), .init(.text, "TYPE")],
      discussion: [
        "TYPE is the name of a type of services, such as Fan, or none. Apps and voice control then show the service as this device."
      ],
      examples: [("hapctl home associate Strip/Left Fan", "the left outlet controls a fan")], json: changesJSON
    ) { session, arguments in
      let service = try session.lookup.service(arguments.operands[0])
      return try await session.change([.setAssociatedType(service: service.id, try serviceType(arguments.operands[1]))])
    },
    HomeVerb(
      "identify", "make an accessory identify itself, for example by a light", [.init(.accessory, "ACCESSORY")],
      discussion: ["ACCESSORY can also be the device ID of an accessory that is in no home."],
      examples: [("hapctl home identify \"Stereo Light\"", "the accessory blinks")], json: "`{\"identified\": NAME}`",
      need: .accessories
    ) { session, arguments in
      let text = arguments.operands[0]
      if let device = DeviceID(text.uppercased()) {
        _ = try await session.link.ask(.identifyNew(device))
      } else {
        _ = try await session.link.ask(.identify(try session.lookup.accessory(text).id))
      }
      if session.isJSON { session.print(.object([("identified", .text(text))])) }
      return .well
    },
    HomeVerb(
      "block", "refuse all requests to an accessory", [.init(.accessory, "ACCESSORY")],
      discussion: ["The hub blocks an accessory itself if it breaks the protocol three times in ten minutes."],
      examples: [("hapctl home block Strip", "the hub no longer uses the accessory")], json: changesJSON
    ) { session, arguments in
      try await session.change([.blockAccessory(try session.lookup.accessory(arguments.operands[0]).id)])
    },
    HomeVerb(
      "unblock", "allow requests to a blocked accessory again", [.init(.accessory, "ACCESSORY")],
      examples: [("hapctl home unblock Strip", "the hub uses the accessory again")], json: changesJSON
    ) { session, arguments in
      try await session.change([.unblockAccessory(try session.lookup.accessory(arguments.operands[0]).id)])
    },
    HomeVerb(
      "remove", "remove an accessory from the home, and its pairing", [.init(.accessory, "ACCESSORY")],
      options: [.init(forgets)],
      discussion: [
        "A bridge is removed with its bridged accessories.",
        "If the pairing was adopted from hapctl, the alias of 'hapctl pair' stays, and no longer works: the command prints how to delete it.",
      ],
      examples: [("hapctl home remove \"Stereo Light\"", "removes the pairing, and then the accessory")],
      json: changesJSON, need: .accessories
    ) { session, arguments in
      let text = arguments.operands[0]
      let before = try session.snapshot.model
      if (try? session.lookup.object(text, [.accessory])) == nil, let home = try? before.home(named: text) {
        throw HomeFailure(
          "\(home.name.text.quoted) is a home, not an accessory: 'hapctl home delete' removes homes")
      }
      let accessory = try session.lookup.accessory(text)
      guard
        case .changed(let changes) = try await session.link.ask(.remove(accessory.id, forgets: arguments[forgets]))
      else { throw session.wrongAnswer }
      session.report(changes, since: before)
      if !arguments[forgets] { session.noteAdopted(accessory.deviceID) }
      return .well
    },
    HomeVerb(
      "drop", "forget the pairing with a device that is in no home", [.init(.text, "DEVICE")],
      discussion: [
        "DEVICE is a device ID from the problems of 'hapctl hub status': of an accessory that was removed while it could not be reached, or of one whose addition did not end.",
        "The accessory stays paired until it is reset.",
      ],
      examples: [("hapctl home drop 11:22:33:44:55:66", "an accessory that no longer exists is forgotten")],
      json: "`{\"dropped\": DEVICE}`"
    ) { session, arguments in
      let text = arguments.operands[0]
      guard let device = DeviceID(text.uppercased()) else {
        throw HomeFailure("\(text.quoted) is no device ID, such as 11:22:33:44:55:66")
      }
      _ = try await session.link.ask(.drop(device))
      if session.isJSON { session.print(.object([("dropped", .text(device.text))])) }
      return .well
    },
  ]

  private static func serviceType(_ text: String) throws -> TypeID? {
    if text == "none" { return nil }
    if let type = Catalogue.service(named: text)?.type { return type }
    let names = Catalogue.services.flatMap { [$0.identifier, $0.name] }
    let hint = nearestName(to: text, in: names).map { ": did you mean \($0.quoted)?" } ?? ""
    throw HomeFailure("there is no type of services \(text.quoted)\(hint)")
  }
}
