import Foundation
import HAPCommandLine
import HAPController
import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPProxy
import HAPStore
import HAPTestSupport
import HAPWire
import Testing

@testable import HapctlAccessories

@Suite struct ListenAddressTests {
  @Test("A port alone means loopback; another address needs --listen-any")
  func addresses() throws {
    #expect(try ListenAddress("51900", anywhere: false) == ListenAddress("127.0.0.1:51900", anywhere: false))
    #expect(try ListenAddress("0", anywhere: false).port == 0)
    #expect(try ListenAddress("[::1]:80", anywhere: false).host == IPAddress("::1"))
    #expect(try ListenAddress("localhost:80", anywhere: false).host == .loopbackV4)
    #expect(try ListenAddress("0.0.0.0:80", anywhere: true).host == .anyV4)
    #expect(try ListenAddress("80", anywhere: true).host == .loopbackV4)
  }

  @Test(
    "Malformed addresses are refused with a reason",
    arguments: [
      ("", "no port"), ("x", "no port"), ("127.0.0.1", "no port"), ("127.0.0.1:", "no port"), ("70000", "no port"),
      ("-1", "no port"), ("+80", "no port"), ("nowhere:80", "nowhere"), ("[::1:80", "not an IP address"),
      ("0.0.0.0:80", "--listen-any"), ("192.0.2.1:80", "--listen-any"), ("[::]:80", "--listen-any"),
      (":80", "not an IP address"),
    ])
  func wrong(text: String, says: String) {
    let error = #expect(throws: UsageError.self) { try ListenAddress(text, anywhere: false) }
    #expect(error?.message.contains(says) == true, "\(String(describing: error))")
  }

  @Test("Wrong usage of the command is reported before any request")
  func usage() async {
    for (words, says) in [
      (["51900"], "LISTEN TARGET is missing"), (["garage", "51900"], "no port"), (["0.0.0.0:1", "x"], "--listen-any"),
      (["0", "x", "--code", "123-45-678"], "--code"),
    ] {
      let said = await hapctl(["proxy"] + words)
      #expect(said.exit == .usage && said.out == "" && said.error.contains(says), "\(said)")
    }
    let folder = ScratchFolder()
    let said = await hapctl(["proxy", "0", "garage", "--state", folder.path])
    #expect(said.exit == .cannotRun && said.error.contains("garage") && said.out == "")
  }
}

@Suite struct TranscriptTests {
  private let time = TranscriptTime(seconds: 1_795_255_384, milliseconds: 7)
  private func reader() throws -> TranscriptReader { TranscriptReader(ShellCompletionTests.database) }

  private func request(_ method: String, _ target: String, _ body: String? = nil) -> [UInt8] {
    ControllerRequest(method, target, contentType: "application/hap+json", body: body.map { Array($0.utf8) })
      .encoded(host: "x")
  }

  private func answer(_ start: String, _ body: String) -> [UInt8] {
    Array(
      "\(start)\r\nContent-Type: application/hap+json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
  }

  /// The text without the time, which depends on the time zone.
  private func text(_ entry: ProxyEntry) -> String { String(entry.text(at: time).dropFirst(13)) }

  @Test("Reads, writes, answers and events have names, value names and statuses")
  func messages() throws {
    var reader = try reader()
    func read(_ bytes: [UInt8], _ isFromController: Bool) -> String {
      text(reader.read(bytes, isFromController: isFromController, connection: 3))
    }
    #expect(
      read(request("GET", "/characteristics?id=1.12,9.9&meta=1"), true)
        == "#3 > GET /characteristics?id=1.12,9.9&meta=1 HTTP/1.1\n    1.12 Target Door State\n    9.9 ?")
    #expect(
      read(
        request(
          "PUT", "/characteristics",
          #"{"characteristics":[{"aid":1,"iid":12,"value":0,"authData":"c2VjcmV0","r":true},{"aid":1,"iid":21,"ev":1}],"pid":5}"#
        ), true)
        == "#3 > PUT /characteristics HTTP/1.1\n    1.12 Target Door State = open (0), authData left out, r\n    1.21 On, events on"
    )
    #expect(
      read(
        answer(
          "HTTP/1.1 207 Multi-Status",
          #"{"characteristics":[{"aid":1,"iid":12,"status":-70402},{"aid":7,"iid":7,"status":5,"value":[1]}]}"#), false)
        == "#3 < HTTP/1.1 207 Multi-Status\n    1.12 Target Door State: status -70402 (unableToCommunicate)\n    7.7 ? = [1]: status 5"
    )
    #expect(
      read(answer("EVENT/1.0 200 OK", #"{"characteristics":[{"aid":1,"iid":11,"value":2}]}"#), false)
        == "#3 < EVENT/1.0 200 OK\n    1.11 Current Door State = opening (2)")
    #expect(
      read(request("PUT", "/prepare", #"{"ttl":5000,"pid":1}"#), true).hasSuffix("\n    {\"ttl\":5000,\"pid\":1}"))
    #expect(read(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8), false) == "#3 < HTTP/1.1 204 No Content")
  }

  @Test("A new database replaces the names")
  func database() throws {
    var reader = try reader()
    let body =
      #"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"43","characteristics":[{"iid":12,"type":"25","perms":["pr"],"format":"bool","value":true}]}]}]}"#
    #expect(
      text(reader.read(answer("HTTP/1.1 200 OK", body), isFromController: false, connection: 1))
        == "#1 < HTTP/1.1 200 OK\n    1.12 On = true")
    let event = answer("EVENT/1.0 200 OK", #"{"characteristics":[{"aid":1,"iid":12,"value":false}]}"#)
    #expect(text(reader.read(event, isFromController: false, connection: 1)).hasSuffix("1.12 On = false"))
  }

  @Test("Items of pairing messages have names, and secrets are shown only by their length")
  func pairing() throws {
    var message = TLV(state: 3)
    message.append(TLVType.publicKey, [UInt8](repeating: 7, count: 384))
    message.append(TLVType.proof, [UInt8](repeating: 8, count: 64))
    message.append(TLVType.flags, [16, 0, 0, 1])
    message.append(0x77, [1])
    let bytes = ControllerRequest.pairSetup(message).encoded(host: "x")
    var reader = try reader()
    let entry = reader.read(bytes, isFromController: true, connection: 1)
    #expect(
      text(entry)
        == "#1 > POST /pair-setup HTTP/1.1\n    State: M3\n    PublicKey: 384 bytes\n    Proof: 64 bytes\n    Flags: 0x01000010\n    Item 119: 1 bytes"
    )
    let json = entry.json(at: time)
    #expect(json.contains(#""tlv":[{"type":6,"name":"State","value":"M3"},{"type":3,"name":"PublicKey","bytes":384}"#))
    var list = TLV(state: 2)
    list.append(TLVType.error, [6])
    list.append(TLVType.permissions, [1])
    list.append(TLVType.method, [4])
    list.append(TLVType.identifier, "me")
    list.appendSeparator()
    #expect(
      list.items.map { PairingItem($0).line } == [
        "State: M2", "Error: unavailable", "Permissions: admin", "Method: removePairing", "Identifier: me", "Separator",
      ])
    // All types that may contain a secret.
    for type: UInt8 in [2, 3, 4, 5, 9, 10, 12, 13, 14, 99] {
      #expect(PairingItem(.init(type: type, value: [1])).text == nil)
    }
  }

  @Test("With --json each entry is an object on a line")
  func json() throws {
    var reader = try reader()
    let bytes = answer("HTTP/1.1 207 Multi-Status", #"{"characteristics":[{"aid":1,"iid":12,"status":0,"value":0}]}"#)
    #expect(
      reader.read(bytes, isFromController: false, connection: 2).json(at: time)
        == #"{"time":"2026-11-21T10:03:04.007Z","connection":2,"direction":"answer","line":"HTTP/1.1 207 Multi-Status","status":207,"#
        + #""characteristics":[{"aid":1,"iid":12,"type":"32","name":"Target Door State","value":0,"text":"open (0)","status":0}]}"#
    )
    let note = ProxyEntry(direction: .note, line: "a\n\u{1B}b")
    #expect(note.json(at: time) == #"{"time":"2026-11-21T10:03:04.007Z","direction":"note","line":"a\n\u001bb"}"#)
    #expect(text(note) == "- a\u{FFFD}\u{FFFD}b")
  }

  @Test(
    "Unknown bodies are shown by their length, and cause no error",
    arguments: [
      "", "{", "[1", "{}", "[]", "\u{0}", #"{"characteristics":7}"#, #"{"characteristics":[7]}"#,
      #"{"accessories":{}}"#,
    ])
  func strange(body: String) throws {
    var reader = try reader()
    for type in ["application/hap+json", "application/pairing+tlv8", "image/jpeg", "x/y", "text/html"] {
      let bytes = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      let entry = reader.read(Array(bytes.utf8), isFromController: false, connection: 1)
      #expect(entry.status == 200 && !entry.json(at: time).isEmpty && !text(entry).isEmpty)
    }
    _ = reader.read(Array(body.utf8), isFromController: false, connection: 1)
    _ = reader.read(Array(body.utf8), isFromController: true, connection: 1)
    _ = reader.read(request("PUT", "/characteristics?id=1", body), isFromController: true, connection: 1)
  }

  @Test("Messages with any byte changed cause no error")
  func changed() throws {
    let random = RandomSource.seeded(6)
    let whole = [
      request("PUT", "/characteristics", #"{"characteristics":[{"aid":1,"iid":12,"value":0,"ev":true}],"pid":5}"#),
      request("GET", "/characteristics?id=1.12,1.11&meta=1"),
      answer("HTTP/1.1 207 Multi-Status", #"{"characteristics":[{"aid":1,"iid":12,"status":-70402}]}"#),
      ControllerRequest.pairSetup(TLV(state: 3)).encoded(host: "x"),
    ]
    for round in 0..<2000 {
      var reader = try reader()
      var bytes = whole[round % whole.count]
      let drawn = random.bytes(4)
      bytes[(Int(drawn[0]) << 8 | Int(drawn[1])) % bytes.count] = drawn[2]
      if drawn[3] < 32 { bytes.removeLast(min(bytes.count, Int(drawn[3]))) }
      for isFromController in [true, false] {
        let entry = reader.read(bytes, isFromController: isFromController, connection: 1)
        #expect(!entry.json(at: time).isEmpty && !text(entry).isEmpty)
        #expect((try? JSONNode.parse(Array(entry.json(at: time).utf8))) != nil)
      }
      _ = LinkMessage.unreachable(
        for: ControllerRequest("PUT", "/characteristics", body: bytes))
    }
  }

  @Test("A picture is shown by type and length; a transcript file is private, and never overwritten")
  func bytes() throws {
    var reader = try reader()
    let head = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 3\r\n\r\n"
    let entry = reader.read(Array(head.utf8) + [0xFF, 0xD8, 0xFF], isFromController: false, connection: 1)
    #expect(entry.body == .bytes("image/jpeg", 3))

    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let path = folder.path + "/t"
    let file = try TranscriptFile(path) { _ in }
    file.write("one\n")
    file.write("two\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
    #expect((try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) == 0o600)
    #expect(throws: FileError.self) { try TranscriptFile(path) { _ in } }
  }
}

@Suite struct UnreachableAnswerTests {
  private func body(_ request: ControllerRequest) -> String? {
    LinkMessage.unreachable(for: request).map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test("For characteristics each entry has a status; other requests have no answer")
  func answers() {
    let both = #"{"characteristics":[{"aid":1,"iid":2,"status":-70402},{"aid":3,"iid":4,"status":-70402}]}"#
    let ids = [AttributeID(aid: 1, iid: 2), AttributeID(aid: 3, iid: 4)]
    #expect(body(.read(ids, .meta)) == both)
    #expect(body(.write(ids.map { .init($0, value: .bool(true)) })) == both)
    #expect(LinkMessage.unreachable(for: .read(ids))?.status == 207)
    for request in [
      .accessories, .prepare(ttl: 1, pid: 1), .snapshot(width: 1, height: 1, aid: nil), .write([]),
      ControllerRequest("GET", "/characteristics"), ControllerRequest("GET", "/characteristics?id=x"),
      ControllerRequest("PUT", "/characteristics", body: Array("{".utf8)),
      ControllerRequest("PUT", "/characteristics", body: Array(#"{"characteristics":[{"aid":-1,"iid":1}]}"#.utf8)),
    ] as [ControllerRequest] { #expect(LinkMessage.unreachable(for: request) == nil) }
  }
}

@Suite struct ProxyIdentityTests {
  @Test(
    "A proxy keeps its identity, accepts a new code, and derives its category from the services")
  func same() throws {
    let folder = ScratchFolder()
    let pairing = ControllerPairing(
      alias: "a", accessoryID: Array("AA:BB:CC:DD:EE:FF".utf8), accessoryKey: [], controllerID: [],
      controllerKey: TestHome.accessoryKey, addresses: [])
    func identity(_ code: String? = nil) throws -> ProxyIdentity {
      let code = try code.map { try SetupCode($0) }
      return try ProxyIdentity(before: pairing, ShellCompletionTests.database, code: code, folder: folder.path)
    }
    let first = try identity()
    #expect(first.advertisement.category == 4 && first.name == "a (proxy)" && first.advertisement.model == "Proxy")
    let error = #expect(throws: StoreError.self) { try identity() }
    #expect(error.map { "\($0)".contains("already running") } == true)
    first.store.close()
    let second = try identity()
    #expect(second.identity.deviceID == first.identity.deviceID && second.setup.code == first.setup.code)
    second.store.close()
    let third = try identity("111-22-333")
    #expect(third.setup.code.text == "111-22-333" && third.setup.id == first.setup.id)
    third.store.close()
    let fourth = try identity()
    #expect(fourth.setup.code.text == "111-22-333" && fourth.advertisement.configurationNumber == 1)
    fourth.store.close()
  }
}

@Suite struct ProxyServiceTests {
  private final class Ignoring: ProxyObserver {
    func message(_ bytes: [UInt8], isFromController: Bool, on connection: UInt64) {}
    func note(_ event: ProxyEvent, on connection: UInt64?) {}
  }

  private static func startTwice() async throws {
    let folder = ScratchFolder()
    let pairing = ControllerPairing(
      alias: "a", accessoryID: Array("AA:BB:CC:DD:EE:FF".utf8), accessoryKey: [], controllerID: [],
      controllerKey: TestHome.accessoryKey, addresses: [])
    let database = ShellCompletionTests.database
    let identity = try ProxyIdentity(before: pairing, database, code: nil, folder: folder.path)
    let loop = EventLoop(name: "proxy")
    loop.start()
    let settings = ProxyService.Settings(
      host: .loopbackV4, port: 0, advertises: false, timeout: .seconds(1), interfaces: ["lo"])
    let proxy = ProxyService(identity, before: pairing, database, settings, on: loop, observedBy: { Ignoring() }) {
      database
    }
    for _ in 0..<2 { try await proxy.start { _ in } }
  }

  /// Checked: this test fails without the precondition.
  @Test("A proxy that is started twice traps with a message") func startedTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await ProxyServiceTests.startTwice()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a proxy can be started only once"), "\(text)")
  }
}
