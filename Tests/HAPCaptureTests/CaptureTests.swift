import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPProfile
import HAPTestSupport
import HAPWire
import MatterBridge
import Testing

@testable import HAPCapture

private let head = CaptureHead(
  name: "Test Home",
  identity: AccessoryIdentity(
    deviceID: DeviceID("AA:BB:CC:DD:EE:FF")!, key: SigningKey(seed: SecretBytes([UInt8](repeating: 3, count: 32))),
    verifier: SRPVerifier(code: TestHome.code, salt: [UInt8](repeating: 4, count: 16))),
  advertisement: Advertisement(
    model: "T-1", deviceID: DeviceID("AA:BB:CC:DD:EE:FF")!, configurationNumber: 7, category: 5, isPaired: true,
    setupID: SetupID("7OSX")),
  accessories: TestHome.accessories, pairings: TestHome.pairings, failedAttempts: 2,
  quirks: Quirks.presets["hap-nodejs"]!, live: [TestHome.id(TestHome.ID.brightness)], judges: true)

@Suite("Captures")
struct CaptureTests {
  @Test("The first line holds the complete accessory")
  func heads() throws {
    let read = try CaptureHead(try JSONNode.parse(Array(head.text.utf8)))
    #expect(read.text == head.text)
    #expect(read.accessories == TestHome.accessories && read.pairings == TestHome.pairings)
    #expect(read.quirks == head.quirks && read.live == head.live && read.judges && read.failedAttempts == 2)
    #expect(read.identity.key.publicKey == head.identity.key.publicKey && read.advertisement == head.advertisement)
  }

  @Test("A capture of an earlier version, which calls the quirks \"conduct\", opens") func earlierName() throws {
    let text = head.text.replacing("\"quirks\":", with: "\"conduct\":")
    #expect(text != head.text)
    #expect(try CaptureHead(try JSONNode.parse(Array(text.utf8))).quirks == head.quirks)
  }

  static let matterTraffic: [MatterTraffic] = [
    .message(
      MatterMessage(
        isReceived: true, peer: "[fe80::1]:5540", session: .caseSession, sessionID: 7,
        controller: "Matter fabric 1 node 1",
        exchange: 12, isFromInitiator: true, protocolID: 1, opcode: 2, counter: 99, acknowledged: 98, isReliable: true,
        isRepeated: false, payload: [0x15])),
    .message(
      MatterMessage(
        isReceived: false, peer: "192.0.2.7:5540", session: .unsecured, sessionID: 0, controller: nil, exchange: 3,
        isFromInitiator: false, protocolID: 0, opcode: 0x10, counter: 1, acknowledged: nil, isReliable: false,
        isRepeated: true, payload: [])),
    .unreadable(peer: "192.0.2.7:5540", bytes: [1, 2, 3], reason: "its MIC is wrong"),
  ]

  static let matterNode = MatterEndpointState(
    vendor: 0xFFF1, nodeID: "1", numbers: EndpointNumbers().bytes, settings: NodeSettings().bytes)

  static func lines() -> [CaptureLine] {
    let (id, ticket, at) = (ConnectionID(number: 3), Ticket(number: 9), Duration.nanoseconds(1_234_567_890_123))
    let values: [Value] = [
      .null, .bool(true), .integer(Int128(UInt64.max)), .integer(-5), .float(0.1), .float(-.infinity), .string("é\"\n"),
      .data([0, 255]),
    ]
    let inputs: [CoreInput] =
      [
        .opened(id, peer: "127.0.0.1:5"), .received(id, [1, 2, 3]), .received(id, []), .resumed(id), .closed(id),
        .computed(ticket),
        .stored(ticket, succeeded: true), .stored(ticket, succeeded: false), .advanced,
        .read(TestHome.id("1.12"), .failure(.busy), ticket), .judged(5, .later), .judged(5, .refused(.timedOut)),
        .verdict(.accepted()), .verdict(.accepted(response: .data([7]))),
        .reachable(aid: 2, false), .reachable(aid: 2, true),
        .replaced(
          TestHome.accessories, model: "T-2", configurationNumber: 65535, live: [TestHome.id("1.12")], judges: true,
          matter: [:]),
      ]
      + values.map { .changed([TestHome.id("1.12"): $0]) }
      + values.map { .read(TestHome.id("1.12"), .success($0), ticket) }
      + values.map { .wrote([WrittenValue(TestHome.id("1.12"), $0), WrittenValue(TestHome.id("1.10"), $0)]) }
      + [.joined(matterNode, [:]), .asked([TestHome.id("1.12")])]
    return inputs.map { .input($0, at: at) } + [.sent(id, [9, 8], at: at), .drawn([1, 2])]
      + matterTraffic.map { .matter($0, at: at) }
  }

  @Test("Each line is read back as it was written, and is a single line", arguments: lines())
  func roundTrip(line: CaptureLine) throws {
    #expect(!line.text.contains("\n"))
    #expect(try CaptureLine(try JSONNode.parse(Array(line.text.utf8))) == line)
  }

  @Test(
    "A line that no run can produce is reported with its number",
    arguments: [
      ("{", "ends too early"), ("[]", "object is expected"), ("{}", "\"t\" is missing"),
      (#"{"t":1,"is":"sung"}"#, "sung"),
      (#"{"t":-1,"is":"advanced"}"#, "-1"),
      (#"{"t":1,"is":"received","c":1,"bytes":"AA=="}"#, "connection 1 isn't open"),
      (#"{"t":1,"is":"closed","c":1}"#, "isn't open"), (#"{"t":1,"is":"opened","c":5,"peer":"x"}"#, "can't be opened"),
      (#"{"t":1,"is":"computed","ticket":1}"#, "no computation is pending"),
      (#"{"t":1,"is":"changed","values":{"9.9":1}}"#, "there is no 9.9"),
      (#"{"t":1,"is":"changed","values":{"x":1}}"#, "aid.iid"),
      (#"{"t":1,"is":"changed","values":{"1.12":"x"}}"#, "can't be"), (#"{"random":"?"}"#, "base64"),
      (#"{"t":1,"is":"read","id":"1.12","ticket":1,"status":0}"#, "HAP status"),
      (#"{"t":1,"is":"judged","write":1,"verdict":"perhaps"}"#, "verdict"),
      (#"{"t":1,"is":"sent","c":2,"bytes":""}"#, "isn't open"),
      (#"{"t":1,"is":"reachable","aid":9,"ok":false}"#, "there is no accessory 9"),
      (#"{"t":1,"is":"reachable","aid":2}"#, "\"ok\" is missing"),
      (#"{"t":1,"is":"wrote","values":[]}"#, "the accessory is no Matter node"),
      (#"{"t":1,"is":"asked","ids":["1.12"]}"#, "the accessory is no Matter node"),
      (#"{"t":1,"is":"asked","ids":["1.12","1.12"]}"#, "each once"),
      (#"{"t":1,"is":"asked","ids":[]}"#, "one or more ids"),
      (#"{"t":1,"is":"joined","vendor":1,"node":"x","numbers":"AAAA","settings":"FhY="}"#, "endpoint numbers"),
      (#"{"t":1,"is":"joined","vendor":1,"node":"x","numbers":"","settings":""}"#, "endpoint numbers"),
      (#"{"t":1,"is":"joined","vendor":65536}"#, "65536"),
      (#"{"t":1,"is":"message","from":"me"}"#, "controller or accessory"),
      (#"{"t":1,"is":"message","from":"controller","session":"TLS"}"#, "unsecured, PASE, CASE"),
      (#"{"t":1,"is":"message","from":"controller","session":"PASE","peer":"x","sessionID":65536}"#, "65536"),
      (#"{"t":1,"is":"unreadable","peer":"x","reason":"y"}"#, "\"bytes\" is missing"),
      (
        #"{"t":1,"is":"replaced","model":"x","c#":1,"live":[],"database":[{"aid":1,"services":[]},{"aid":1,"services":[]}]}"#,
        "ids"
      ),
      (
        #"{"t":1,"is":"replaced","model":"x","c#":1,"live":[],"database":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[{"iid":2,"type":"23","format":"string","perms":["pr"],"adminOnly":[],"value":"x","minValue":false}]}]}]}"#,
        "minValue is not a number"
      ),
    ])
  func mistakes(line: String, says: String) throws {
    let error = #expect(throws: CaptureReplay.Mistake.self) {
      try CaptureReplay(Array((head.text + "\n" + line + "\n").utf8))
    }
    #expect(error?.line == 2)
    #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
  }

  @Test("Messages of Matter are shown in their place, decoded, and don't count as bytes that were sent")
  func matter() throws {
    let lines: [CaptureLine] = Self.matterTraffic.enumerated().map {
      .matter($0.element, at: .milliseconds(5000 + 250 * $0.offset))
    }
    let replay = try CaptureReplay(Array(([head.text] + lines.map(\.text)).joined(separator: "\n").utf8) + [10])
    #expect(replay.difference == nil && replay.sentBytes == 0 && replay.inputs == 0 && replay.matterMessages == 3)
    let shown = replay.messages.compactMap { message -> DecodedTraffic? in
      if case .matter(let traffic) = message.content { traffic } else { nil }
    }
    #expect(replay.messages.map(\.time) == [.zero, .milliseconds(250), .milliseconds(500)])
    #expect(shown.map(\.name) == ["ReadRequest", "Acknowledgement", nil])
    #expect(shown.map(\.problem) == ["TLV, byte 1: the bytes end inside an element", nil, "its MIC is wrong"])
    #expect(
      shown[0].headerText
        == "CASE session 7, exchange 12 of the controller, message 99, acknowledges 98, wants an acknowledgement")
    #expect(shown[1].headerText == "no session, exchange 3 of the controller, message 1, repeated")
    #expect(shown[2].contentLines == ["dropped: its MIC is wrong"])
    #expect(shown[0].text.hasSuffix("malformed: TLV, byte 1: the bytes end inside an element"))
  }

  @Test("In a damaged file, whose times go back, the time of a message is never negative") func timesGoBack() throws {
    let times: [Duration] = [.seconds(5), .milliseconds(3999), .seconds(6)]
    let lines = times.map { CaptureLine.matter(Self.matterTraffic[0], at: $0).text }
    let replay = try CaptureReplay(Array(([head.text] + lines).joined(separator: "\n").utf8) + [10])
    #expect(replay.messages.map(\.time) == [.zero, .zero, .seconds(1)])
  }

  @Test("With another front end, connections have the numbers that it left; no number makes the replay trap")
  func otherFrontEnd() throws {
    func replay(_ lines: [String]) throws -> CaptureReplay {
      try CaptureReplay(Array(([head.text] + lines).joined(separator: "\n").utf8) + [10])
    }
    let joined = CaptureLine.input(.joined(Self.matterNode, [:]), at: .nanoseconds(1)).text
    func opened(_ number: UInt64) -> String { #"{"t":1,"is":"opened","c":\#(number),"peer":"x"}"# }
    #expect(try replay([joined, opened(2), opened(7)]).inputs == 3)
    for numbers in [[0], [2, 1], [UInt64.max], [UInt64.max, UInt64.max], [1 << 62, 1 << 62]] {
      #expect(throws: CaptureReplay.Mistake.self) { try replay([joined] + numbers.map(opened)) }
    }
    #expect(throws: CaptureReplay.Mistake.self) { try replay([joined, joined]) }
    let wrote = #"{"t":1,"is":"wrote","values":[{"id":"1.10","value":true},{"id":"9.9","value":1}]}"#
    #expect(try replay([joined, wrote]).difference == nil)
    let asked = #"{"t":1,"is":"asked","ids":["9.9"]}"#
    #expect(throws: CaptureReplay.Mistake.self) { try replay([joined, asked]) }
  }

  @Test(
    "A file that is not a capture is refused at its first line",
    arguments: ["", "\n", "{}", "[]", "{\"format\":\"x\"}", "{"])
  func noCapture(text: String) {
    #expect(throws: CaptureReplay.Mistake.self) { try CaptureReplay(Array(text.utf8)) }
  }
}
