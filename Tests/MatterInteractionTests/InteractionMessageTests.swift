import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterInteraction

@Suite("Messages of the interaction model") struct InteractionMessageTests {
  static let requests: [InteractionMessage] = {
    let vectors = try? vectorFile("matter").object("interaction").list("requests")
    return (vectors ?? []).map {
      InteractionMessage(InteractionOpcode(rawValue: UInt8($0["opcode"] as! Int))!, $0.bytes("payload"))
    }
  }()

  /// Decodes a request and encodes it again.
  static func recoded(_ message: InteractionMessage) throws(InteractionStatus) -> [UInt8] {
    switch message.opcode {
    case .read: try ReadRequest(decoding: message.payload).encoded
    case .write: try WriteRequest(decoding: message.payload).encoded
    case .invoke: try InvokeRequest(decoding: message.payload).encoded
    case .subscribe: try SubscribeRequest(decoding: message.payload).encoded
    case .timed: try TimedRequest(decoding: message.payload).encoded
    case .status: try StatusResponse(decoding: message.payload).encoded
    case .report: try ReportData(decoding: message.payload).encoded
    case .subscribeResponse: try SubscribeResponse(decoding: message.payload).encoded
    case .writeResponse: try WriteResponse(decoding: message.payload).encoded
    case .invokeResponse: try InvokeResponse(decoding: message.payload).encoded
    }
  }

  @Test("Requests of the CHIP controller are the same bytes after decoding and encoding") func vectors() throws {
    #expect(Self.requests.count == 22)
    for request in Self.requests { #expect(try Self.recoded(request) == request.payload) }
  }

  @Test("The CHIP controller's read has two wildcard paths") func readVector() throws {
    let request = try ReadRequest(decoding: try #require(Self.requests.first).payload)
    #expect(request.attributes.count == 9)
    #expect(request.attributes[0] == AttributePattern(0, 48, 4))
    #expect(request.attributes[7] == AttributePattern(0, 56))
    #expect(request.attributes[8] == AttributePattern(nil, 49, 65532))
    #expect(!request.isFabricFiltered)
  }

  @Test("Each beginning of a request is an InvalidAction") func truncations() {
    let fresh = Bench()
    for request in Self.requests {
      for count in 0..<request.payload.count {
        let part = InteractionMessage(request.opcode, Array(request.payload[..<count]))
        #expect(throws: InteractionStatus(.invalidAction)) { try Self.recoded(part) }
        var bench = fresh
        #expect(statusCode(bench.send(part, on: .peer(1))) == .invalidAction || part.opcode == .status)
      }
    }
  }

  @Test("A server survives each request with one wrong byte") func mutations() {
    var random = SeededGenerator(seed: 4)
    let fresh = Bench()
    for request in Self.requests {
      for place in request.payload.indices {
        var payload = request.payload
        payload[place] = UInt8.random(in: 0...255, using: &random)
        var bench = fresh
        _ = bench.send(InteractionMessage(request.opcode, payload), on: .peer(1))
      }
    }
  }

  static let responses: [InteractionMessage] = [
    InteractionMessage(
      .report,
      ReportData(
        subscription: 3,
        [
          ReportData.Attribute(AttributePattern(1, 6, 0), .change(.replace(.bool(true)), version: 9)),
          ReportData.Attribute(AttributePattern(0, 29, 3), .change(.append(.unsigned(300)), version: 70_000)),
          ReportData.Attribute(
            AttributePattern(1, 6, 0), .status(InteractionStatus(.unsupportedAccess, cluster: 3))),
        ],
        events: [
          .record(
            EventRecord(
              number: 8, path: EventPath(0, 0x28, 0), priority: .critical, time: .start(milliseconds: 5),
              fields: [Element(.context(0), .unsigned(1))])),
          .record(
            EventRecord(
              number: 1 << 40, path: EventPath(0, 0x28, 1), priority: .debug, time: .epoch(microseconds: 1 << 50))),
          .status(EventPattern(0, 0x28, 7), InteractionStatus(.unsupportedEvent)),
        ], hasMore: true, suppressesResponse: true
      ).encoded),
    InteractionMessage(.subscribeResponse, SubscribeResponse(id: 0xFFFF_FFFF, maximum: 60).encoded),
    InteractionMessage(
      .writeResponse,
      WriteResponse([
        WriteResponse.Item(AttributePattern(0, 0x28, 5), .success),
        WriteResponse.Item(AttributePattern(0, 0x1F, 0), isAppended: true, InteractionStatus(.constraintError)),
      ]).encoded),
    InteractionMessage(
      .invokeResponse,
      InvokeResponse(
        [
          InvokeResponse.Item(
            CommandPattern(0, 48, 1), .response(1, [Element(.context(0), .unsigned(0))]), reference: 2),
          InvokeResponse.Item(CommandPattern(1, 6, 2), .status(InteractionStatus(.failure, cluster: 2))),
        ], hasMore: true
      ).encoded),
  ]

  @Test("Responses are the same bytes after decoding and encoding, and their beginnings are refused")
  func responses() throws {
    for response in Self.responses {
      #expect(try Self.recoded(response) == response.payload)
      for count in 0..<response.payload.count {
        let part = InteractionMessage(response.opcode, Array(response.payload[..<count]))
        #expect(throws: InteractionStatus(.invalidAction)) { try Self.recoded(part) }
      }
    }
  }

  @Test("A report is the bytes of Matter's structure") func reportBytes() {
    let report = ReportData([
      ReportData.Attribute(AttributePattern(1, 6, 0), .change(.replace(.bool(true)), version: 9))
    ])
    #expect(report.encoded == hex("15 3601 15 3501 240009 3701 240201 240306 240400 18 2902 18 18 18 24ff0c 18"))
  }

  @Test("Integers of any width and unknown members are accepted") func tolerance() throws {
    // Minimum with 8 bytes, an unknown member 20 with a structure, no revision.
    let payload = hex("15 2800 27010100000000000000 25020a00 3603 17 27020100000000000000 18 18 351424010018 2907 18")
    let request = try SubscribeRequest(decoding: payload)
    #expect(request == SubscribeRequest([AttributePattern(1)], minimum: 1, maximum: 10))
  }

  @Test(
    "Malformed requests are refused",
    arguments: [
      // No structure; a list; two elements; an endpoint of 32 bits; an endpoint that is a text; a path that is a
      // structure; paths that are no array; compressed tags; a list index; a negative endpoint; a flag that is a number.
      (2, "2400 00"), (2, "17 18"), (2, "15 18 15 18"), (2, "15 3600 17 260200000100 18 18 18"),
      (2, "15 3600 17 2c020131 18 18 18"), (2, "15 3600 15 240201 18 18 18"), (2, "15 3500 18 18"),
      (2, "15 3600 17 2900 18 18 18"), (2, "15 3600 17 240201 3405 18 18 18"), (2, "15 3600 17 2002ff 18 18 18"),
      (2, "15 240301 18"),
      // Writes: no cluster, no attribute, no data, an index that is a number, a version of 64 bits.
      (6, "15 3602 15 3701 240200 240405 18 2902 18 18 18"), (6, "15 3602 15 3701 240200 240328 18 2902 18 18 18"),
      (6, "15 3602 15 3701 240200 240328 240405 18 18 18 18"),
      (6, "15 3602 15 3701 240200 240328 240405 240500 18 2902 18 18 18"),
      (6, "15 3602 15 27000000000001000000 3701 240200 240328 240405 18 2902 18 18 18"),
      // Invokes: no path, no command, fields that are an array.
      (8, "15 3602 15 3501 18 18 18 18"), (8, "15 3602 15 3700 240001 240106 18 18 18 18"),
      (8, "15 3602 15 3700 240001 240106 240201 18 3601 18 18 18 18"),
      // A subscription without intervals; a timed request without, and with too long a time; a status of two bytes.
      (3, "15 3603 17 18 18 18"), (10, "15 18"), (10, "15 260000000100 18"), (1, "15 25000001 18"),
    ])
  func malformed(_ opcode: UInt8, _ text: String) throws {
    let message = InteractionMessage(try #require(InteractionOpcode(rawValue: opcode)), hex(text))
    #expect(throws: InteractionStatus(.invalidAction)) { try Self.recoded(message) }
  }

  @Test("A status that is not known counts as Failure") func unknownStatus() throws {
    #expect(try StatusResponse(decoding: hex("15 2400 fe 18")).status == .failure)
  }
}
