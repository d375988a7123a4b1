import HAPCrypto
import HAPModel
import HAPProfile
import HAPTestSupport

/// A controller's visit to an accessory that exercises each difference between stacks. Its transcript is the same for
/// accessories with the same quirks.
struct QuirksTour {
  private(set) var seen: [String] = []
  private let quirks: Quirks

  /// - Returns: one line for each observed answer or action of the accessory.
  static func transcript(_ quirks: Quirks) -> [String] {
    var tour = QuirksTour(quirks: quirks)
    tour.visitUnpaired()
    tour.takeOver()
    tour.tryWrongCode()
    tour.tryTransient()
    tour.tryMethod1()
    tour.visitPlain()
    tour.knock()
    tour.ask()
    tour.write()
    tour.writeTimed()
    tour.waitForDevice()
    tour.listen()
    tour.managePairings()
    tour.crowd()
    return tour.seen
  }

  private init(quirks: Quirks) { self.quirks = quirks }

  private func home(pairings: [Pairing] = TestHome.pairings) -> MemoryAccessory {
    TestHome.accessory(pairings: pairings, quirks: quirks)
  }

  // MARK: Observations

  private mutating func note(_ what: String, _ message: AccessoryMessage?, _ controller: MemoryController) {
    var line = "\(what): "
    if let message {
      line += message.startLine
      if let chunked = message.field("transfer-encoding") { line += " \(chunked)" }
      if let tlv = message.tlv, message.type == "application/pairing+tlv8" {
        // Keys and signatures differ in each run.
        line += " " + tlv.items.map { "\($0.type)" + ($0.value.count < 3 ? "=\($0.value)" : "") }.joined(separator: " ")
      } else {
        line += " " + message.text
      }
    } else {
      line += "nothing"
    }
    if controller.isClosed { line += " closed" }
    seen.append(line)
  }

  private mutating func note(_ what: String, events of: MemoryController) {
    let events = of.takeEvents()
    seen.append("\(what): \(events.count) events " + events.map(\.text).joined(separator: " "))
  }

  private func post(_ items: [(UInt8, [UInt8])], _ controller: MemoryController, to target: String)
    -> AccessoryMessage?
  {
    controller.post(target, PlainTLV(items))
  }

  // MARK: Pair Setup and Pair Verify

  private mutating func visitUnpaired() {
    let accessory = home(pairings: [])
    let first = accessory.unverified()
    note("identify", first.exchange("POST", "/identify"), first)
    note("verify unpaired", first.post("/pair-verify", first.startVerify().m1), first)
    let early = accessory.unverified()
    note("M3 first", post([(6, [3])], early, to: "/pair-setup"), early)
    let m2 = first.post("/pair-setup", MemoryController.setupM1)
    note("M1", m2, first)
    guard let setup = first.readSetupM2(m2, code: TestHome.code) else { return seen.append("no M2") }
    let second = accessory.unverified(TestHome.user)
    note("second M1", second.post("/pair-setup", MemoryController.setupM1), second)
    accessory.advance(.seconds(20))
    note("second M1 after 20 s", second.post("/pair-setup", MemoryController.setupM1), second)
    accessory.disconnect(second)
    note("M3", first.post("/pair-setup", setup.m3), first)
    var m5 = first.m5(setup)
    m5.items[1].value[0] ^= 1
    note("broken M5", first.post("/pair-setup", m5), first)
    seen.append("advertised \(accessory.core.advertisement.txt.map { "\($0.key)=\($0.value)" })")
  }

  private mutating func takeOver() {
    let accessory = home(pairings: [])
    let (first, second) = (accessory.unverified(), accessory.unverified(TestHome.user))
    guard let setup = first.readSetupM2(first.post("/pair-setup", MemoryController.setupM1), code: TestHome.code) else {
      return seen.append("no M2")
    }
    accessory.advance(.seconds(20))
    note("M3 after 20 s", first.post("/pair-setup", setup.m3), first)
    accessory.advance(.seconds(15))
    note("second M1 after 35 s", second.post("/pair-setup", MemoryController.setupM1), second)
    accessory.disconnect(second)
    note("wrong signature", first.post("/pair-setup", first.m5(setup, breaksSignature: true)), first)
  }

  private mutating func tryWrongCode() {
    let accessory = home(pairings: [])
    for code in ["111-22-333", "111-22-334", TestHome.code] {
      let controller = accessory.unverified()
      let m2 = controller.post("/pair-setup", MemoryController.setupM1)
      note("M1 \(code)", m2, controller)
      guard let setup = controller.readSetupM2(m2, code: code) else { continue }
      note("M3 \(code)", controller.post("/pair-setup", setup.m3), controller)
      accessory.disconnect(controller)
    }
    seen.append("stored \(accessory.stored)")
  }

  private mutating func tryTransient() {
    let accessory = home(pairings: [])
    let controller = accessory.unverified()
    let m1 = PlainTLV([(6, [1]), (0, [0]), (0x13, [0x10])])
    let m2 = controller.post("/pair-setup", m1)
    guard let setup = controller.readSetupM2(m2, code: TestHome.code) else { return seen.append("no M2") }
    note("transient M3", controller.post("/pair-setup", setup.m3), controller)
    note("transient M5", controller.post("/pair-setup", controller.m5(setup)), controller)
  }

  private mutating func tryMethod1() {
    let accessory = home(pairings: [])
    let controller = accessory.unverified()
    let m2 = controller.post("/pair-setup", PlainTLV([(6, [1]), (0, [1])]))
    note("M1 with method 1", m2, controller)
    guard let setup = controller.readSetupM2(m2, code: TestHome.code) else { return }
    note("M3 with method 1", controller.post("/pair-setup", setup.m3), controller)
  }

  private mutating func visitPlain() {
    let accessory = home()
    for (method, target) in [
      ("GET", "/accessories"), ("GET", "/nothing"), ("POST", "/accessories"), ("POST", "/resource"),
      ("POST", "/identify"),
    ] {
      let controller = accessory.unverified()
      note(
        "plain \(method) \(target)", controller.exchange(method, target, body: method == "GET" ? nil : []), controller)
      accessory.disconnect(controller)
    }
    let controller = accessory.unverified()
    var m1 = controller.startVerify().m1
    m1.items.append(PlainTLV.Item(0, [0]))
    note("verify with a method", controller.post("/pair-verify", m1), controller)
  }

  // MARK: HTTP

  private mutating func knock() {
    let requests: [(String, String)] = [
      ("unknown", "GET /nothing HTTP/1.1\r\n\r\n"),
      ("wrong method", "POST /accessories HTTP/1.1\r\nContent-Length: 0\r\n\r\n"),
      (
        "malformed body",
        "PUT /characteristics HTTP/1.1\r\nContent-Type: application/hap+json\r\nContent-Length: 1\r\n\r\n{"
      ),
      ("empty query", "GET /characteristics?id= HTTP/1.1\r\n\r\n"),
      ("resource", "POST /resource HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"),
      ("empty prepare", "PUT /prepare HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"),
      ("malformed prepare", "PUT /prepare HTTP/1.1\r\nContent-Length: 1\r\n\r\n{"),
      ("no query", "GET /characteristics HTTP/1.1\r\n\r\n"),
      ("lower case", "put /x HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}"),
      (
        "lower-case names",
        "PUT /characteristics HTTP/1.1\r\ncontent-type: application/hap+json\r\ncontent-length: 2\r\n\r\n{}"
      ),
      (
        "chunks",
        "PUT /characteristics HTTP/1.1\r\nContent-Type: application/hap+json\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "2\r\n{}\r\n0\r\n\r\n"
      ),
    ]
    let accessory = home()
    for (name, request) in requests {
      let controller = accessory.verified()
      controller.send(Array(request.utf8))
      note(name, controller.takeReply(), controller)
      accessory.disconnect(controller)
    }
    let controller = accessory.verified()
    controller.sendRaw(
      controller.frame(Array("GET /nothing HTTP/1.1\r\nX: \(String(repeating: "x", count: 1100))\r\n\r\n".utf8)))
    note("long frame", controller.takeReply(), controller)
  }

  // MARK: Reading

  private mutating func ask() {
    let accessory = home()
    let controller = accessory.verified()
    for query in [
      "id=1.11", "id=1.11&x=1", "id=1.11&type=true", "id=1.11&type=1", "id=1.11&type=0", "id=9.9,1.12", "id=1.99",
      "id=1.12,1.12",
      "id=1.29",
    ] {
      note("read \(query)", controller.get("/characteristics?\(query)"), controller)
    }
    note("accessories", controller.get("/accessories"), controller)
  }

  // MARK: Writing

  private mutating func write() {
    let accessory = home()
    let controller = accessory.verified()
    note("no entry", controller.put(#"{"characteristics":[]}"#), controller)
    let entries: [(String, String)] = [
      ("one fails", #"{"aid":1,"iid":11,"value":1},{"aid":1,"iid":36,"value":"x"}"#),
      ("twice", #"{"aid":1,"iid":11,"value":1},{"aid":1,"iid":11,"value":0}"#),
      ("unknown", #"{"aid":1,"iid":99,"value":1}"#),
      ("idle", #"{"aid":1,"iid":12}"#),
      ("too much", #"{"aid":1,"iid":12,"value":101}"#),
      ("off the step", #"{"aid":1,"iid":14,"value":141}"#),
      ("float off the grid", #"{"aid":1,"iid":13,"value":120.2}"#),
      ("not valid", #"{"aid":1,"iid":27,"value":2}"#),
      ("boolean", #"{"aid":1,"iid":33,"value":true}"#),
      ("whole", #"{"aid":1,"iid":12,"value":7.0}"#),
      ("fraction", #"{"aid":1,"iid":12,"value":7.5}"#),
      ("text", #"{"aid":1,"iid":12,"value":"seven"}"#),
      ("null", #"{"aid":1,"iid":12,"value":null}"#),
      ("response", #"{"aid":1,"iid":12,"value":8,"r":true}"#),
      ("subscribe", #"{"aid":1,"iid":37,"ev":true}"#),
    ]
    for (name, entry) in entries {
      note("write \(name)", controller.put(#"{"characteristics":[\#(entry)]}"#), controller)
    }
    note("read back", controller.get("/characteristics?id=1.12,1.13,1.14,1.27,1.33"), controller)
  }

  private mutating func writeTimed() {
    var accessories = TestHome.accessories
    accessories[0].services[1].characteristics[0].perms.insert(.timedWrite)
    let accessory = TestHome.accessory(accessories: accessories, quirks: quirks)
    let (one, other) = (accessory.verified(), accessory.verified(TestHome.secondAdmin))
    func prepare(_ pid: Int, _ controller: MemoryController) {
      _ = controller.exchange("PUT", "/prepare", body: Array(#"{"ttl":1000,"pid":\#(pid)}"#.utf8))
    }
    func spend(_ pid: Int) -> String { #"{"characteristics":[{"aid":1,"iid":11,"value":1}],"pid":\#(pid)}"# }
    note("unprepared", one.set("1.11", "1"), one)
    prepare(1, one)
    note("other's", other.put(spend(1)), other)
    prepare(2, one)
    note("wrong", one.put(spend(3)), one)
    note("right after wrong", one.put(spend(2)), one)
    prepare(4, one)
    prepare(5, one)
    note("earlier", one.put(spend(4)), one)
    note("unknown pid", one.put(#"{"characteristics":[{"aid":1,"iid":12,"value":7}],"pid":9}"#), one)
  }

  private mutating func waitForDevice() {
    let accessory = home()
    accessory.core.attributes.setLive([TestHome.id(TestHome.ID.brightness)])
    let controller = accessory.verified()
    controller.send(MemoryController.request("GET", "/characteristics?id=1.12"))
    accessory.advance(.seconds(9))
    note("slow", controller.takeReply(), controller)
  }

  // MARK: Events

  private mutating func listen() {
    let accessory = home()
    let (one, other) = (accessory.verified(), accessory.verified(TestHome.user))
    let ids = [TestHome.ID.on, TestHome.ID.brightness, TestHome.ID.motion, TestHome.ID.button]
    for id in ids { _ = one.subscribe(id) }
    accessory.change(TestHome.id(TestHome.ID.motion), to: .bool(true))
    note("motion at once", events: one)
    accessory.change(TestHome.id(TestHome.ID.brightness), to: 1)
    accessory.advance(.milliseconds(10))
    accessory.change(TestHome.id(TestHome.ID.brightness), to: 2)
    accessory.change(TestHome.id(TestHome.ID.brightness), to: 3)
    note("brightness at once", events: one)
    accessory.advance(.milliseconds(250))
    note("brightness after 260 ms", events: one)
    accessory.advance(.seconds(5))
    note("brightness later", events: one)
    accessory.change(TestHome.id(TestHome.ID.brightness), to: 3)
    accessory.advance(.seconds(5))
    note("unchanged", events: one)
    _ = one.set("1.11", "1")
    accessory.advance(.seconds(5))
    note("own write", events: one)
    _ = other.set("1.11", "0")
    accessory.advance(.seconds(5))
    note("other's write", events: one)
    accessory.change(TestHome.id(TestHome.ID.brightness), to: 9)
    note("at once after a pause", events: one)
  }

  // MARK: Pairings

  private mutating func managePairings() {
    let accessory = home()
    let admin = accessory.verified()
    let user = accessory.verified(TestHome.user)
    let list: [(UInt8, [UInt8])] = [(6, [1]), (0, [5])]
    note("list", post(list, admin, to: "/pairings"), admin)
    note("user's list", post(list, user, to: "/pairings"), user)
    let id = TestHome.secondAdmin.identifier
    func add(_ id: [UInt8], _ key: [UInt8], _ permissions: UInt8) -> [(UInt8, [UInt8])] {
      [(6, [1]), (0, [3]), (1, id), (3, key), (0x0B, [permissions])]
    }
    note("another key", post(add(id, TestHome.stranger.key.publicKey, 1), admin, to: "/pairings"), admin)
    note("remove unknown", post([(6, [1]), (0, [4]), (1, [1, 2, 3])], admin, to: "/pairings"), admin)
    for number in 50..<54 {
      let one = ControllerIdentity(UInt64(number))
      note("add \(number)", post(add(one.identifier, one.key.publicKey, 0), admin, to: "/pairings"), admin)
    }
    note("remove user", post([(6, [1]), (0, [4]), (1, TestHome.user.identifier)], admin, to: "/pairings"), admin)
    note("removed user's read", user.isClosed ? nil : user.get("/characteristics?id=1.11"), user)
    _ = post([(6, [1]), (0, [4]), (1, id)], admin, to: "/pairings")
    note(
      "demotion", post(add(TestHome.admin.identifier, TestHome.admin.key.publicKey, 0), admin, to: "/pairings"), admin)
    seen.append("left \(accessory.core.pairings.count)")
    let records = accessory.advertised.map(\.record)
    seen.append(
      "advertised \(records.map { record in record.txt.map { "\($0.key)=\($0.value)" }.joined(separator: " ") })")
  }

  // MARK: Sessions

  private mutating func crowd() {
    let accessory = home()
    var controllers: [MemoryController] = []
    for number in 0..<18 {
      if number == 2 { accessory.advance(.seconds(40)) }
      guard let controller = accessory.connect(TestHome.admin) else {
        seen.append("no room for \(number)")
        continue
      }
      _ = controller.verify()
      controllers.append(controller)
    }
    seen.append("open \(controllers.map(\.isClosed))")
  }
}
