import FuzzSupport
import HAPAttributes
import HAPCrypto
import HAPModel
import HAPProfile
import HAPTestSupport

/// An accessory, several controllers and a program: each step is a correct, faulty or late action. After each step the invariants of the
/// accessory must hold, and at the end it serves its admin normally.
package func fuzzConnection(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  let isPaired = !program.isSet()
  var home = FuzzedHome(isPaired: isPaired, quirks: quirks(of: &program))
  var steps = 0
  while !program.isAtEnd, steps < 200 {
    home.step(&program)
    home.check()
    steps += 1
  }
  home.finish()
}

/// Returns the default quirks, a preset, or either with some fields changed.
private func quirks(of program: inout ByteProgram) -> Quirks {
  let presets = Quirks.presets.keys
  let choice = program.number(below: presets.count * 2 + 2)
  var quirks = choice / 2 == 0 ? Quirks() : Quirks.presets[presets[choice / 2 - 1]] ?? Quirks()
  guard choice % 2 == 1 else { return quirks }
  for _ in 0..<program.number(below: 9) {
    let field = QuirksField.all[program.number(below: QuirksField.all.count)]
    let byte = Int(program.byte())
    switch field.kind {
    case .boolean: _ = field.apply(.boolean(byte & 1 == 1), to: &quirks)
    case .integer: _ = field.apply(.integer(byte), to: &quirks)
    case .fraction: _ = field.apply(.fraction(Double(byte) / 512), to: &quirks)
    case .choice(let words): _ = field.apply(.text(words[byte % words.count]), to: &quirks)
    case .duration: _ = field.apply(.text("\(byte)ms"), to: &quirks)
    case .answer: _ = field.apply(.text("\(200 + byte)\(byte & 1 == 1 ? " close" : "")"), to: &quirks)
    case .status: _ = field.apply(.integer(-70401 - byte % 12), to: &quirks)
    case .types: _ = field.apply(.list(byte & 1 == 1 ? ["8", "25"] : []), to: &quirks)
    }
  }
  return quirks
}

private struct FuzzedHome {
  let accessory: MemoryAccessory
  private var controllers: [MemoryController] = []
  /// Pair Setups that have received M2, by controller.
  private var setups: [ObjectIdentifier: MemoryController.Setup] = [:]
  private var setupCount = 0
  private let device = FuzzedDevice()
  private var configuration: UInt16 = 1

  private static let ids: [String] = [
    TestHome.ID.on, TestHome.ID.brightness, TestHome.ID.hue, TestHome.ID.colour, TestHome.ID.text, TestHome.ID.data,
    TestHome.ID.big, TestHome.ID.listed, TestHome.ID.writeOnly, TestHome.ID.readOnly, TestHome.ID.button,
    TestHome.ID.motion, TestHome.ID.bridgedOn, TestHome.ID.identify, "9.9", "1.1",
  ]
  private static let values: [String] = [
    "true", "0", "1", "50", "-1", "1.5", "1e400", #""AQI=""#, #""text""#, "null", "[]", "18446744073709551616",
  ]
  private static let identities = [TestHome.admin, TestHome.secondAdmin, TestHome.user, TestHome.stranger]

  init(isPaired: Bool, quirks: Quirks) {
    accessory = TestHome.accessory(pairings: isPaired ? TestHome.pairings : [], quirks: quirks)
  }

  // MARK: Steps

  mutating func step(_ program: inout ByteProgram) {
    let action = program.number(below: 24)
    if action == 0 { return connect(program.number(below: Self.identities.count)) }
    if action == 1 {
      accessory.advance(.milliseconds(Int(program.byte()) * (program.isSet() ? 250 : 1)))
      return
    }
    if action == 2 { return changeDevice(&program) }
    if action == 3 { return hold(&program) }
    guard !controllers.isEmpty else { return connect(0) }
    let controller = controllers[program.number(below: controllers.count)]
    switch action {
    case 4:
      accessory.disconnect(controller)
      controllers.removeAll { $0 === controller }
    case 5, 6: if !controller.isSecured, !controller.isClosed { _ = controller.verify() }
    case 7: controller.sendRaw(program.piece())
    case 8:
      if controller.isSecured { controller.sendRaw(controller.frames(program.piece(), size: 1 + Int(program.byte()))) }
    case 9: controller.segmentSize = program.isSet() ? 1 + Int(program.byte()) : nil
    case 10: _ = controller.get("/accessories")
    case 11: _ = controller.get("/characteristics?id=" + String(decoding: program.piece(), as: UTF8.self))
    case 12: _ = controller.exchange("PUT", "/characteristics", body: program.piece())
    case 13: _ = controller.put(#"{"characteristics":["# + entries(&program) + "]}")
    case 14: prepareAndWrite(controller, &program)
    case 15: _ = controller.exchange("POST", "/pairings", body: program.piece(), type: "application/pairing+tlv8")
    case 16: pairings(controller, &program)
    case 17: _ = controller.exchange("POST", "/pair-setup", body: program.piece(), type: "application/pairing+tlv8")
    case 18: setup(controller, &program)
    case 19: _ = controller.exchange("POST", "/pair-verify", body: program.piece(), type: "application/pairing+tlv8")
    case 20:
      let targets = ["/resource", "/secure-message", "/identify", "/configured", "/prepare"]
      let target = targets[program.number(below: targets.count)]
      _ = controller.exchange(
        program.isSet() ? "PUT" : "POST", target, body: program.piece(), type: "application/octet-stream")
    case 21: _ = controller.get("/characteristics?id=" + readIDs(&program) + (program.isSet() ? "&ev=1&meta=1" : ""))
    case 22: controller.send(MemoryController.request("GET", "/accessories") + program.piece())
    default: if controller.isSecured { breakFrame(controller, &program) }
    }
  }

  private mutating func connect(_ identity: Int) {
    guard controllers.count < 24, let controller = accessory.connect(Self.identities[identity]) else { return }
    controllers.append(controller)
  }

  private mutating func changeDevice(_ program: inout ByteProgram) {
    switch program.number(below: 6) {
    case 0: accessory.change(TestHome.id(TestHome.ID.brightness), to: .integer(Int128(program.number(below: 101))))
    case 1:
      // Adds or removes the service of the button.
      let button = TestHome.id(TestHome.ID.button)
      if accessory.core.attributes.database[button] != nil {
        accessory.change(button, to: .integer(Int128(program.number(below: 3))))
      }
    case 2: accessory.core.attributes.setLive([TestHome.id(TestHome.ID.brightness), TestHome.id(TestHome.ID.hue)])
    case 3:
      for (ids, ticket) in accessory.reads.suffix(4) {
        for id in ids { accessory.answer(id, program.isSet() ? .success(7) : .failure(.busy), ticket: ticket) }
      }
    case 4:
      accessory.core.attributes.writer = program.isSet() ? device : nil
      device.choice = program.byte()
      for number in device.takeNumbers() { accessory.judge(number, program.isSet() ? .accepted() : .refused(.busy)) }
    default:
      configuration &+= 1
      if configuration == 0 { configuration = 1 }
      // The light always exists; other services may be removed.
      var accessories = TestHome.accessories
      if program.isSet() { accessories[0].services.removeAll { $0.iid >= 40 && $0.iid < 60 } }
      if program.isSet() { accessories.removeLast() }
      guard (try? accessory.replace(accessories, configurationNumber: configuration)) != nil else {
        fatalError("the home is invalid")
      }
    }
  }

  private mutating func hold(_ program: inout ByteProgram) {
    switch program.number(below: 6) {
    case 0: accessory.storing = .held
    case 1: accessory.storing = .failing
    case 2: accessory.computing = .held
    case 3: accessory.releaseStores(succeeded: program.isSet())
    case 4: accessory.releaseWork()
    default:
      accessory.storing = .atOnce
      accessory.computing = .atOnce
    }
  }

  private func entries(_ program: inout ByteProgram) -> String {
    (0...program.number(below: 4)).map { _ in
      let id = Self.ids[program.number(below: Self.ids.count)]
      let members = program.byte()
      let value = members & 1 != 0 ? Self.values[program.number(below: Self.values.count)] : nil
      let ev = members & 2 != 0 ? (members & 4 != 0 ? "true" : "false") : nil
      let response = members & 8 != 0 ? #","r":true"# : ""
      return "{" + MemoryController.entry(id, value: value, ev: ev) + response + "}"
    }.joined(separator: ",")
  }

  private func readIDs(_ program: inout ByteProgram) -> String {
    (0...program.number(below: 6)).map { _ in Self.ids[program.number(below: Self.ids.count)] }.joined(separator: ",")
  }

  private func prepareAndWrite(_ controller: MemoryController, _ program: inout ByteProgram) {
    let pid = program.number(below: 4)
    let ttl = [1, 100, 10_000, 1 << 53][program.number(below: 4)]
    _ = controller.exchange("PUT", "/prepare", body: Array(#"{"ttl":\#(ttl),"pid":\#(pid)}"#.utf8))
    if program.isSet() { accessory.advance(.milliseconds(Int(program.byte()))) }
    _ = controller.put(#"{"characteristics":[\#(entries(&program))],"pid":\#(program.number(below: 4))}"#)
  }

  private func pairings(_ controller: MemoryController, _ program: inout ByteProgram) {
    let who = program.byte()
    let identity = ControllerIdentity(UInt64(who % 40))
    var items: [(UInt8, [UInt8])] = [(6, [1])]
    switch program.number(below: 3) {
    case 0: items += [(0, [3]), (1, identity.identifier), (3, identity.key.publicKey), (0x0B, [program.byte() & 3])]
    case 1: items += [(0, [4]), (1, identity.identifier)]
    default: items += [(0, [5])]
    }
    _ = controller.post("/pairings", PlainTLV(items))
  }

  /// Runs a Pair Setup message by message, with a random fault. It is rare, because it is expensive.
  private mutating func setup(_ controller: MemoryController, _ program: inout ByteProgram) {
    let key = ObjectIdentifier(controller)
    let isBroken = program.byte() & 7 == 0
    guard let setup = setups[key] else {
      guard setupCount < 3 else { return }
      setupCount += 1
      let flags: [(UInt8, [UInt8])] = program.byte() & 7 == 0 ? [(0x13, [0x10])] : []
      let m1 = PlainTLV([(6, [1]), (0, [0])] + flags)
      setups[key] = controller.readSetupM2(
        controller.post("/pair-setup", m1), code: isBroken ? "111-22-333" : TestHome.code)
      return
    }
    let isThird = program.isSet()
    var message = isThird ? setup.m3 : controller.m5(setup)
    if isBroken, !message.items.isEmpty {
      let index = program.number(below: message.items.count)
      message.items[index].value = program.piece()
    }
    _ = controller.post("/pair-setup", message)
    if !isThird { setups[key] = nil }
  }

  private func breakFrame(_ controller: MemoryController, _ program: inout ByteProgram) {
    var frame = controller.frame(MemoryController.request("GET", "/accessories"))
    let place = program.number(below: min(256, frame.count))
    frame[place] ^= program.byte()
    controller.sendRaw(frame)
  }

  // MARK: Invariants

  mutating func check() {
    let core = accessory.core
    require(core.slots.takenCount <= core.quirks.maximumSessions, "\(core.slots.takenCount) slots")
    let sessions = core.connections.count { $0.isSecured }
    require(sessions <= core.quirks.maximumSessions, "\(sessions) sessions")
    // Silent connections, and connections that send a long first body, hold no slot, but every connection is in one of the three lists.
    let slots = core.slots
    let listed = slots.takenCount + slots.waitingCount + slots.sendingCount
    require(core.connections.count == listed, "a connection is in no list")
    let freeSlots = core.quirks.maximumSessions - slots.takenCount
    require(slots.sendingCount <= max(8, freeSlots), "\(slots.sendingCount) with a long first body")
    require(core.slots.waitingCount <= core.slots.waitingLimit, "\(core.slots.waitingCount) waiting")
    // The initial pairings exist whatever the limit.
    let limit = max(core.pairingServer.quirks.maximumPairings, TestHome.pairings.count)
    require(core.pairings.count <= limit, "\(core.pairings.count) pairings")
    require(accessory.mostUnsent < 1 << 20, "\(accessory.mostUnsent) bytes unsent")
    require(Set(core.pairings.map(\.identifier)).count == core.pairings.count, "duplicate pairings")
    for controller in controllers {
      require(!controller.sawBadFrame, "the accessory sent a frame that cannot be opened")
      guard !controller.isSecured else { continue }
      for message in controller.messages {
        require(!message.isEvent, "an event in plain text")
        require(
          message.type != "application/hap+json" || message.status >= 400,
          "answered in plain text: \(message.startLine)")
      }
    }
    controllers.removeAll { $0.isClosed }
  }

  /// Checks that a paired controller is served normally, and that Pair Setup is not blocked permanently.
  mutating func finish() {
    accessory.storing = .atOnce
    accessory.computing = .atOnce
    accessory.releaseWork()
    accessory.releaseStores()
    accessory.core.attributes.setLive([])
    accessory.core.attributes.writer = nil
    for controller in controllers { accessory.disconnect(controller) }
    controllers = []
    require(accessory.core.connections.isEmpty, "connections are left")
    accessory.advance(.seconds(60))
    let admin = TestHome.pairing(TestHome.admin, isAdmin: true)
    guard accessory.core.pairings.contains(admin) else { return }
    guard let controller = accessory.connect(TestHome.admin) else { fatalError("no connection is free") }
    require(controller.verify() == nil, "the admin can't verify")
    require(controller.get("/characteristics?id=1.11")?.status == 200, "the admin can't read")
    let reply = controller.set("1.12", "33")
    require(
      reply?.status == 204,
      "the admin can't write: \(reply?.startLine ?? "no answer") \(reply?.text ?? ""), \(accessory.core.quirks)")
  }
}

/// Accepts, refuses or postpones writes according to the program.
private final class FuzzedDevice: CharacteristicWriter {
  var choice: UInt8 = 0
  private var numbers: [UInt64] = []

  func takeNumbers() -> [UInt64] {
    defer { numbers = [] }
    return numbers
  }

  func judge(_ write: CharacteristicWrite) -> WriteVerdict {
    switch choice % 3 {
    case 0: return .accepted()
    case 1: return .refused(.notAllowedInCurrentState)
    default:
      numbers.append(write.number)
      return .later
    }
  }
}
