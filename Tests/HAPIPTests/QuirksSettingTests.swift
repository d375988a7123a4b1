import HAPIP
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

/// Settings of the quirks that only some stacks have.
@Suite("Settings of the quirks") final class QuirksSettingTests {
  /// Retains the accessories, because controllers don't.
  private var accessories: [MemoryAccessory] = []

  private func accessory(pairings: [Pairing] = TestHome.pairings, _ change: (inout Quirks) -> Void) -> MemoryAccessory {
    var quirks = Quirks()
    change(&quirks)
    let accessory = TestHome.accessory(pairings: pairings, quirks: quirks)
    accessories.append(accessory)
    return accessory
  }

  private func controller(_ change: (inout Quirks) -> Void) -> MemoryController { accessory(change).verified() }

  // MARK: Answers

  @Test("The answer \"none\" sends nothing and keeps the connection open")
  func noAnswer() {
    let controller = controller { $0.malformedBody = HTTPAnswer(nil) }
    #expect(controller.put("{") == nil)
    #expect(!controller.isClosed)
    #expect(controller.get("/characteristics?id=1.11")?.status == 200)
  }

  @Test("The answer \"none close\" sends nothing and closes the connection")
  func noAnswerAndClose() {
    let controller = controller { $0.noResource = HTTPAnswer(nil, closes: true) }
    #expect(controller.exchange("POST", "/resource", body: Array("{}".utf8)) == nil)
    #expect(controller.isClosed)
  }

  @Test("With chunked \"all\" each answer with a body is chunked, and one without a body is not")
  func allChunked() {
    let controller = controller {
      $0.chunked = .all
      $0.unknownAddress = HTTPAnswer(404, .doesNotExist)
    }
    let list = PlainTLV([(6, [1]), (0, [5])])
    #expect(controller.post("/pairings", list)?.field("transfer-encoding") == "chunked")
    #expect(controller.get("/nothing")?.field("transfer-encoding") == "chunked")
    #expect(controller.get("/nothing")?.text == #"{"status":-70409}"#)
    #expect(controller.get("/characteristics?id=1.11")?.field("transfer-encoding") == "chunked")
    #expect(controller.set("1.11", "true")?.field("transfer-encoding") == nil)
  }

  @Test("With servesAnyMethod an address with a single function serves every method, and no other address does")
  func anyMethod() {
    let controller = controller { $0.servesAnyMethod = true }
    #expect(controller.exchange("PUT", "/accessories", body: [])?.status == 200)
    #expect(controller.exchange("POST", "/prepare", body: [])?.status == 405)
    #expect(controller.exchange("POST", "/characteristics", body: [])?.status == 405)
  }

  @Test("A /prepare body other than an object gets malformedPrepareBody, an object without ttl malformedPrepare")
  func prepareBodies() {
    let controller = controller {
      $0.malformedPrepareBody = HTTPAnswer(500, .busy)
      $0.malformedPrepare = HTTPAnswer(200, .invalidValue)
    }
    for body in ["{", "[]", "", #"{"ttl":1"#] {
      #expect(controller.exchange("PUT", "/prepare", body: Array(body.utf8))?.status == 500, "\(body)")
    }
    #expect(controller.exchange("PUT", "/prepare", body: Array("{}".utf8))?.status == 200)
  }

  // MARK: Pairing

  @Test("With takeoverCountsFromStart another controller can take over Pair Setup even from an active one")
  func takeover() throws {
    for countsFromStart in [false, true] {
      let accessory = accessory(pairings: []) { $0.takeoverCountsFromStart = countsFromStart }
      let (first, second) = (accessory.unverified(), accessory.unverified(TestHome.user))
      let m2 = first.post("/pair-setup", MemoryController.setupM1)
      let setup = try #require(first.readSetupM2(m2, code: TestHome.code))
      accessory.advance(.seconds(20))
      #expect(first.post("/pair-setup", setup.m3)?.tlv?.state == 4)
      accessory.advance(.seconds(15))
      #expect(second.post("/pair-setup", MemoryController.setupM1)?.tlv?.error == (countsFromStart ? nil : 7))
    }
  }

  @Test("A wrong signature in M5 gets signatureFailure, and data that cannot be decrypted gets exchangeFailure")
  func brokenM5() throws {
    for breaksSignature in [false, true] {
      let first = accessory(pairings: []) {
        $0.signatureFailure = .internalErrorWithStatus
        $0.exchangeFailure = .state4
      }.unverified()
      let m2 = first.post("/pair-setup", MemoryController.setupM1)
      let setup = try #require(first.readSetupM2(m2, code: TestHome.code))
      _ = first.post("/pair-setup", setup.m3)
      var m5 = first.m5(setup, breaksSignature: breaksSignature)
      if !breaksSignature { m5.items[1].value[0] ^= 1 }
      let answer = first.post("/pair-setup", m5)
      #expect(answer?.status == (breaksSignature ? 500 : 200))
      if breaksSignature {
        #expect(answer?.text == #"{"status":-70402}"#)
      } else {
        #expect(answer?.tlv?.state == 4 && answer?.tlv?.error == 2)
      }
    }
  }

  @Test("A message out of order can get HTTP 500 with error Unknown")
  func outOfOrder() {
    let controller = accessory(pairings: []) { $0.setupOutOfOrder = .internalErrorWithError }.unverified()
    let answer = controller.post("/pair-setup", PlainTLV([(6, [3])]))
    #expect(answer?.status == 500 && answer?.tlv?.state == 4 && answer?.tlv?.error == 1)
  }

  @Test("With listNeedsIdentifier List Pairings without an Identifier gets HTTP 400 and error Unknown")
  func listing() {
    let controller = controller { $0.listNeedsIdentifier = true }
    let refused = controller.post("/pairings", PlainTLV([(6, [1]), (0, [5])]))
    #expect(refused?.status == 400 && refused?.tlv?.state == 2 && refused?.tlv?.error == 1)
    let taken = controller.post("/pairings", PlainTLV([(6, [1]), (0, [5]), (1, [1])]))
    #expect(taken?.status == 200 && taken?.tlv?.error == nil)
  }

  // MARK: Writing

  @Test("With nullIsNoValue an entry with null is handled as one without a value")
  func nullValue() {
    let strict = controller { $0.nullIsNoValue = true }
    #expect(strict.write(#""aid":1,"iid":12,"value":null"#)?.statuses == ["1.12": -70410])
    #expect(strict.write(#""aid":1,"iid":12,"value":null,"ev":true"#)?.status == 204)
    let lenient = controller {
      $0.nullIsNoValue = true
      $0.refusesIdleEntries = false
    }
    #expect(lenient.write(#""aid":1,"iid":12,"value":null"#)?.status == 204)
    #expect(lenient.int("1.12") == 50)
  }

  @Test("With idleEntryIsMalformed an entry with neither value nor ev makes the whole request malformed")
  func idleEntry() {
    let controller = controller { $0.idleEntryIsMalformed = true }
    #expect(controller.write(#""aid":1,"iid":12,"value":7"#, #""aid":1,"iid":11"#)?.status == 400)
    #expect(controller.int("1.12") == 50)
  }

  @Test("With takesFractions a number written to an integer is truncated, or rounded to its step")
  func fractions() {
    let clamping = self.controller {
      $0.takesFractions = true
      $0.outOfRange = .clamp
    }
    #expect(clamping.set("1.12", "7.9")?.status == 204)
    #expect(clamping.int("1.12") == 8)
    let controller = controller { $0.takesFractions = true }
    #expect(controller.set("1.12", "7.9")?.status == 204)
    #expect(controller.int("1.12") == 7)
    #expect(controller.set("1.12", "1e300")?.statuses == ["1.12": -70410])
  }

  @Test("With returnsUnknownResponses r returns the value of a characteristic without wr")
  func responses() {
    let controller = controller {
      $0.refusesUnknownResponses = false
      $0.returnsUnknownResponses = true
    }
    let answer = controller.write(#""aid":1,"iid":12,"value":8,"r":true"#)
    #expect(answer?.status == 207)
    #expect(answer?.text == #"{"characteristics":[{"aid":1,"iid":12,"status":0,"value":8}]}"#)
  }

  @Test("With unknownWriteEndsRequest only a value for an unknown ID ends the request")
  func unknownWrite() {
    let controller = controller { $0.unknownWriteEndsRequest = true }
    #expect(controller.write(#""aid":1,"iid":99,"ev":true"#, #""aid":1,"iid":12,"value":7"#)?.status == 204)
    #expect(controller.int("1.12") == 7)
    #expect(controller.write(#""aid":1,"iid":99,"value":1"#)?.status == 400)
  }

  @Test("With executesUnpreparedWrites a tw characteristic still refuses the write where it enforces timed writes")
  func unprepared() {
    var accessories = TestHome.accessories
    accessories[0].services[1].characteristics[0].perms.insert(.timedWrite)
    var quirks = Quirks()
    quirks.executesUnpreparedWrites = true
    let accessory = TestHome.accessory(accessories: accessories, quirks: quirks)
    self.accessories.append(accessory)
    let controller = accessory.verified()
    let body =
      #"{"characteristics":[{"aid":1,"iid":11,"value":1},{"aid":1,"iid":12,"value":7}],"pid":5}"#
    #expect(controller.put(body)?.statuses == ["1.11": -70410, "1.12": 0])
    #expect(controller.int("1.12") == 7)
  }

  // MARK: Events

  @Test("With sendsFirstEventAtOnce an event waits only while the last EVENT is newer than the coalescing time")
  func firstEvent() {
    let accessory = accessory {
      $0.sendsFirstEventAtOnce = true
      $0.coalescing = .seconds(1)
    }
    let controller = accessory.verified()
    let brightness = TestHome.id(TestHome.ID.brightness)
    _ = controller.subscribe(TestHome.ID.brightness)
    accessory.change(brightness, to: 1)
    #expect(controller.takeEvents().count == 1)
    accessory.advance(.milliseconds(400))
    accessory.change(brightness, to: 2)
    accessory.change(brightness, to: 3)
    accessory.advance(.milliseconds(599))
    #expect(controller.takeEvents().isEmpty)
    accessory.advance(.milliseconds(1))
    #expect(controller.takeEvents().map(\.text) == [#"{"characteristics":[{"aid":1,"iid":12,"value":3}]}"#])
    accessory.advance(.seconds(1))
    accessory.change(brightness, to: 4)
    #expect(controller.takeEvents().count == 1)
  }
}
