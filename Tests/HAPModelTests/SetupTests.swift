import Foundation
import HAPModel
import HAPTestSupport
import Testing

/// The vectors in Tests/Vectors/setup.json; its README lists the peers that agree.
@Suite struct SetupVectors {
  private let vectors: [String: Any]

  init() throws { vectors = try Repository.json("Tests/Vectors/setup.json") }

  private func texts(_ name: String) throws -> [String] { try #require(vectors[name] as? [String]) }

  @Test("[SC.4, SC.5, SC.6] Each payload of the vectors is generated exactly") func payloads() throws {
    let payloads = try #require(vectors["payload"] as? [[String: Any]])
    #expect(payloads.count == 10)
    for vector in payloads {
      let payload = SetupPayload(
        category: try #require(vector["category"] as? UInt8),
        code: try (vector["code"] as? String).map { try SetupCode($0) },
        setupID: (vector["setupID"] as? String).flatMap { SetupID($0) },
        supportsIP: try #require(vector["ip"] as? Bool), supportsBLE: try #require(vector["ble"] as? Bool),
        isPaired: try #require(vector["paired"] as? Bool))
      #expect(payload.uri == vector["uri"] as? String)
    }
  }

  @Test("[SC.4, SC.5, SC.6] Each payload of the vectors is decoded") func decodedPayloads() throws {
    for vector in try #require(vectors["payload"] as? [[String: Any]]) {
      let payload = try SetupPayload(uri: try #require(vector["uri"] as? String))
      #expect(payload.uri == vector["uri"] as? String)
      #expect(payload.category == vector["category"] as? UInt8)
      #expect(payload.code?.text == vector["code"] as? String)
      #expect(payload.setupID?.text == vector["setupID"] as? String)
      #expect(payload.supportsIP == vector["ip"] as? Bool && payload.supportsBLE == vector["ble"] as? Bool)
      #expect(payload.isPaired == vector["paired"] as? Bool)
    }
  }

  @Test(
    "[SC.4, SC.5] A malformed payload is refused with its reason",
    arguments: [
      ("", SetupPayloadError.scheme), ("x-hm://0071WK4SM7OSX", .scheme), ("X-HM:/0071WK4SM7OSX", .scheme),
      (" X-HM://0071WK4SM7OSX", .scheme), ("X-HM://0071WK4SM7OS", .length(12)), ("X-HM://0071WK4SM7OSX1", .length(14)),
      ("X-HM://", .length(0)), ("X-HM://0071wK4SM7OSX", .digit), ("X-HM://0071-K4SM7OSX", .digit),
      ("X-HM://0071WK4Sé7OSX", .digit), ("X-HM://0071WK4SM7OsX", .setupID("7OsX")),
      ("X-HM://ZZZZZZZZZ7OSX", .tooLarge), ("X-HM://\(digits(1 << 43))7OSX", .version(1)),
      ("X-HM://\(digits(1 << 39))7OSX", .reservedBits), ("X-HM://\(digits(1 << 30))7OSX", .reservedBits),
      ("X-HM://\(digits(100_000_000))7OSX", .code(.malformed)), ("X-HM://\(digits(12_345_678))7OSX", .code(.tooSimple)),
    ])
  func wrongPayloads(_ text: String, _ reason: SetupPayloadError) {
    #expect(throws: reason) { try SetupPayload(uri: text) }
    #expect(!reason.description.isEmpty)
  }

  @Test("[SC.1] A typed setup code may omit the dashes") func typedCodes() throws {
    #expect(try SetupCode(typed: "03145154").text == "031-45-154")
    #expect(try SetupCode(typed: "031-45-154").text == "031-45-154")
    #expect(throws: SetupCodeError.tooSimple) { try SetupCode(typed: "12345678") }
    for text in ["0314515", "031451545", "031-45154", "0314515a", "+3145154", ""] {
      #expect(throws: SetupCodeError.malformed, "\(text)") { try SetupCode(typed: text) }
    }
  }

  @Test("[SC.2] The twelve codes that are too simple are refused, also as numbers") func tooSimple() throws {
    let codes = try texts("invalidCodes")
    #expect(codes.count == 12)
    for code in codes {
      #expect(throws: SetupCodeError.tooSimple) { try SetupCode(code) }
      let number = try #require(UInt32(code.replacing("-", with: "")))
      #expect(throws: SetupCodeError.tooSimple) { try SetupCode(number: number) }
    }
  }

  @Test("[SC.1] Malformed codes are refused") func malformed() throws {
    for code in try texts("malformedCodes") + [
      "111-22-33３", "１１１-22-333", "111+22-333", "+11-22-333", "-11-22-333", "111-22-333\0",
    ] {
      #expect(throws: SetupCodeError.malformed, "\(code)") { try SetupCode(code) }
    }
    #expect(throws: SetupCodeError.malformed) { try SetupCode(number: 100_000_000) }
  }

  @Test("[SC.1] Valid codes are returned unchanged") func valid() throws {
    for text in try texts("validCodes") {
      let code = try SetupCode(text)
      #expect(code.text == text)
      #expect(try SetupCode(number: code.number) == code)
    }
  }

  @Test("[SC.3] Setup IDs are four of 0-9 and A-Z") func setupIDs() throws {
    for text in try texts("validSetupIDs") { #expect(SetupID(text)?.text == text) }
    for text in try texts("invalidSetupIDs") + ["AÄB", "ÄÄ", "７OSX", "AB C", "A\0BC"] { #expect(SetupID(text) == nil) }
    #expect(SetupID(number: 0)?.text == "0000")
    #expect(SetupID(number: 35)?.text == "000Z")
    #expect(SetupID(number: SetupID.count - 1)?.text == "ZZZZ")
    #expect(SetupID(number: SetupID.count) == nil)
  }

  @Test("[AD.3] A device ID is six octets in capital hex with colons") func deviceIDs() throws {
    for vector in try #require(vectors["hash"] as? [[String: String]]) {
      let text = try #require(vector["accessoryID"])
      #expect(DeviceID(text)?.text == text)
    }
    let id = try #require(DeviceID(bytes: [0, 1, 0x0A, 0xB0, 0xCD, 0xFF]))
    #expect(id.text == "00:01:0A:B0:CD:FF")
    #expect(id.bytes == [0, 1, 0x0A, 0xB0, 0xCD, 0xFF])
    #expect(DeviceID("00:01:0a:b0:cd:ff") == id)
    #expect(try #require(DeviceID("00:00:00:00:00:01")) < id)
    for bytes in [0, 5, 7] { #expect(DeviceID(bytes: Array(repeating: 1, count: bytes)) == nil) }
  }

  @Test(
    "[AD.3] A malformed device ID is nil",
    arguments: [
      "", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FF:00", "AA-BB-CC-DD-EE-FF", "AABBCCDDEEFF", "A:BB:CC:DD:EE:FFF",
      "GG:BB:CC:DD:EE:FF",
      "AA:BB:CC:DD:EE:F ", "AA:BB:CC:DD:EE:é", "+A:BB:CC:DD:EE:FF",
    ])
  func noDeviceID(_ text: String) { #expect(DeviceID(text) == nil) }

  @Test("A pairing keeps the identifier's bytes and shows them as text") func pairings() {
    let pairing = Pairing(identifier: [0x41, 0xFF], publicKey: Array(repeating: 1, count: 32), isAdmin: true)
    #expect(pairing.identifier == [0x41, 0xFF])
    #expect(pairing.name == "A\u{FFFD}")
  }
}

/// A number in nine base-36 digits.
private func digits(_ number: UInt64) -> String {
  let text = String(number, radix: 36, uppercase: true)
  return String(repeating: "0", count: 9 - text.count) + text
}
