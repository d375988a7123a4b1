#if os(Linux)
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPWeb
  import HAPWire
  import Testing

  @testable import HAPHomeControl
  @testable import HAPHub

  /// Users of a home with tokens of their own.
  @Suite("The tokens of the page") struct PageTokenTests {
    private static func user(
      _ name: String, _ role: String, _ served: ServedHomeAPI, _ app: TestApp
    ) async throws -> String {
      try await served.node(
        "POST", "/v1/homes/commands",
        #"{"command": "add-user", "home": "\#(app.home.id)", "name": "\#(name)", "role": "\#(role)"}"#)
      let token = try await served.node("POST", "/v1/homes/Home/users/\(name)/token", "{}")["token"]?.stringValue
      return try #require(token)
    }

    @Test("A guest controls the home, and can't change it") func guest() async throws {
      try await withAPI { bench, app, served in
        try await app.addSet("Evening", [HomeAction(try app.id("Lamp 1", .on), .bool(true))])
        let ben = try await Self.user("Ben", "guest", served, app)
        let home = try await served.node("GET", "/v1/homes/Home", token: ben)
        #expect(home["role"]?.stringValue == "guest" && home["mayEdit"]?.boolValue == false)
        #expect(home["sharedBy"]?.stringValue == "Ann")
        try await served.node("POST", "/v1/homes/Home/scenes/Evening/execute", token: ben)
        #expect(bench.devices[0].puts.count == 1)
        try await served.node(
          "PUT", "/v1/homes/Home/characteristics/Lamp 2%2FOn", #"{"value": true}"#, token: ben)
        try await served.node("PUT", "/v1/homes/Home/users/Ben/place", #"{"place": "away"}"#, token: ben)
        let home1 = app.home.id
        for (method, target, body) in [
          ("POST", "commands", #"{"command": "add-room", "home": "\#(home1)", "name": "Hall"}"#),
          ("POST", "commands", #"{"command": "remove-home", "home": "\#(home1)"}"#),
          ("POST", "", #"{"name": "B", "timeZone": "UTC", "owner": "Ben"}"#),
          ("POST", "Home/accessories", #"{"code": "031-45-154", "device": "AA:00:00:00:00:01"}"#),
          ("DELETE", "Home/accessories/Lamp 1", nil), ("GET", "status", nil), ("GET", "new-accessories", nil),
          ("POST", "Home/users/Ben/token", "{}"), ("POST", "Home/users/Ann/token", "{}"),
          ("POST", "share-requests", #"{"name": "Ben"}"#), ("POST", "shares", #"{"share": "x"}"#),
        ] as [(String, String, String?)] {
          let refusal = try await served.refusal(method, "/v1/homes/" + target, body, token: ben)
          #expect(refusal.hasPrefix("403 insufficient-privileges"), "\(method) \(target): \(refusal)")
        }
        #expect(app.home.accessories.count == 2 && app.model.homes.count == 1)
      }
    }

    /// Gives the second lamp to another home.
    private static func withCabin(
      _ body: @escaping @Sendable (HubBench, TestApp, ServedHomeAPI, _ cabin: Home) async throws -> Void
    ) async throws {
      try await withAPI { bench, app, served in
        try await app.ask(.remove(try app.accessory("Lamp 2").id, forgets: false))
        try await app.perform(.addHome(name: "Cabin", zone: .utc, location: nil, owner: "Ann"))
        let addition = AccessoryAddition(home: app.model.homes[1].id, device: Script.id(2), code: ScriptedPort.code)
        try await app.ask(.add(addition))
        await bench.settle(.seconds(1))
        let removals = bench.devices[1].removed.count
        try await body(bench, app, served, app.model.homes[1])
        #expect(bench.devices[1].removed.count == removals && app.model.homes[1].accessories.count == 1)
      }
    }

    @Test("A user who may not remove an accessory does not end its pairing either") func removal() async throws {
      try await Self.withCabin { bench, app, served, cabin in
        let ben = try await Self.user("Ben", "guest", served, app)
        let cleo = try await Self.user("Cleo", "administrator", served, app)
        for (token, accessory) in [
          (ben, app.home.accessories[0].id), (ben, cabin.accessories[0].id), (cleo, cabin.accessories[0].id),
        ] {
          let body = #"{"command": "remove-accessory", "accessory": "\#(accessory)"}"#
          let refusal = try await served.refusal("POST", "/v1/homes/commands", body, token: token)
          #expect(refusal.hasPrefix("40"), "\(refusal)")
        }
        #expect(bench.devices[0].removed.isEmpty && app.home.accessories.count == 1)
        let own = #"{"command": "remove-accessory", "accessory": "\#(app.home.accessories[0].id)"}"#
        try await served.node("POST", "/v1/homes/commands", own, token: cleo)
        #expect(bench.devices[0].removed.count == 1)
      }
    }

    @Test("Objects of another home do not exist for an administrator") func otherHome() async throws {
      try await Self.withCabin { bench, app, served, cabin in
        _ = try await Self.user("Cleo", "administrator", served, app)
        await bench.settle()
        let cleo = try #require(app.home.users.last?.id)
        let on = try #require(cabin.accessories[0].services.flatMap(\.characteristics).first { $0.type == .on }?.id)
        let lamp = cabin.accessories[0].id
        let requests: [HubRequest] = [
          .execute([cabin.actionSets[0].id]), .write(home: cabin.id, [HomeAction(on, .bool(true))]), .read([on]),
          .subscribe([on]), .identify(lamp), .fire(lamp), .explain(lamp),
          .place(PersonState(cabin.users[0].id, .home)), .authorize(on, nil),
          .add(AccessoryAddition(home: cabin.id, device: Script.id(1), code: "1")), .remove(lamp, forgets: false),
          .remove(app.home.accessories[0].id, forgets: true), .perform(.removeAccessory(lamp)),
        ]
        for request in requests {
          let isRefused = await bench.hub.refuses(request, of: cleo, with: nil)
          #expect(isRefused, "\(request.name)")
        }
      }
    }

    @Test("Users get the values of their own home, also those that are read together with others") func ownValues()
      async throws
    {
      try await Self.withCabin { bench, app, served, cabin in
        let ben = try await Self.user("Ben", "guest", served, app)
        // The hub needs the values of both homes, so it reads them together for the page.
        for home in [app.home, cabin] {
          let on = try #require(home.accessories[0].services.flatMap(\.characteristics).first { $0.type == .on }?.id)
          try await app.perform(
            .addTrigger(
              home: home.id, name: "lit", .event(EventTrigger(events: [.characteristic(on, equals: .bool(true))]))))
          let trigger = try #require(app.model.home(home.id)?.triggers.first?.id)
          try await app.perform(.addOwnedActionSet(trigger: trigger, [HomeAction(on, .bool(false))]))
          try await app.perform(.enableTrigger(trigger))
        }
        await bench.settle(.seconds(1))
        _ = try await served.values(token: ben)
        await bench.settle(.seconds(1))
        func names(_ events: [JSONNode]) -> Set<String> {
          Set(events.flatMap { $0["values"]?.elements ?? [] }.compactMap { $0["characteristic"]?.stringValue })
        }
        let (own, all) = (names(try await served.events(token: ben)), names(try await served.events()))
        let ids = Set(app.home.accessories.flatMap(\.services).flatMap(\.characteristics).map(\.id.description))
        #expect(!own.isEmpty && own.isSubset(of: ids) && !all.isSubset(of: ids))
      }
    }

    @Test("A guest sets only the own place, and an administrator all") func places() async throws {
      try await withAPI { _, app, served in
        let ben = try await Self.user("Ben", "guest", served, app)
        let cleo = try await Self.user("Cleo", "administrator", served, app)
        func place(_ name: String, _ token: String) async throws -> Int {
          try await served.ask("PUT", "/v1/homes/Home/users/\(name)/place", #"{"place": "away"}"#, token: token).status
        }
        let statuses = [
          try await place("Ben", ben), try await place("Ann", ben), try await place("Cleo", ben),
          try await place("Ben", cleo), try await place("Ann", cleo),
        ]
        #expect(statuses == [204, 403, 403, 204, 204])
      }
    }

    @Test("A setup of an administrator stays in the own home, and guests begin none") func setups() async throws {
      try await Self.withCabin { bench, app, served, cabin in
        let ben = try await Self.user("Ben", "guest", served, app)
        let cleo = try await Self.user("Cleo", "administrator", served, app)
        #expect(try await served.refusal("POST", "/v1/homes/setups", "{}", token: ben).hasPrefix("403"))
        let setup = try await served.node("POST", "/v1/homes/setups", "{}", token: cleo)
        #expect(setup["step"]?.stringValue == "code" && setup["canGoBack"]?.boolValue == false)
        let id = try #require(setup["id"]?.stringValue)
        // Changes of another home do not reach it, and it does not exist for others.
        try await app.perform(.addRoom(home: cabin.id, name: "Hall"))
        await bench.settle()
        #expect(try await served.refusal("GET", "/v1/homes/setups/\(id)").hasPrefix("404"))
        // It ends with its user.
        let user = try #require(app.home.users.last?.id)
        try await served.node("POST", "/v1/homes/commands", #"{"command": "remove-user", "user": "\#(user)"}"#)
        await bench.settle(.seconds(1))
        #expect(await served.setupCount == 0)
      }
    }

    @Test("An administrator changes the home, but not its users, and no other home") func administrator() async throws {
      try await withAPI { bench, app, served in
        let cleo = try await Self.user("Cleo", "administrator", served, app)
        try await served.node("POST", "/v1/homes", #"{"name": "Cabin", "timeZone": "UTC", "owner": "Ann"}"#)
        await bench.settle()
        let cabin = try #require(app.model.homes.last)
        #expect(try await served.node("GET", "/v1/homes", token: cleo)["homes"]?.elements?.count == 1)
        #expect(try await served.refusal("GET", "/v1/homes/Cabin", token: cleo).hasPrefix("404"))
        try await served.node(
          "POST", "/v1/homes/commands", #"{"command": "add-room", "home": "\#(app.home.id)", "name": "Hall"}"#,
          token: cleo)
        for body in [
          #"{"command": "add-room", "home": "\#(cabin.id)", "name": "Hall"}"#,
          #"{"command": "add-user", "home": "\#(app.home.id)", "name": "Dan", "role": "guest"}"#,
          #"{"command": "rename", "object": "\#(cabin.id)", "name": "Hut"}"#,
        ] {
          let refusal = try await served.refusal("POST", "/v1/homes/commands", body, token: cleo)
          #expect(refusal.hasPrefix("403 insufficient-privileges 17"), "\(body): \(refusal)")
        }
        // The events of another home are not reported.
        let (own, all) = (try await served.events(token: cleo), try await served.events())
        #expect(own.count < all.count && !own.contains { "\($0)".contains("Cabin") })
      }
    }

    @Test("A token is valid until it is renewed or its user is removed, also after a restart") func validity()
      async throws
    {
      try await withAPI { bench, app, served in
        let ben = try await Self.user("Ben", "guest", served, app)
        let again = try await served.node("POST", "/v1/homes/Home/users/Ben/token", "{}")["token"]?.stringValue
        #expect(again == ben && served.revocations.withLock { $0 } == 0)
        let renewed = try await served.node("POST", "/v1/homes/Home/users/Ben/token", #"{"renew": true}"#)["token"]
        let new = try #require(renewed?.stringValue)
        #expect(new != ben && served.revocations.withLock { $0 } == 1)
        #expect(try await served.refusal("GET", "/v1/homes", token: ben).hasPrefix("401 wrong-token"))
        #expect(try await served.refusal("GET", "/v1/homes", token: "").hasPrefix("401 wrong-token"))
        let owner = served.owner
        let user = try #require(app.home.users.last { $0.name == "Ben" })
        await served.api.close()
        bench.kill()
        try await bench.start()
        let later = try await ServedHomeAPI(bench.hub)
        #expect(later.owner == owner)
        #expect(try await later.node("GET", "/v1/homes", token: new)["homes"]?.elements?.count == 1)
        try await later.node("POST", "/v1/homes/commands", #"{"command": "remove-user", "user": "\#(user.id)"}"#)
        await bench.settle()
        #expect(later.revocations.withLock { $0 } == 1)
        #expect(try await later.refusal("GET", "/v1/homes", token: new).hasPrefix("401 wrong-token"))
        await later.api.close()
        bench.kill()
        try await bench.start()
        let (gone, kept) = (await bench.hub.holder(ofToken: new), await bench.hub.holder(ofToken: owner))
        #expect(gone == nil && kept == .owner)
      }
    }

    /// What users may send, by role. A request that is not listed is for the owner of the hub.
    private static let permitted: [HubRequestName: HomeUser.Role] = [
      .attach: .guest, .unsubscribe: .guest, .endSearch: .guest, .execute: .guest, .write: .guest, .read: .guest,
      .subscribe: .guest, .identify: .guest, .explain: .guest,
      .perform: .administrator, .place: .administrator, .fire: .administrator, .authorize: .administrator,
      .search: .administrator, .identifyNew: .administrator,
      .add: .administrator, .remove: .administrator,
    ]

    @Test("Each request has a role that may send it", arguments: HubRequestName.allCases)
    func roles(_ name: HubRequestName) async throws {
      try await withAPI { bench, app, served in
        _ = try await Self.user("Ben", "guest", served, app)
        _ = try await Self.user("Cleo", "administrator", served, app)
        await bench.settle()
        let home = app.home
        try await app.addSet("Evening", [])
        try await app.perform(
          .addTrigger(
            home: home.id, name: "dusk",
            .event(EventTrigger(events: [.characteristic(try app.id("Lamp 1", .on), equals: nil)]))))
        let trigger = try app.trigger("dusk").id
        let (on, lamp) = (try app.id("Lamp 1", .on), try app.accessory("Lamp 1").id)
        let request: HubRequest =
          switch name {
          case .attach: .attach(app: "x")
          case .perform: .perform(.addRoom(home: home.id, name: "Hall"))
          case .execute: .execute([try app.set("Good Night")])
          case .write: .write(home: home.id, [HomeAction(on, .bool(true))])
          case .read: .read([on])
          case .subscribe: .subscribe([on])
          case .unsubscribe: .unsubscribe([on])
          case .fire: .fire(trigger)
          case .explain: .explain(trigger)
          case .place: .place(PersonState(home.users[0].id, .home))
          case .authorize: .authorize(on, nil)
          case .identify: .identify(lamp)
          case .search: .search
          case .endSearch: .endSearch
          case .identifyNew: .identifyNew(Script.id(1))
          case .add: .add(AccessoryAddition(home: home.id, device: Script.id(1), code: "1"))
          case .adopt:
            .adopt(
              PairingAdoption(
                home: home.id, device: Script.id(9), accessoryKey: [], controllerID: "", controllerSeed: [],
                addresses: []))
          case .remove: .remove(lamp, forgets: false)
          case .drop: .drop(Script.id(9))
          case .requestShare: .requestShare(name: "Ben")
          case .share: .share(HomeSharing(home: home.id, request: "", role: .guest))
          case .renewShare: .renewShare(user: home.users[1].id)
          case .acceptShare: .acceptShare("")
          case .pageToken: .pageToken(user: nil, renews: false)
          case .status: .status
          case .stop: .stop
          }
        #expect(request.name == name)
        for user in home.users.dropFirst() {
          let needed = Self.permitted[name]
          let isPermitted = needed == .guest || needed == user.role
          let isRefused = await bench.hub.refuses(request, of: user.id)
          #expect(isRefused == !isPermitted, "\(name.rawValue) by \(user.role)")
        }
      }
    }
  }

  extension HomeHub {
    /// Whether the privileges of a user do not permit a request.
    /// - Parameter code: of the error; nil: any.
    fileprivate func refuses(
      _ request: HubRequest, of user: HomeObjectID, with code: HomeError.Code? = .insufficientPrivileges
    ) -> Bool {
      do throws(HomeError) {
        try checkPrivileges(request, user)
        return false
      } catch { return code == nil || error.code == code }
    }
  }
#endif
