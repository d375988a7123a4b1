import HAPAttributes
import HAPModel
import HAPTestSupport
import Testing

/// Typed requests at a front end in memory.
/// Checked: these tests fail with a server that executes a write before the device has decided.
@Suite("Attributes: a front end in memory") struct MemoryFrontEndTests {
  private static let on = TestHome.id(TestHome.ID.on)

  private func open(_ quirks: AttributeQuirks = AttributeQuirks()) throws -> (MemoryFrontEnd, AttributeSession) {
    let pairings = [TestHome.pairing(TestHome.admin, isAdmin: true)]
    let front = MemoryFrontEnd(try MemoryAccessoryHost(quirks, pairings: pairings))
    return (front, try front.verify(TestHome.admin))
  }

  @Test("A refused write has a status, and changes nothing") func refused() throws {
    let (front, phone) = try open()
    let (readOnly, nothing) = (TestHome.id(TestHome.ID.readOnly), AttributeID(aid: 9, iid: 9))
    let writes = [
      AttributeWrite(readOnly, value: .integer(1)), AttributeWrite(nothing, value: .integer(1)),
      AttributeWrite(Self.on, value: .string("on")), AttributeWrite(Self.on),
      AttributeWrite(Self.on, value: .bool(true)),
    ]
    #expect(
      front.write(writes, by: phone)
        == [.readOnly, .doesNotExist, .invalidValue, .invalidValue, .success])
    #expect(front.refusals == 4)
    guard case .failure(.doesNotExist, nil) = front.accessory.attributes.readable(nothing, by: phone) else {
      Issue.record("what does not exist can be read")
      return
    }
  }

  @Test("A request that ends at a missing attribute is reported before the device gets the writes so far") func ended()
    throws
  {
    var quirks = AttributeQuirks()
    quirks.unknownWriteEndsRequest = true
    let (front, phone) = try open(quirks)
    let writes = [AttributeWrite(Self.on, value: .bool(true)), AttributeWrite(AttributeID(aid: 9, iid: 9), value: 1)]
    #expect(front.write(writes, by: phone) == nil && front.missing == 1)
    #expect(front.writesBeforeMissing == 0 && front.accessory.written.count == 1)
  }

  @Test("The device decides later, and the answer waits for it") func late() throws {
    let (front, phone) = try open()
    let device = LateDevice()
    front.accessory.attributes.writer = device
    #expect(front.write([AttributeWrite(Self.on, value: .bool(true))], by: phone) == nil)
    front.accessory.attributes.judged(device.last, .refused(.busy), at: .zero)
    #expect(front.late == [[.busy]])
    #expect(front.write([AttributeWrite(Self.on, value: .bool(true))], by: phone) == nil)
    front.accessory.attributes.advance(to: .seconds(3600))
    #expect(front.late == [[.busy], [.timedOut]])
    #expect(front.accessory.attributes.database[Self.on] == .bool(false))
  }

  private final class LateDevice: CharacteristicWriter {
    private(set) var last: UInt64 = 0
    func judge(_ write: CharacteristicWrite) -> WriteVerdict {
      last = write.number
      return .later
    }
  }
}
