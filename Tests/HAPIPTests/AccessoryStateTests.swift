import HAPModel
import HAPTestSupport
import Testing

/// Tests each state of a connection with each request and each kind of unexpected bytes.
@Suite("Accessory: each input in each state") struct AccessoryStateTests {
  enum State: CaseIterable { case fresh, verifying, refused, settingUp, proved, secured }

  /// A connection in `state`, in addition to a session that must not be affected.
  private func reach(_ state: State) throws -> (MemoryAccessory, MemoryController) {
    let isPairing = state == .settingUp || state == .proved
    let accessory = TestHome.accessory(pairings: isPairing ? [] : TestHome.pairings)
    let controller = accessory.unverified()
    switch state {
    case .fresh: break
    case .verifying:
      #expect(controller.post("/pair-verify", controller.startVerify().m1)?.status == 200)
    case .refused: #expect(controller.get("/accessories")?.status == 470)
    case .settingUp, .proved:
      let m2 = controller.post("/pair-setup", MemoryController.setupM1)
      let setup = try #require(controller.readSetupM2(m2, code: TestHome.code))
      if state == .proved { #expect(controller.post("/pair-setup", setup.m3)?.tlv?[4] != nil) }
    case .secured: #expect(controller.verify() == nil)
    }
    return (accessory, controller)
  }

  struct Wrong: Sendable {
    let method: String, target: String, body: String
    /// The status on a connection that isn't secured, and on a secured one.
    let plain: Int, secured: Int
  }
  static let requests = [
    Wrong(method: "GET", target: "/accessoriesX", body: "", plain: 470, secured: 404),
    Wrong(method: "POST", target: "/accessories", body: "", plain: 470, secured: 405),
    Wrong(method: "GET", target: "/characteristics?id=1", body: "", plain: 470, secured: 400),
    Wrong(method: "PUT", target: "/characteristics", body: "{", plain: 470, secured: 400),
    Wrong(method: "DELETE", target: "/characteristics", body: "", plain: 470, secured: 405),
    Wrong(method: "POST", target: "/pairings", body: "x", plain: 470, secured: 400),
    Wrong(method: "PUT", target: "/pairings", body: "", plain: 470, secured: 405),
    Wrong(method: "GET", target: "/identify", body: "", plain: 405, secured: 405),
    Wrong(method: "GET", target: "/pair-setup", body: "", plain: 405, secured: 405),
    Wrong(method: "POST", target: "/pair-setup", body: "x", plain: 400, secured: 400),
    Wrong(method: "PUT", target: "/pair-verify", body: "", plain: 405, secured: 405),
    Wrong(method: "POST", target: "/pair-verify", body: "{}", plain: 400, secured: 400),
    Wrong(method: "OPTIONS", target: "*", body: "", plain: 470, secured: 404),
  ]

  @Test(
    "[HTTP.3, HTTP.4, HTTP.20, HTTP.21, PS.20, PV.14] A wrong request has its status in each state, and the connection stays open",
    arguments: State.allCases, requests)
  func wrongRequest(_ state: State, _ wrong: Wrong) throws {
    let (accessory, controller) = try reach(state)
    let reply = controller.exchange(wrong.method, wrong.target, body: Array(wrong.body.utf8))
    #expect(reply?.status == (state == .secured ? wrong.secured : wrong.plain))
    #expect(!controller.isClosed)
    #expect(controller.unread == [])
    if state == .secured {
      #expect(controller.get("/accessories")?.status == 200)
    } else if accessory.core.isPaired {
      #expect(controller.verify() == nil)
    } else {
      #expect(controller.pair(code: TestHome.code) == nil)
    }
  }

  @Test(
    "[HTTP.32, SE.5, SE.12, CN.3, CN.4] Unexpected bytes end only their own connection, in each state",
    arguments: State.allCases,
    [
      "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{0}\r\n\r\n", "GET\r\n\r\n",
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\r\n\r\n",
    ])
  func wrongBytes(_ state: State, _ text: String) throws {
    let (accessory, controller) = try reach(state)
    let other = accessory.core.isPaired ? accessory.verified(TestHome.user) : nil
    let before = controller.raw.count
    // A TLS greeting looks like the start of a frame of 790 bytes: only its tag is wrong.
    controller.sendRaw(Array(text.utf8) + [UInt8](repeating: 0, count: state == .secured ? 1100 : 0))
    #expect(controller.isClosed)
    if state == .secured { #expect(controller.raw.count == before) }
    let after = controller.raw.count
    controller.sendRaw(MemoryController.request("GET", "/accessories"))
    #expect(controller.raw.count == after)
    if let other {
      #expect(other.get("/accessories")?.status == 200)
    } else {
      #expect(accessory.unverified().pair(code: TestHome.code) == nil)
    }
  }

  @Test(
    "[HTTP.27, EV.15, CN.5] A connection with a pending answer reads nothing in the meantime, and loses nothing",
    arguments: [true, false])
  func owed(_ goesAway: Bool) {
    let accessory = TestHome.accessory()
    let controller = accessory.verified()
    let watcher = accessory.verified(TestHome.user)
    accessory.storing = .held
    let remove = PlainTLV([(6, [1]), (0, [4]), (1, TestHome.secondAdmin.identifier)])
    controller.send(MemoryController.request("POST", "/pairings", body: remove.encoded))
    controller.send(MemoryController.request("GET", "/characteristics?id=1.12"))
    #expect(controller.set("1.12", "12") == nil)
    #expect(controller.messages.isEmpty)
    #expect(watcher.int("1.12") == 50)
    if goesAway { accessory.disconnect(controller) }
    accessory.releaseStores()
    #expect(controller.messages.map(\.status) == (goesAway ? [] : [200, 200, 204]))
    #expect(watcher.int("1.12") == (goesAway ? 50 : 12))
    #expect(accessory.core.pairings.count == 2)
  }
}
