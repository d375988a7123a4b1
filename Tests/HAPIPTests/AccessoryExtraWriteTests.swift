import HAPAttributes
import HAPIP
import HAPModel
import HAPTestSupport
import Testing

/// Timed writes, write responses, additional authorization, admin-only characteristics, `/resource` and `/secure-message`.
@Suite("Accessory: special writes and resources") struct AccessoryExtraWriteTests {
  /// 1.10 plain, 1.11 `tw`, 1.12 `wr`, 1.13 read by admins, 1.14 written by admins, 1.15 `tw` and `ev`.
  private let accessory: MemoryAccessory
  private let controller: MemoryController

  init() {
    func number(_ iid: UInt64, _ perms: Permissions, adminOnly: Permissions = []) -> Characteristic {
      Characteristic(
        iid: iid, type: TypeID(apple: 0xF000 + UInt32(iid)), format: .uint8, perms: perms, value: .integer(5),
        adminOnly: adminOnly)
    }
    let usual: Permissions = [.pairedRead, .pairedWrite, .events]
    let service = Service(
      iid: 9, type: TypeID(apple: 0xF000),
      characteristics: [
        number(10, usual), number(11, [.pairedRead, .pairedWrite, .timedWrite]),
        number(12, [.pairedRead, .pairedWrite, .writeResponse]), number(13, usual, adminOnly: .pairedRead),
        number(14, usual, adminOnly: .pairedWrite), number(15, usual.union(.timedWrite)),
      ])
    accessory = TestHome.accessory(accessories: [Accessory(aid: 1, services: [service])])
    controller = accessory.verified()
  }

  private func prepare(_ json: String, on controller: MemoryController) -> AccessoryMessage? {
    controller.exchange("PUT", "/prepare", body: Array(json.utf8))
  }

  private func execute(_ iid: Int, _ value: Int, pid: String, on controller: MemoryController) -> AccessoryMessage? {
    controller.put(#"{"characteristics":[{"aid":1,"iid":\#(iid),"value":\#(value)}],"pid":\#(pid)}"#)
  }

  // MARK: Timed writes

  @Test("[HTTP.50, CH.50] A prepared write is executed until its time is over")
  func timed() {
    #expect(prepare(#"{"ttl":2500,"pid":18446744073709551615}"#, on: controller)?.text == #"{"status":0}"#)
    accessory.advance(.milliseconds(2500))
    #expect(execute(11, 7, pid: "18446744073709551615", on: controller)?.status == 204)
    #expect(controller.int("1.11") == 7)
  }

  @Test("[CH.51] A pid that was not prepared, belongs to another session or has expired has no effect")
  func untimely() {
    #expect(execute(10, 7, pid: "1", on: controller)?.statuses == ["1.10": -70410])
    _ = prepare(#"{"ttl":2500,"pid":11}"#, on: controller)
    #expect(execute(11, 7, pid: "12", on: controller)?.statuses == ["1.11": -70410])
    _ = prepare(#"{"ttl":2500,"pid":11}"#, on: controller)
    accessory.advance(.milliseconds(2501))
    #expect(execute(11, 7, pid: "11", on: controller)?.statuses == ["1.11": -70410])
    let other = accessory.verified(TestHome.secondAdmin)
    _ = prepare(#"{"ttl":2500,"pid":11}"#, on: controller)
    #expect(execute(11, 7, pid: "11", on: other)?.statuses == ["1.11": -70410])
    #expect(controller.int("1.11") == 5)
  }

  @Test("[CH.52] A pid is valid once, and a wrong one invalidates it, too")
  func once() {
    _ = prepare(#"{"ttl":2500,"pid":11}"#, on: controller)
    #expect(execute(11, 7, pid: "11", on: controller)?.status == 204)
    #expect(execute(11, 8, pid: "11", on: controller)?.statuses == ["1.11": -70410])
    _ = prepare(#"{"ttl":2500,"pid":11}"#, on: controller)
    _ = execute(11, 8, pid: "99", on: controller)
    #expect(execute(11, 8, pid: "11", on: controller)?.statuses == ["1.11": -70410])
  }

  @Test("[CH.53] A later preparation replaces an earlier one")
  func replaced() {
    _ = prepare(#"{"ttl":2500,"pid":11}"#, on: controller)
    _ = prepare(#"{"ttl":2500,"pid":12}"#, on: controller)
    #expect(execute(11, 8, pid: "12", on: controller)?.status == 204)
    _ = prepare(#"{"ttl":2500,"pid":11}"#, on: controller)
    _ = prepare(#"{"ttl":2500,"pid":12}"#, on: controller)
    #expect(execute(11, 9, pid: "11", on: controller)?.statuses == ["1.11": -70410])
  }

  @Test("[CH.54] A characteristic with tw refuses a plain write, but allows a subscription")
  func plain() {
    #expect(controller.set("1.11", "7")?.statuses == ["1.11": -70410])
    #expect(controller.subscribe("1.15")?.status == 204)
  }

  @Test(
    "[HTTP.51] A malformed preparation is answered 400",
    arguments: [
      "{}", "[]", "", #"{"ttl":1000}"#, #"{"pid":1}"#, #"{"ttl":0,"pid":1}"#, #"{"ttl":-1,"pid":1}"#,
      #"{"ttl":9007199254740992,"pid":1}"#, #"{"ttl":1.5,"pid":1}"#, #"{"ttl":"1000","pid":1}"#,
      #"{"ttl":1000,"pid":-1}"#,
      #"{"ttl":1000,"pid":18446744073709551616}"#, #"{"ttl":1000,"pid":null}"#, #"{"ttl":1,"ttl":1,"pid":1}"#,
      #"{"ttl":1000,"pid":1} x"#,
    ])
  func malformedPreparation(_ json: String) {
    #expect(prepare(json, on: controller)?.status == 400)
    #expect(controller.set("1.10", "6")?.status == 204)
  }

  // MARK: Write response

  @Test("[CH.60] A characteristic with wr returns the written value, or the device's answer")
  func response() {
    let reply = controller.write(#""aid":1,"iid":12,"value":7,"r":true"#)
    #expect(reply?.status == 207)
    #expect(reply?.entry("1.12")?.int("status") == 0)
    #expect(reply?.entry("1.12")?.int("value") == 7)
    let device = Writer { _ in .accepted(response: .integer(99)) }
    accessory.core.attributes.writer = device
    #expect(controller.write(#""aid":1,"iid":12,"value":8,"r":1"#)?.entry("1.12")?.int("value") == 99)
    #expect(controller.int("1.12") == 8)
  }

  @Test("[CH.61, CH.62] Without wr the write is executed and -70405; a failed entry has no value")
  func noResponse() {
    let reply = controller.write(#""aid":1,"iid":10,"value":7,"r":true"#, #""aid":1,"iid":12,"value":999,"r":true"#)
    #expect(reply?.statuses == ["1.10": -70405, "1.12": -70410])
    #expect(reply?.entry("1.12")?["value"] == nil)
    #expect(controller.int("1.10") == 7)
  }

  // MARK: Refusals by the device

  @Test("[CH.70] authData other than base64 is refused")
  func badAuthorization() {
    #expect(controller.write(#""aid":1,"iid":10,"value":7,"authData":"*""#)?.statuses == ["1.10": -70410])
    #expect(controller.int("1.10") == 5)
  }

  @Test("[CH.71] The device gets authData and remote, and may refuse")
  func deviceRefuses() {
    var seen: [CharacteristicWrite] = []
    let device = Writer { write in
      seen.append(write)
      return write.authorization == [1, 2] ? .accepted() : .refused(.insufficientAuthorization)
    }
    accessory.core.attributes.writer = device
    #expect(controller.set("1.10", "7")?.statuses == ["1.10": -70411])
    #expect(controller.int("1.10") == 5)
    #expect(controller.write(#""aid":1,"iid":10,"value":7,"authData":"AQI=","remote":true"#)?.status == 204)
    #expect(controller.int("1.10") == 7)
    #expect(seen.map(\.isRemote) == [false, true])
  }

  // MARK: The order

  /// The errors of an entry, in the order of the checks.
  @Test("[CH.33] For an entry with all errors, the first in HomeKitADK's order is reported")
  func order() {
    func lock(_ iid: UInt64, _ perms: Permissions, adminOnly: Permissions = .pairedWrite) -> Characteristic {
      Characteristic(
        iid: iid, type: TypeID(apple: 0xF000 + UInt32(iid)), format: .uint8, perms: perms, value: .integer(5),
        adminOnly: adminOnly)
    }
    let service = Service(
      iid: 9, type: TypeID(apple: 0xF000),
      characteristics: [
        lock(10, [.pairedRead, .timedWrite]), lock(11, [.pairedRead]), lock(12, [.pairedRead], adminOnly: []),
        lock(13, [.pairedRead, .pairedWrite], adminOnly: []),
      ])
    let accessory = TestHome.accessory(accessories: [Accessory(aid: 1, services: [service])])
    let user = accessory.verified(TestHome.user)
    let rest = #""value":999,"authData":"*""#
    let statuses = [99, 10, 11, 12, 13].map {
      user.write(#""aid":1,"iid":\#($0),\#(rest)"#)?.statuses["1.\($0)"]
    }
    #expect(statuses == [-70409, -70410, -70401, -70404, -70410])
    #expect(user.write(#""aid":1,"iid":13,"value":999,"authData":"AQI=""#)?.statuses == ["1.13": -70410])
    #expect(user.write(#""aid":1,"iid":13,"value":9,"authData":"AQI=""#)?.status == 204)
  }

  // MARK: Admin-only

  @Test("[CH.75] A characteristic that only admins may read is refused to others, and null in their database")
  func adminReads() throws {
    let user = accessory.verified(TestHome.user)
    #expect(user.get("/characteristics?id=1.13,1.10")?.statuses == ["1.13": -70401, "1.10": 0])
    #expect(controller.int("1.13") == 5)
    func listed(_ controller: MemoryController) throws -> String { try #require(controller.get("/accessories")).text }
    #expect(try listed(user).contains(#""value":null"#))
    #expect(try !listed(controller).contains(#""value":null"#))
  }

  @Test("[CH.76] A write by others than admins is refused, and so is a subscription without read access")
  func adminWrites() {
    let user = accessory.verified(TestHome.user)
    #expect(user.set("1.14", "7")?.statuses == ["1.14": -70401])
    #expect(user.subscribe("1.13")?.statuses == ["1.13": -70401])
    #expect(user.set("1.13", "7")?.status == 204)
    #expect(controller.set("1.14", "7")?.status == 204)
    #expect(controller.int("1.14") == 7)
  }

  // MARK: Resources

  @Test("[HTTP.60] Without a camera, /resource doesn't exist")
  func noCamera() {
    let body = Array(#"{"resource-type":"image","image-width":320,"image-height":240}"#.utf8)
    #expect(controller.exchange("POST", "/resource", body: body)?.status == 404)
    #expect(accessory.unverified().exchange("POST", "/resource", body: body)?.status == 470)
  }

  @Test("[HTTP.61] A picture is sent unchanged")
  func picture() {
    let camera = Camera { $0.width == 320 && $0.height == 240 && $0.aid == 4 ? [0xFF, 0xD8, 1] : nil }
    accessory.core.snapshotSource = camera
    func ask(_ json: String) -> AccessoryMessage? { controller.exchange("POST", "/resource", body: Array(json.utf8)) }
    let reply = ask(#"{"resource-type":"image","image-width":320,"image-height":240,"aid":4}"#)
    #expect(reply?.status == 200)
    #expect(reply?.type == "image/jpeg")
    #expect(reply?.body == [0xFF, 0xD8, 1])
    #expect(ask(#"{"resource-type":"image","image-width":320,"image-height":240}"#)?.status == 404)
    for wrong in [
      "", "{}", #"{"resource-type":"sound","image-width":1,"image-height":1}"#, #"{"resource-type":"image"}"#,
      #"{"resource-type":"image","image-width":0,"image-height":1}"#,
      #"{"resource-type":"image","image-width":99999,"image-height":1}"#,
      #"{"resource-type":"image","image-width":1,"image-height":1,"aid":-1}"#,
    ] {
      #expect(ask(wrong)?.status == 400, "\(wrong)")
    }
  }

  @Test("[HTTP.62] A PDU on /secure-message is unsupported, and any other body malformed")
  func secureMessage() {
    func send(_ bytes: [UInt8], type: String = "application/octet-stream") -> AccessoryMessage? {
      controller.exchange("POST", "/secure-message", body: bytes, type: type)
    }
    for pdu in [[0, 1, 0x42, 0, 0], [0, 1, 0x42, 0, 0, 2, 0, 9, 9]] as [[UInt8]] {
      let reply = send(pdu)
      #expect(reply?.status == 200)
      #expect(reply?.type == "application/octet-stream")
      #expect(reply?.body == [2, 0x42, 1])
    }
    for wrong in [[], [0, 1, 2, 0], [0x80, 1, 2, 0, 0], [0, 1, 2, 0, 0, 1], [0, 1, 2, 0, 0, 9, 0, 1]] as [[UInt8]] {
      #expect(send(wrong)?.status == 400, "\(wrong)")
    }
    #expect(send([0, 1, 2, 0, 0], type: "application/hap+json")?.status == 400)
  }
}

private final class Writer: CharacteristicWriter {
  private let verdict: (CharacteristicWrite) -> WriteVerdict
  init(_ verdict: @escaping (CharacteristicWrite) -> WriteVerdict) { self.verdict = verdict }
  func judge(_ write: CharacteristicWrite) -> WriteVerdict { verdict(write) }
}

private final class Camera: SnapshotSource {
  private let make: (SnapshotRequest) -> [UInt8]?
  init(_ make: @escaping (SnapshotRequest) -> [UInt8]?) { self.make = make }
  func snapshot(_ request: SnapshotRequest) -> [UInt8]? { make(request) }
}
