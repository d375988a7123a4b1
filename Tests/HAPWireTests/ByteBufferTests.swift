@testable import HAPWire
import HAPTestSupport
import Testing

struct ByteBufferTests {
  @Test(
    "A buffer behaves as an array that is consumed at the front, after any operations",
    arguments: 0..<20 as Range<UInt64>)
  func model(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var buffer = ByteBuffer(capacity: 0)
    var model: [UInt8] = []
    for _ in 0..<400 {
      switch Int.random(in: 0..<7, using: &random) {
      case 0:
        let bytes = random.bytes(Int.random(in: 0..<300, using: &random))
        buffer.append(bytes)
        model += bytes
      case 1:
        buffer.append(7 as UInt8)
        model.append(7)
      case 2:
        let count = Int.random(in: 0...model.count, using: &random)
        buffer.consume(count)
        model.removeFirst(count)
      case 3:
        let number = Int64(bitPattern: random.next())
        buffer.appendDecimal(number)
        model += utf8(String(number))
      case 4:
        let room = buffer.reserve(10)
        #expect(room.count >= 10)
        room.copyBytes(from: [1, 2, 3] as [UInt8])
        buffer.commit(3)
        model += [1, 2, 3]
      case 5:
        let count = Int.random(in: 0...min(5, model.count), using: &random)
        buffer.removeLast(count)
        model.removeLast(count)
      default:
        let text = "täxt"
        buffer.append(text.utf8)
        model += utf8(text)
      }
      #expect(buffer.bytes == model)
      #expect(buffer.readableCount == model.count && buffer.isEmpty == model.isEmpty)
    }
  }

  @Test("Decimal numbers at their limits", arguments: [0, 9, 10, 99, .max, -1, .min] as [Int64])
  func decimals(_ number: Int64) {
    var buffer = ByteBuffer()
    buffer.appendDecimal(number)
    #expect(buffer.bytes == utf8("\(number)"))
  }

  @Test("A head is inserted before its body, with and without waiting bytes before it", arguments: [0, 1, 50, 5000])
  func gaps(_ waiting: Int) {
    var buffer = ByteBuffer(capacity: 0)
    let before = [UInt8](repeating: 1, count: waiting)
    buffer.append(before)
    let gap = buffer.openGap(40)
    let body = [UInt8](repeating: 2, count: 100)
    buffer.append(body)
    #expect(buffer.count(after: gap) == 100)
    let head = [UInt8](repeating: 3, count: 33)
    head.withUnsafeBytes { buffer.closeGap(gap, with: $0) }
    #expect(buffer.bytes == before + head + body)
    let second = buffer.openGap(40)
    buffer.append(body)
    buffer.abandonGap(second)
    #expect(buffer.bytes == before + head + body)
  }

  @Test("The body is not moved if no bytes wait before it")
  func bodyStays() {
    var buffer = ByteBuffer(capacity: 1024)
    let gap = buffer.openGap(40)
    buffer.append([9, 9])
    let bodyAddress = buffer.withReadable { $0.baseAddress! + 40 }
    ([1, 2, 3] as [UInt8]).withUnsafeBytes { buffer.closeGap(gap, with: $0) }
    #expect(buffer.withReadable { $0.baseAddress! + 3 } == bodyAddress)
  }

  @Test("A steady stream allocates only the necessary size")
  func steady() {
    var buffer = ByteBuffer(capacity: 64)
    for _ in 0..<10_000 {
      buffer.append([UInt8](repeating: 0, count: 60))
      buffer.consume(buffer.readableCount > 100 ? 100 : 50)
    }
    #expect(buffer.capacity < 200_000)
    buffer.removeAll(keepingCapacityUpTo: 128)
    #expect(buffer.capacity == 128 && buffer.isEmpty)
  }

  @Test("Consuming more bytes than available is a programming error and traps")
  func overconsumption() async {
    await #expect(processExitsWith: .failure) {
      var buffer = ByteBuffer()
      buffer.consume(1)
    }
  }
}
