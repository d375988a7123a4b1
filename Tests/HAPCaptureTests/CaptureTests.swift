import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPProfile
import HAPTestSupport
import HAPWire
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
          TestHome.accessories, model: "T-2", configurationNumber: 65535, live: [TestHome.id("1.12")], judges: true),
      ]
      + values.map { .changed([TestHome.id("1.12"): $0]) }
      + values.map { .read(TestHome.id("1.12"), .success($0), ticket) }
    return inputs.map { .input($0, at: at) } + [.sent(id, [9, 8], at: at), .drawn([1, 2])]
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

  @Test(
    "A file that is not a capture is refused at its first line",
    arguments: ["", "\n", "{}", "[]", "{\"format\":\"x\"}", "{"])
  func noCapture(text: String) {
    #expect(throws: CaptureReplay.Mistake.self) { try CaptureReplay(Array(text.utf8)) }
  }
}
