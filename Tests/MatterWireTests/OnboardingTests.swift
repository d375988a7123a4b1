import HAPTestSupport
import Testing

@testable import MatterWire

@Suite("Onboarding payloads of Matter") struct OnboardingTests {
  private static var setup: [String: Any] { try! vectorFile("matter").object("setup") }

  private static func number<T: FixedWidthInteger>(_ vector: [String: Any], _ name: String) -> T {
    T(vector[name] as! Int)
  }

  @Test("The QR codes of the vectors are written and read")
  func qr() throws {
    for vector in Self.setup.list("qr") {
      let payload = OnboardingPayload(
        vendor: Self.number(vector, "vendor"), product: Self.number(vector, "product"),
        flow: try #require(.init(rawValue: Self.number(vector, "flow"))),
        discovery: .init(rawValue: Self.number(vector, "discovery")),
        discriminator: Self.number(vector, "discriminator"),
        passcode: try #require(Passcode(Self.number(vector, "passcode"))))
      #expect(payload.qrText == vector.text("payload"))
      #expect(try OnboardingPayload(qrText: vector.text("payload")) == payload)
    }
  }

  @Test("The manual codes of the vectors are written and read")
  func manual() throws {
    for vector in Self.setup.list("manual") {
      let text = vector.text("code")
      guard let passcode = Passcode(Self.number(vector, "passcode")) else {
        #expect(throws: OnboardingError.passcode(12_345_678)) { try ManualPairingCode(text: text) }
        continue
      }
      let discriminator: UInt16 = Self.number(vector, "discriminator")
      let ids = vector["vendor"].map { _ in
        ManualPairingCode.IDs(vendor: Self.number(vector, "vendor"), product: Self.number(vector, "product"))
      }
      let code = ManualPairingCode(shortDiscriminator: UInt8(discriminator >> 8), passcode: passcode, ids: ids)
      #expect(code.text == text)
      #expect(try ManualPairingCode(text: text) == code)
      #expect(
        try ManualPairingCode(text: "\(text.prefix(4))-\(text.dropFirst(4).prefix(3)) \(text.dropFirst(7))") == code)
    }
  }

  @Test("No device has a forbidden passcode")
  func forbidden() {
    for number in Self.setup["forbidden_passcodes"] as! [Int] { #expect(Passcode(UInt32(number)) == nil) }
    for number in [1, 20_202_021, 99_999_998] as [UInt32] { #expect(Passcode(number)?.number == number) }
    for number in [99_999_999, 100_000_000, .max] as [UInt32] { #expect(Passcode(number) == nil) }
  }

  @Test("Random payloads are read as they were written, also their data", arguments: 1...100)
  func random(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var passcode: Passcode?
    while passcode == nil { passcode = Passcode(.random(in: 0...99_999_999, using: &random)) }
    var payload = OnboardingPayload(
      vendor: .random(in: 0...0xFFFF, using: &random), product: .random(in: 0...0xFFFF, using: &random),
      flow: [.standard, .userIntent, .custom].randomElement(using: &random)!,
      discovery: .init(rawValue: .random(in: 0...255, using: &random)),
      discriminator: .random(in: 0...4095, using: &random), passcode: passcode!)
    payload.more = (0..<Int.random(in: 0...10, using: &random)).map { _ in .random(in: 0...255, using: &random) }
    #expect(try OnboardingPayload(qrText: payload.qrText) == payload)
    let code = payload.manualCode
    #expect(code.text.count == (payload.flow == .standard ? 11 : 21))
    #expect(try ManualPairingCode(text: code.text) == code)
  }

  @Test("Each wrong digit, and each swap of neighbours, is found")
  func digits() throws {
    let code = Array("34970112332".utf8)
    for place in code.indices {
      for digit in UInt8(ascii: "0")...UInt8(ascii: "9") where digit != code[place] {
        var wrong = code
        wrong[place] = digit
        #expect(throws: OnboardingError.self) { try ManualPairingCode(text: String(decoding: wrong, as: UTF8.self)) }
      }
      guard place + 1 < code.count, code[place] != code[place + 1] else { continue }
      var wrong = code
      wrong.swapAt(place, place + 1)
      #expect(throws: OnboardingError.self) { try ManualPairingCode(text: String(decoding: wrong, as: UTF8.self)) }
    }
  }

  @Test(
    "Each wrong text has its reason",
    arguments: [
      ("Y.K90AFN00KA0648G00", OnboardingError.prefix), ("MT:", .length(3)), ("MT:Y.K90AFN00KA0648G0", .length(21)),
      ("MT:Y.K90AFN00KA0648G0a", .character(at: 21)), ("MT:é.K90AFN00KA064aG00", .character(at: 3)),
      ("MT:.....AFN00KA0648G00", .group(at: 3)),
      ("MT:Y.K90AFN00KA0648G00Q", .group(at: 18)),
    ])
  func wrongQR(_ text: String, _ error: OnboardingError) {
    #expect(throws: error) { try OnboardingPayload(qrText: text) }
  }

  @Test(
    "Each wrong manual code has its reason",
    arguments: [
      ("3497011233", OnboardingError.length(10)), ("34970112331", .checkDigit), ("3497O112332", .character(at: 4)),
      ("84970112332", .firstDigit), ("74970112336", .form), ("", .length(0)),
      ("349701123321234567890", .form),
    ])
  func wrongManual(_ text: String, _ error: OnboardingError) {
    #expect(throws: error) { try ManualPairingCode(text: text) }
  }

  @Test(
    "Digits that exceed their bits are refused",
    arguments: ["3999990000", "3000008192", "73497011236553632768", "73497011236552165536"])
  func range(_ text: String) {
    let digits = text.utf8.map { $0 - UInt8(ascii: "0") }
    let code = text + "\(Verhoeff.checkDigit(of: digits))"
    #expect(throws: OnboardingError.range) { try ManualPairingCode(text: code) }
  }
}
