@testable import HAPWire
import HAPTestSupport
import Testing

struct TLVTests {
  struct Vector: CustomTestStringConvertible, Sendable {
    let name: String
    let message: TLV
    let encoded: [UInt8]
    var testDescription: String { name }

    static func section(_ name: String) -> [Vector] {
      let file = try! vectorFile("tlv8.json")
      return (file[name] as! [[String: Any]]).map { entry in
        let items = (entry["items"] as? [[Any]] ?? []).map {
          TLV.Item(type: UInt8($0[0] as! Int), value: hexBytes($0[1] as! String))
        }
        return Vector(
          name: entry["name"] as! String, message: TLV(items), encoded: hexBytes(entry["encoded"] as! String))
      }
    }
  }

  @Test(
    "[TLV.1] [TLV.2] [TLV.3] [TLV.6] [TLV.14] The vectors are read and written", arguments: Vector.section("valid"))
  func validVectors(_ vector: Vector) throws {
    #expect(try TLV(decoding: vector.encoded) == vector.message)
    #expect(vector.message.encoded() == vector.encoded)
    var buffer = ByteBuffer(capacity: 0)
    vector.message.encode(into: &buffer)
    #expect(buffer.bytes == vector.encoded)
  }

  @Test("[TLV.4] [TLV.5] [TLV.7] The invalid vectors are refused as a whole", arguments: Vector.section("invalid"))
  func invalidVectors(_ vector: Vector) {
    #expect(throws: TLV.DecodingError.self) { try TLV(decoding: vector.encoded) }
  }

  @Test(
    "[TLV.10] A repeated, separated type is read as a sequence and reported as a duplicate",
    arguments: Vector.section("duplicate"))
  func duplicates(_ vector: Vector) throws {
    let message = try TLV(decoding: vector.encoded)
    #expect(message.encoded() == vector.encoded)
    #expect(message.hasDuplicates)
  }

  @Test("Each section of the vectors is tested")
  func sections() throws {
    let sections = Set(try vectorFile("tlv8.json").keys)
    #expect(sections == ["about", "valid", "invalid", "duplicate"])
    #expect(Vector.section("valid").count == 15)
    #expect(Vector.section("invalid").count == 7)
  }

  @Test("[TLV.7] Each truncation inside an item is refused, at that item")
  func truncations() throws {
    var message = TLV(state: 1)
    message.append(TLVType.publicKey, [UInt8](repeating: 7, count: 384))
    message.append(TLVType.flags, integer: 0x0100_0010)
    let whole = message.encoded()
    let itemStarts: Set = [0, 3, 3 + 257, 3 + 257 + 131, whole.count]
    for length in 0..<whole.count {
      let cut = Array(whole[..<length])
      if itemStarts.contains(length) {
        #expect(throws: Never.self) { try TLV(decoding: cut) }
      } else {
        let at = itemStarts.filter { $0 <= length }.max()!
        #expect(throws: TLV.DecodingError.truncated(at: at)) { try TLV(decoding: cut) }
      }
    }
  }

  @Test("[TLV.4] [TLV.5] A refusal has the violated rule and its place")
  func refusals() {
    #expect(throws: TLV.DecodingError.adjacentSameType(at: 3)) { try TLV(decoding: [6, 1, 1, 6, 1, 2]) }
    #expect(throws: TLV.DecodingError.adjacentSameType(at: 2)) { try TLV(decoding: [0xFF, 0, 0xFF, 0]) }
    var writer = TLVWriter()
    writer.append(3, [UInt8](repeating: 1, count: 255), fragmentSize: 255, trailingEmptyFragment: true)
    #expect(throws: TLV.DecodingError.emptyContinuation(at: 257)) { try TLV(decoding: writer.bytes) }
  }

  @Test("[TLV.1] [TLV.3] Any values are read back as they were written", arguments: 0..<50 as Range<UInt64>)
  func roundTrip(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var message = TLV()
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      let type = UInt8.random(in: 0...255, using: &random)
      if message.items.last?.type == type { continue }
      message.append(type, random.bytes(Int.random(in: 0..<1200, using: &random)))
    }
    #expect(try TLV(decoding: message.encoded()) == message)
  }

  @Test(
    "No bytes trap the reader, and accepted bytes are written back unchanged", arguments: 0..<40 as Range<UInt64>)
  func anyBytes(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var bytes = random.bytes(Int.random(in: 0..<40, using: &random))
      for index in bytes.indices where index % 2 == 1 { bytes[index] %= 6 }
      if let message = try? TLV(decoding: bytes) { #expect(message.encoded() == bytes) }
    }
  }

  @Test("[TLV.11] Integers are little-endian and 1, 2, 4 or 8 bytes long; other lengths are not integers")
  func integers() {
    for (bytes, number): ([UInt8], UInt64?) in [
      ([], nil), ([5], 5), ([1, 2], 0x0201), ([1, 2, 3], nil), ([1, 2, 3, 4], 0x0403_0201), ([1, 2, 3, 4, 5], nil),
      ([255, 255, 255, 255, 255, 255, 255, 255], .max), ([UInt8](repeating: 0, count: 9), nil),
    ] {
      #expect(TLV([.init(type: 9, value: bytes)]).integer(9) == number)
    }
    #expect(TLV([.init(type: 9, value: [1, 2, 3])]).integer(9, upToBytes: 4) == 0x030201)
    #expect(TLV([.init(type: 9, value: [1, 2, 3, 4, 5])]).integer(9, upToBytes: 4) == nil)
    #expect(TLV().integer(9) == nil)
    for number in [0, 255, 256, 65535, 65536, 0xFFFF_FFFF, 0x1_0000_0000, .max] as [UInt64] {
      var message = TLV()
      message.append(1, integer: number)
      #expect(message.integer(1) == number)
    }
  }

  @Test("[TLV.12] State, Method and Permissions are one byte or absent")
  func singleBytes() {
    #expect(TLV(state: 200).state == 200)
    #expect(TLV([.init(type: TLVType.state, value: [1, 0])]).state == nil)
    #expect(TLV([.init(type: TLVType.state, value: [])]).state == nil)
  }

  @Test("[TLV.8] [TLV.9] Items are found in any order, among unknown ones")
  func order() throws {
    let message = try TLV(decoding: [0x77, 1, 9, 3, 1, 8, 6, 1, 3])
    #expect(message.state == 3)
    #expect(message[TLVType.publicKey] == [8])
    #expect(message[TLVType.proof] == nil)
    #expect(!message.hasDuplicates)
  }

  @Test("[TLV.13] The numbers of types, methods and errors")
  func numbers() {
    #expect(
      [
        TLVType.method, TLVType.identifier, TLVType.salt, TLVType.publicKey, TLVType.proof, TLVType.encryptedData,
        TLVType.state, TLVType.error, TLVType.retryDelay, TLVType.certificate, TLVType.signature,
        TLVType.permissions, TLVType.fragmentData, TLVType.fragmentLast, TLVType.sessionID, TLVType.flags,
        TLVType.separator,
      ] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x13, 0xFF])
    #expect(PairingMethod.addPairing.rawValue == 3 && PairingMethod.pairResume.rawValue == 6)
    #expect(PairingError.authentication.rawValue == 2 && PairingError.unavailable.rawValue == 6)
    #expect(PairingError.busy.rawValue == 7 && PairingError.maxPeers.rawValue == 4)
    #expect(TLV.error(.maxTries, state: 2).encoded() == [6, 1, 2, 7, 1, 5])
    #expect(PairingFlags.transient.rawValue == 0x10 && PairingFlags.split.rawValue == 0x0100_0000)
  }

  @Test("Malformed messages can be written deliberately")
  func wrongOnPurpose() {
    var writer = TLVWriter()
    writer.append(5, [1, 2, 3], fragmentSize: 2)
    writer.appendRaw(6, declaredLength: 9, [1])
    writer.appendRaw([0xAA])
    #expect(writer.bytes == [5, 2, 1, 2, 5, 1, 3, 6, 9, 1, 0xAA])
  }
}
