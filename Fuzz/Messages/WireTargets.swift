import FuzzSupport
import HAPCrypto
import HAPIP
import HAPWire

package func fuzzTLV(_ bytes: UnsafeRawBufferPointer) {
  guard let tlv = try? TLV(decoding: bytes) else { return }
  guard let again = try? TLV(decoding: tlv.encoded()) else { fatalError("the value cannot be read again") }
  require(again == tlv, "the value reads again as another")
  _ = (tlv.hasDuplicates, tlv.state, tlv.error)
  for type in UInt8.min...UInt8.max { _ = (tlv.integer(type), tlv.byte(type)) }
}

package func fuzzHTTP(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  let areRequests = program.isSet()
  let step = 1 + program.number(below: 64)
  let stream = program.remainder()
  let whole = areRequests ? requests(stream, step: stream.count + 1) : responses(stream, step: stream.count + 1)
  let parts = areRequests ? requests(stream, step: step) : responses(stream, step: step)
  require(whole == parts, "dividing the bytes changes the messages")
}

package func fuzzDNS(_ bytes: UnsafeRawBufferPointer) {
  do throws(DNSMessage.DecodingError) {
    let message = try DNSMessage(decoding: bytes)
    for isCompressing in [false, true] {
      let written = message.encoded(compressing: isCompressing)
      guard let again = try? DNSMessage(decoding: written) else { fatalError("the message cannot be read again") }
      require(again == message, "the message reads again as another")
    }
    for name in message.questions.map(\.name) + message.records.map(\.name) {
      require(name.isWellFormed, "a name is malformed")
      require(DNSName(name.description) == name, "the text of a name reads as another name")
      require(name.isWithin(name) && name.isWithin(DNSName([])))
      require(name.parent.map(name.isWithin) ?? true)
    }
    for record in message.records {
      guard case .text(let strings) = record.data else { continue }
      for string in strings { require(DNSTextEntry(string).foldedKey.count <= string.count) }
    }
  } catch {
    switch error {
    case .truncated(let place), .malformedLabel(let place), .malformedPointer(let place), .nameTooLong(let place),
      .malformedData(let place):
      require((0...bytes.count).contains(place), "a place is out of range")
    }
  }
}

/// Returns a description of the messages that the parser reads from a stream in pieces of `step` bytes.
private func requests(_ stream: [UInt8], step: Int) -> [String] {
  var parser = HTTPRequestParser()
  return messages(stream, step: step) { bytes in
    switch parser.parse(bytes) {
    case .incomplete: return nil
    case .request(let head, let body, let consumed):
      let words = text(bytes, head.target) + " " + text(bytes, body) + " \(head.fields.headerCount)"
      return Parsed(words: words, consumed: consumed)
    case .malformed(let error): return Parsed(words: "\(error)", consumed: nil)
    }
  }
}

private func responses(_ stream: [UInt8], step: Int) -> [String] {
  var parser = HTTPResponseParser()
  return messages(stream, step: step) { bytes in
    switch parser.parse(bytes) {
    case .incomplete: return nil
    case .message(let head, let body, let consumed):
      return Parsed(words: "\(head.isEvent) \(head.status) " + text(bytes, body), consumed: consumed)
    case .malformed(let error): return Parsed(words: "\(error)", consumed: nil)
    }
  }
}

/// A description of a message; without `consumed` it was the last.
private struct Parsed {
  var words: String
  var consumed: Int?
}

private func messages(
  _ stream: [UInt8], step: Int, _ parse: (UnsafeMutableRawBufferPointer) -> Parsed?
) -> [String] {
  var buffer = ByteBuffer()
  var found: [String] = []
  var start = 0
  repeat {
    let end = min(stream.count, start + step)
    buffer.append(Array(stream[start..<end]))
    start = end
    while !buffer.isEmpty {
      guard let parsed = buffer.withReadable(parse) else { break }
      found.append(parsed.words)
      guard let consumed = parsed.consumed else { return found }
      require(consumed > 0 && consumed <= buffer.readableCount, "a message of \(consumed) bytes")
      buffer.consume(consumed)
    }
  } while start < stream.count
  return found
}

private func text(_ bytes: UnsafeMutableRawBufferPointer, _ range: Range<Int>) -> String {
  String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
}

package func fuzzFrames(_ bytes: UnsafeRawBufferPointer) {
  let key = SecretBytes([UInt8](repeating: 7, count: 32))
  var program = ByteProgram(bytes)
  var sealer = FrameSealer(key: key)
  var opener = FrameOpener(key: key)
  var wire = ByteBuffer()
  var sent: [UInt8] = []
  var got: [UInt8] = []
  var isForged = false
  while !program.isAtEnd {
    switch program.number(below: 4) {
    case 0, 1:
      let plain = program.piece()
      guard !plain.isEmpty else { continue }
      let start = wire.readableCount
      wire.append(plain)
      sealer.seal(&wire, from: start)
      if !isForged { sent += plain }
    case 2:
      let bytes = program.piece()
      isForged = isForged || !bytes.isEmpty
      wire.append(bytes)
    default:
      var part = ByteBuffer()
      part.append(wire.bytes)
      do throws(FrameOpener.Failure) {
        try opener.open(&wire)
      } catch {
        require(isForged, "an unchanged frame was refused: \(error)")
        return
      }
      let count = opener.withPlaintext(of: wire) { plain in
        got += Array(plain)
        return plain.count
      }
      opener.consume(count, from: &wire)
    }
  }
  require(sent.starts(with: got), "opened bytes that were never sealed")
}

package func fuzzJSON(_ bytes: UnsafeRawBufferPointer) {
  var reader = JSONReader(bytes)
  var isWhole = false
  while true {
    guard let token = try? reader.next() else { break }
    require(reader.depth <= 64)
    if token == .end {
      isWhole = true
      break
    }
  }
  do throws(JSONError) {
    let node = try JSONNode.parse([UInt8](bytes))
    require(isWhole, "a tree was built from text that the reader refuses")
    let written = JSONWriter.bytes { $0.node(node) }
    guard let again = try? JSONNode.parse(written) else { fatalError("the written JSON cannot be read") }
    require(JSONWriter.bytes { $0.node(again) } == written, "the written JSON is written differently again")
    changeJSON([UInt8](bytes), node)
  } catch {
    require(error.place.line >= 1 && error.place.column >= 1)
  }
}

/// Applies changes at the leaves of the tree. They must not affect the rest.
private func changeJSON(_ bytes: [UInt8], _ node: JSONNode) {
  guard var text = try? JSONDocument(bytes, width: 40) else { fatalError("a readable document cannot be changed") }
  require(text.root == node && text.bytes == bytes)
  let new = JSONNode.object([("a", .list([.integer(1), .object([])]))])
  var place = node
  var depth = 0
  while let next = place.elements?.last ?? place.members?.last?.value {
    place = next
    depth += 1
  }
  guard depth < 60 else { return }
  do throws(JSONError) {
    if place.elements != nil {
      try text.append(new, to: place.path)
      try text.append(new, to: place.path)
    } else if place.members != nil {
      try text.set("b", of: place.path, to: new)
      try text.set("a", of: place.path, to: new, order: ["a", "b"])
    } else {
      try text.replace(place.path, with: new)
    }
  } catch { fatalError("a change resulted in malformed JSON: \(error)") }
  require(!text.root.says(node), "a change had no effect")
  if place.elements != nil {
    text.remove(.element(of: place.path, 1))
    text.remove(.element(of: place.path, 0))
  } else if place.members != nil {
    text.remove(.member(of: place.path, "b"))
    text.remove(.member(of: place.path, "a"))
  } else {
    do throws(JSONError) { try text.replace(place.path, with: place) } catch { fatalError("\(error)") }
  }
  require(text.root.says(node), "an undone change left a difference")
}
