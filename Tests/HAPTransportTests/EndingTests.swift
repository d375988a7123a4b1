import HAPModel
import HAPTestSupport
import Testing

@testable import HAPTransport

/// The way in which a controller disconnects.
enum Ending: CaseIterable {
  case reset, close, halfClose
}

@Suite("Connections that end at each byte")
struct EndingTests {
  private func leave(_ controller: SocketController, _ ending: Ending) {
    switch ending {
    case .reset: controller.reset()
    case .close: controller.disconnect()
    case .halfClose:
      controller.finishWriting()
      controller.readToEnd()
      #expect(controller.isAtEnd, "the accessory keeps a useless connection")
    }
  }

  /// - Returns: when the home has only the test's own connection.
  private func settle(_ home: ServedHome) {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    while home.connectionCount > 1 { precondition(clock.now < end, "connections are left") }
  }

  @Test(
    "[CN.3, CN.5] Before Pair Verify, such a connection is released completely, and others are served",
    arguments: Ending.allCases)
  func plain(_ ending: Ending) throws {
    let home = try ServedHome()
    let other = try home.verified()
    let m1 = MemoryController(TestHome.admin, random: .seeded(5)).startVerify().m1.encoded
    let request =
      MemoryController.request("POST", "/pair-verify", body: m1, type: "application/pairing+tlv8")
      + MemoryController.request("GET", "/accessories")
    for length in 0...request.count {
      let controller = try home.connect()
      controller.waitsForAnswers = false
      controller.memory.sendRaw(Array(request[..<length]))
      leave(controller, ending)
    }
    settle(home)
    #expect(other.memory.get("/characteristics?id=1.12")?.status == 200)
    #expect(home.connectionCount == 1)
  }

  @Test("[CN.3, CN.5] A sealed write is executed completely or not at all", arguments: Ending.allCases)
  func sealed(_ ending: Ending) throws {
    let home = try ServedHome()
    let other = try home.verified()
    let body = #"{"characteristics":[{"aid":1,"iid":12,"value":77}]}"#
    let request = MemoryController.request("PUT", "/characteristics", body: Array(body.utf8))
    let length = request.count + 18
    for cut in stride(from: 0, through: length - 1, by: 3) {
      let controller = try home.verified(TestHome.secondAdmin)
      controller.waitsForAnswers = false
      controller.memory.sendRaw(Array(controller.memory.frame(request)[..<cut]))
      leave(controller, ending)
    }
    settle(home)
    #expect(other.memory.int("1.12") == 50)
    let last = try home.verified(TestHome.secondAdmin)
    last.memory.sendRaw(last.memory.frame(request))
    #expect(last.memory.takeReply()?.status == 204)
    #expect(other.memory.int("1.12") == 77)
  }
}
