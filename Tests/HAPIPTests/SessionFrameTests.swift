import HAPCrypto
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPIP

private let key = SecretBytes(Array(1...32))
/// The contents of `Tests/Vectors/session.json`.
nonisolated(unsafe) private let sessionVectors = try! vectorFile("session")

private func plaintext(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) } }

/// Frames sealed one by one with the other implementation of the cipher.
private func frame(_ plain: [UInt8], counter: UInt64, key: SecretBytes = key) -> [UInt8] {
  let length = withUnsafeBytes(of: UInt16(plain.count).littleEndian, Array.init)
  let nonce = [0, 0, 0, 0] + withUnsafeBytes(of: counter.littleEndian, Array.init)
  return length + ChaChaPoly.seal(plain, key: key, nonce: nonce, aad: length)
}

private func frames(_ plain: [UInt8], size: Int = 1024, counter: UInt64 = 0) -> [UInt8] {
  var counter = counter
  return stride(from: 0, to: plain.count, by: size).flatMap { start in
    defer { counter += 1 }
    return frame(Array(plain[start..<min(start + size, plain.count)]), counter: counter)
  }
}

/// An opener and its buffer.
private final class Receiver {
  var opener: FrameOpener
  var buffer = ByteBuffer(capacity: 64)

  init(_ key: SecretBytes = key, counter: UInt64 = 0) { opener = FrameOpener(key: key, counter: counter) }

  func receive(_ bytes: [UInt8]) -> FrameOpener.Failure? {
    buffer.append(bytes)
    do throws(FrameOpener.Failure) {
      try opener.open(&buffer)
      return nil
    } catch { return error }
  }

  var isEmpty: Bool { buffer.isEmpty }
  var counter: UInt64 { opener.counter }
  var plain: [UInt8] { opener.withPlaintext(of: buffer) { Array($0) } }

  func take(_ count: Int? = nil) -> [UInt8] {
    let taken = Array(plain.prefix(count ?? .max))
    opener.consume(taken.count, from: &buffer)
    return taken
  }
}

@Suite struct FrameOpenerTests {
  @Test("[SE.1] [SE.2] The frames of the vectors open") func vectors() {
    for message in sessionVectors.list("frames") {
      let list = message.list("frames")
      let receiver = Receiver(
        SecretBytes(sessionVectors.object("pairVerify").bytes(message.text("direction"))),
        counter: UInt64(list[0]["counter"] as! Int))
      #expect(receiver.receive(list.flatMap { $0.bytes("sealed") }) == nil)
      #expect(receiver.plain == message.bytes("plaintext"))
    }
  }

  @Test("[SE.7] [SE.9] A message split into frames anywhere is opened as one", arguments: [1, 2, 17, 1023, 1024])
  func anySize(_ size: Int) {
    let plain = plaintext(3000)
    let receiver = Receiver()
    #expect(receiver.receive(frames(plain, size: size)) == nil)
    #expect(receiver.take() == plain)
    #expect(receiver.isEmpty)
    #expect(receiver.counter == UInt64((3000 + size - 1) / size))
  }

  @Test(
    "[SE.8] [SE.11] Frames may arrive split anywhere, and plaintext may be consumed in any portions",
    arguments: 0..<40 as Range<UInt64>)
  func anyCut(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let plain = plaintext(4000)
    var sealed: [UInt8] = [], at = 0, counter: UInt64 = 0
    while at < plain.count {
      let count = min(plain.count - at, Int.random(in: 0...(seed % 2 == 0 ? 1024 : 60), using: &random))
      sealed += frame(Array(plain[at..<at + count]), counter: counter)
      at += count
      counter += 1
    }
    let receiver = Receiver()
    var taken: [UInt8] = [], sent = 0
    while sent < sealed.count {
      let count = min(sealed.count - sent, Int.random(in: 1...(seed % 3 == 0 ? 5 : 1500), using: &random))
      #expect(receiver.receive(Array(sealed[sent..<sent + count])) == nil)
      sent += count
      if Bool.random(using: &random) { taken += receiver.take(Int.random(in: 0...2000, using: &random)) }
    }
    taken += receiver.take()
    #expect(taken == plain)
    #expect(receiver.isEmpty)
    #expect(receiver.counter == counter)
  }

  @Test("[SE.10] An empty frame is counted and otherwise ignored") func empty() {
    let receiver = Receiver()
    #expect(receiver.receive(frame([], counter: 0)) == nil)
    #expect(receiver.isEmpty)
    #expect(receiver.receive(frame([1], counter: 1) + frame([], counter: 2) + frame([2], counter: 3)) == nil)
    #expect(receiver.take() == [1, 2])
    #expect(receiver.isEmpty)
  }

  @Test(
    "[SE.4] A frame that announces more than 1024 bytes fails when its length has arrived",
    arguments: [1025, 2048, 65535])
  func tooLong(_ count: Int) {
    let receiver = Receiver()
    #expect(receiver.receive([UInt8(count & 0xFF)]) == nil)
    #expect(receiver.receive([UInt8(count >> 8)]) == .tooLong(count))
  }

  @Test("[SE.5] A frame with any byte changed fails, and the plaintext before it stays available") func tampered() {
    let good = frame(plaintext(40), counter: 0), next = frame(plaintext(30), counter: 1)
    for index in next.indices where index != 1 {
      var changed = next
      changed[index] ^= 1
      // A changed length may also make the frame wait for more bytes; any further byte then fails.
      let receiver = Receiver()
      var failure = receiver.receive(good + changed)
      if failure == nil { failure = receiver.receive([UInt8](repeating: 0, count: 64)) }
      #expect(failure == .badTag)
      #expect(receiver.plain == plaintext(40))
    }
  }

  @Test("[SE.5] A replayed frame, a skipped count and another key fail") func counters() {
    let first = frame([1], counter: 0)
    let replayed = Receiver()
    #expect(replayed.receive(first) == nil)
    #expect(replayed.receive(first) == .badTag)
    let skipped = Receiver()
    #expect(skipped.receive(frame([1], counter: 1)) == .badTag)
    let other = Receiver(SecretBytes([UInt8](repeating: 0, count: 32)))
    #expect(other.receive(first) == .badTag)
  }

  @Test("[SE.12] Plain HTTP is not a frame") func plainHTTP() {
    let receiver = Receiver()
    #expect(receiver.receive(Array("GET /accessories HTTP/1.1\r\n\r\n".utf8)) == .tooLong(0x4547))
  }

  @Test("Consuming more bytes than available is a programming error and traps") func traps() async {
    await #expect(processExitsWith: .failure) {
      var opener = FrameOpener(key: SecretBytes([UInt8](repeating: 0, count: 32)))
      var buffer = ByteBuffer()
      buffer.append([1, 2, 3])
      opener.consume(1, from: &buffer)
    }
  }
}

@Suite struct FrameSealerTests {
  @Test("[SE.1] [SE.2] The frames of the vectors are sealed byte for byte") func vectors() {
    for message in sessionVectors.list("frames") {
      let list = message.list("frames")
      var sealer = FrameSealer(
        key: SecretBytes(sessionVectors.object("pairVerify").bytes(message.text("direction"))),
        counter: UInt64(list[0]["counter"] as! Int))
      var buffer = ByteBuffer()
      buffer.append(message.bytes("plaintext"))
      sealer.seal(&buffer)
      #expect(buffer.bytes as [UInt8] == list.flatMap { $0.bytes("sealed") })
    }
  }

  @Test(
    "[SE.3] [SE.9] Any length is sealed in frames of 1024 bytes and a rest, none of them empty",
    arguments: [0, 1, 2, 17, 18, 19, 1005, 1006, 1023, 1024, 1025, 2047, 2048, 2049, 5000, 100_000])
  func lengths(_ count: Int) {
    var sealer = FrameSealer(key: key)
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(plaintext(count))
    sealer.seal(&buffer)
    #expect(buffer.bytes as [UInt8] == frames(plaintext(count)))
    #expect(Int(buffer.readableCount) == FrameSealer.sealedCount(of: count))
    #expect(UInt64(sealer.counter) == UInt64((count + 1023) / 1024))
  }

  @Test("Bytes before the plaintext that were already sealed stay unchanged") func behind() {
    var sealer = FrameSealer(key: key)
    var buffer = ByteBuffer(capacity: 64)
    var expected: [UInt8] = []
    var counter: UInt64 = 0
    for count in [3, 1024, 0, 2500, 1] {
      let offset = buffer.readableCount
      buffer.append(plaintext(count))
      sealer.seal(&buffer, from: offset)
      expected += frames(plaintext(count), counter: counter)
      counter += UInt64((count + 1023) / 1024)
      #expect(buffer.bytes as [UInt8] == expected)
    }
    #expect(UInt64(sealer.counter) == counter)
  }

  @Test("Messages sealed by one side are opened by the other, many in a row") func bothEnds() {
    var sealer = FrameSealer(key: key)
    let receiver = Receiver()
    var buffer = ByteBuffer()
    for count in [1, 300, 1024, 4097, 0, 77] {
      buffer.append(plaintext(count))
      sealer.seal(&buffer)
      #expect(receiver.receive(buffer.bytes) == nil)
      #expect(receiver.take() == plaintext(count))
      buffer.consume(buffer.readableCount)
    }
  }

  @Test("A plaintext outside the buffer is a programming error and traps") func traps() async {
    await #expect(processExitsWith: .failure) {
      var sealer = FrameSealer(key: SecretBytes([UInt8](repeating: 0, count: 32)))
      var buffer = ByteBuffer()
      sealer.seal(&buffer, from: 1)
    }
    await #expect(processExitsWith: .failure) {
      var sealer = FrameSealer(key: SecretBytes([UInt8](repeating: 0, count: 32)))
      var buffer = ByteBuffer()
      sealer.seal(&buffer, from: -1)
    }
  }
}
