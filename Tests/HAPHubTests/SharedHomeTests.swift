#if os(Linux)
  import HAPAlmanac
  import HAPController
  import HAPCrypto
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPModel
  import Testing

  @testable import HAPHub
  @testable import HAPSimulator

  /// Two hubs: an owner, and a user to whom the home is shared. home.md §12 and M19.
  @Suite("A home that is shared with another hub") struct SharedHomeTests {
    private struct Missing: Error {}

    /// The hubs with an app of each, and what the test uses of the home.
    private struct Houses: Sendable {
      let owner: SimulatedHub
      let guest: SimulatedHub
      let ann: TestApp
      let ben: TestApp
      let user: HomeObjectID
    }

    private static func document(_ answer: HubAnswer) throws -> String {
      guard case .document(let text) = answer else { throw Missing() }
      return text
    }

    /// A home with accessories, shared with a second hub.
    private static func withHouses(
      _ profiles: [ProfileSource], role: HomeUser.Role = .guest, accepts: Bool = true,
      _ body: @escaping @Sendable (Houses, [RunningAccessory]) async throws -> Void
    ) async throws {
      try await withSimulatedHub { owner in
        var accessories: [RunningAccessory] = []
        for profile in profiles { accessories.append(try await owner.house.start(profile)) }
        let ann = try await owner.home(accessories)
        try await ann.addSet("Bright", [HomeAction(try ann.id("Lamp", .on), .bool(true))])
        let guest = SimulatedHub(owner.world, besides: owner)
        try await guest.start()
        let ben = TestApp("b", try await guest.hub.attach(app: "b"))
        let request = try document(try await ben.ask(.requestShare(name: "Ben")))
        guard
          case .shared(let shared) = try await ann.ask(
            .share(HomeSharing(home: ann.home.id, request: request, role: role)))
        else { throw Missing() }
        if accepts { try await ben.ask(.acceptShare(shared.document ?? "")) }
        try await owner.wait(.seconds(3))
        try await body(Houses(owner: owner, guest: guest, ann: ann, ben: ben, user: shared.user), accessories)
      }
    }

    @Test("[M19] A guest controls the home and can't edit it; after the removal, no accessory accepts the guest")
    func guest() async throws {
      try await Self.withHouses([Profiles.lamp, Profiles.lock]) { houses, accessories in
        let (ann, ben, lamp) = (houses.ann, houses.ben, accessories[0])
        try #require(ben.home.id == ann.home.id && ben.home.accessories == ann.home.accessories)
        try #require(ben.home.ownUser.id == houses.user && ben.home.users[0].role == .owner)
        let on = try ben.id("Lamp", .on)
        try await ben.ask(.subscribe([on]))
        try await ben.ask(.write(home: ben.home.id, [HomeAction(on, .bool(true))]))
        try #require(try await lamp.value(of: "On") == .bool(true))
        try await lamp.set("On", to: .bool(false))
        try await houses.owner.wait()
        let event = HubEvent.values([CharacteristicReading(on, value: .bool(false))], isCatchUp: false)
        try #require(ben.events.contains(event))
        try await ben.ask(.execute([try ben.set("Bright")]))
        try #require(try await lamp.value(of: "On") == .bool(true))

        let room = HubRequest.perform(.addRoom(home: ben.home.id, name: "Kitchen"))
        try #require(await ben.refusal(of: room)?.code == .insufficientPrivileges)
        let removal = HubRequest.remove(try ben.accessory("Lamp").id, forgets: true)
        try #require(await ben.refusal(of: removal)?.code == .insufficientPrivileges)

        try await ann.perform(.removeUser(houses.user))
        try await houses.owner.wait(.seconds(60))
        let pairings = try await lamp.pairings
        try #require(pairings.count == 1)
        guard
          case .executed(let result) = try await ben.ask(
            .write(home: ben.home.id, [HomeAction(on, .bool(false))]))
        else { throw Missing() }
        try #require(result.actions[0].outcome == .notSent)
        let why = ben.link.replica.snapshot?.unreachable[try ben.accessory("Lamp").id]
        try #require(why?.contains("Ann has removed this user") == true)
        try #require(try await lamp.value(of: "On") == .bool(true))
        try await ann.ask(.write(home: ann.home.id, [HomeAction(on, .bool(false))]))
        try #require(try await lamp.value(of: "On") == .bool(false))
      }
    }

    @Test("An administrator of another hub changes the home there only, and its pairing is one of an administrator")
    func administrator() async throws {
      try await Self.withHouses([Profiles.lamp], role: .administrator) { houses, accessories in
        let room = HubRequest.perform(.addRoom(home: houses.ben.home.id, name: "Kitchen"))
        let error = await houses.ben.refusal(of: room)
        try #require(error?.code == .operationNotSupported && error?.message.contains("the hub of Ann") == true)
        let pairings = try await accessories[0].pairings
        try #require(pairings.map(\.isAdmin) == [true, true])
      }
    }

    @Test("Only the owner's hub runs triggers, and knows who is at home")
    func triggers() async throws {
      try await Self.withHouses([Profiles.lamp, Profiles.lock], accepts: false) { houses, accessories in
        let (ann, ben) = (houses.ann, houses.ben)
        let unlocked = HomeEvent.characteristic(try ann.id("Front Door Lock", .lockCurrent), equals: .integer(0))
        try await ann.addTrigger("Arrival", .event(EventTrigger(events: [unlocked])), runs: "Bright")
        let text = try Self.document(try await ann.ask(.renewShare(user: houses.user)))
        try await ben.ask(.acceptShare(text))
        try await houses.owner.wait(.seconds(3))
        let trigger = try ben.trigger("Arrival")
        try #require(trigger.isEnabled)
        for request in [HubRequest.fire(trigger.id), .explain(trigger.id), .place(PersonState(houses.user, .home))] {
          let error = await ben.refusal(of: request)
          try #require(error?.code == .noHomeHub && error?.message.contains("owner Ann") == true)
        }
        try await accessories[1].set("LockCurrentState", to: .integer(0))
        try await houses.owner.wait(.seconds(3))
        try #require(try await accessories[0].value(of: "On") == .bool(true))
        try #require(accessories[0].writes == [1])
        try #require(!ben.events.contains { if case .evaluated = $0 { true } else { false } })
        // Also after a restart.
        houses.guest.kill()
        try await houses.guest.start()
        try await houses.owner.wait(.seconds(5))
        try await accessories[1].set("LockCurrentState", to: .integer(1))
        try await accessories[0].set("On", to: .bool(false))
        try await houses.owner.wait(.seconds(3))
        try await accessories[1].set("LockCurrentState", to: .integer(0))
        try await houses.owner.wait(.seconds(3))
        try #require(accessories[0].writes == [1, 1])
      }
    }

    @Test("A bridge that grows changes the copy only with the next share, which has the identifiers of the owner's hub")
    func growth() async throws {
      try await Self.withHouses([Profiles.lamp, Profiles.bridge("Desk")]) { houses, accessories in
        let (ann, ben) = (houses.ann, houses.ben)
        _ = try await accessories[1].replace(by: Profiles.bridge("Desk", "Floor"))
        try await houses.owner.wait(.seconds(90))
        try #require(ann.home.accessories.count == 4 && ben.home.accessories.count == 3)
        let text = try Self.document(try await ann.ask(.renewShare(user: houses.user)))
        try await ben.ask(.acceptShare(text))
        try #require(ben.home.accessories.map(\.id) == ann.home.accessories.map(\.id))
        let floor = try ben.id("Floor", .on)
        try await ben.ask(.write(home: ben.home.id, [HomeAction(floor, .bool(true))]))
        try #require(try await accessories[1].value(of: CharacteristicName("On", accessory: "Floor")) == .bool(true))
      }
    }

    @Test("A renewed share brings the changes of the home, and an older one is refused")
    func renewal() async throws {
      try await Self.withHouses([Profiles.lamp]) { houses, _ in
        let (ann, ben) = (houses.ann, houses.ben)
        let old = try Self.document(try await ann.ask(.renewShare(user: houses.user)))
        let lock = try await houses.owner.house.start(Profiles.lock)
        let device = try #require(DeviceID(lock.deviceID))
        try await ann.ask(.add(AccessoryAddition(home: ann.home.id, device: device, code: lock.setupCode)))
        try await ann.perform(.addRoom(home: ann.home.id, name: "Hall"))
        let room = try #require(ann.home.rooms.first)
        try await ann.perform(.moveAccessory(try ann.accessory("Lamp").id, room: room.id))
        try await houses.owner.wait(.seconds(3))
        let pairings = try await lock.pairings
        try #require(pairings.count == 2)
        let new = try Self.document(try await ann.ask(.renewShare(user: houses.user)))
        ben.forget()
        let other = TestApp("c", try await houses.guest.hub.attach(app: "c"))
        // The times of Ben's executions are his own.
        try await ben.ask(.execute([try ben.set("Bright")]))
        try await houses.owner.wait()
        let time = ben.home.actionSets.compactMap(\.lastExecution)
        other.forget()
        try await ben.ask(.acceptShare(new))
        try await houses.owner.wait(.seconds(3))
        try #require(time.count == 1 && ben.home.actionSets.compactMap(\.lastExecution) == time)
        try #require(ben.home.accessories.map(\.name) == ann.home.accessories.map(\.name))
        try #require(ben.home.rooms == ann.home.rooms && other.model == ben.model)
        try #require(
          other.changes.contains(.accessoryMoved(try ben.accessory("Lamp").id, room: room.id))
            && !other.changes.contains(.homeRemoved))
        let target = try ben.id("Front Door Lock", .lockTarget)
        try await ben.ask(.write(home: ben.home.id, [HomeAction(target, .integer(0))]))
        try #require(try await lock.value(of: "LockTargetState") == .integer(0))
        try #require(await ben.refusal(of: .acceptShare(old))?.message.contains("is older") == true)

        try await ann.ask(.remove(try ann.accessory("Front Door Lock").id, forgets: false))
        let last = try Self.document(try await ann.ask(.renewShare(user: houses.user)))
        try await ben.ask(.acceptShare(last))
        try #require(ben.home.accessories.map(\.name.text) == ["Lamp"])
        try #require(await houses.guest.hub.status.devices.count == 1)
      }
    }

    @Test("The copy stays after a crash of the guest's hub, and can be left, not as the only home of that name")
    func copies() async throws {
      try await Self.withHouses([Profiles.lamp], accepts: false) { houses, accessories in
        try await houses.ben.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ben"))
        let text = try Self.document(try await houses.ann.ask(.renewShare(user: houses.user)))
        try await houses.ben.ask(.acceptShare(text))
        houses.guest.kill()
        try await houses.guest.start()
        try await houses.owner.wait(.seconds(5))
        let app = TestApp("c", try await houses.guest.hub.attach(app: "c"))
        try #require(app.model.homes.map(\.name.text) == ["Home", "Home 2"])
        let copy = app.model.homes[1]
        let on = try #require(copy.accessories[0].services.flatMap(\.characteristics).first { $0.type == .on }).id
        try await app.ask(.write(home: copy.id, [HomeAction(on, .bool(true))]))
        try #require(try await accessories[0].value(of: "On") == .bool(true))
        try await app.perform(.setPrimaryHome(copy.id))
        try #require(app.model.primaryHome == copy.id)
        try await app.perform(.removeHome(copy.id))
        try #require(app.model.homes.map(\.name.text) == ["Home"] && app.model.primaryHome == app.model.homes[0].id)
        try #require(await houses.guest.hub.status.devices.isEmpty)
        let pairings = try await accessories[0].pairings
        try #require(pairings.count == 2)
      }
    }

    @Test("A share is refused by a hub that it is not for, if it was changed, and by its own hub")
    func strangers() async throws {
      try await Self.withHouses([Profiles.lamp], accepts: false) { houses, _ in
        let text = try Self.document(try await houses.ann.ask(.renewShare(user: houses.user)))
        try #require(await houses.ann.refusal(of: .acceptShare(text))?.message.contains("for another hub") == true)
        let third = text.index(text.startIndex, offsetBy: text.count * 2 / 3)
        let changed = text[..<third] + (text[third] == "A" ? "B" : "A") + text[text.index(after: third)...]
        let error = await houses.ben.refusal(of: .acceptShare(String(changed)))
        try #require(error?.code == .messageAuthenticationFailed)
        for broken in ["", "{}", "[", String(text.prefix(500))] {
          try #require(await houses.ben.refusal(of: .acceptShare(broken))?.code == .invalidParameter)
        }
        try #require(houses.ben.model.homes.isEmpty)

        // Another hub writes a home with the same identifier.
        try await houses.ben.ask(.acceptShare(text))
        let mallory = ControllerIdentity(identifier: "mallory", seed: Array(repeating: 3, count: 32))!
        let user = try #require(houses.ben.home.ownUser.controller)
        let copy = HomeCopy(user: houses.user, issued: Instant(seconds: 4_000_000_000))
        let device = ShareDocument.Device(
          id: houses.ben.home.devices[0], accessoryID: [1], accessoryKey: Array(repeating: 1, count: 32), addresses: [])
        let forged = ShareDocument(houses.ben.home.shared(copy, by: mallory.controller), copy, [device])
          .text(for: user, by: mallory, RandomSource { $0.copyBytes(from: Array(repeating: 9, count: $0.count)) })
        let refusal = await houses.ben.refusal(of: .acceptShare(try #require(forged)))
        try #require(refusal?.code == .messageAuthenticationFailed && refusal?.message.contains("another hub") == true)
      }
    }
  }
#endif
