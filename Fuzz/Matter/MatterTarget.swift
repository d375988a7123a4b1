import FuzzSupport
import HAPWire
import MatterWire

package func fuzzMatter(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  switch program.number(below: 4) {
  case 0: fuzzElements(program.remainder())
  case 1: fuzzHeaders(program.remainder())
  case 2: fuzzStatusReport(program.remainder())
  default: fuzzOnboarding(String(decoding: program.remainder(), as: UTF8.self))
  }
}

private func fuzzElements(_ bytes: [UInt8]) {
  var reader = ElementReader(bytes)
  do throws(ElementError) {
    while let item = try reader.next() {
      require(item.offset < reader.offset && reader.depth <= ElementReader.depthLimit)
      if case .text(let place) = item.content { require(place.upperBound <= bytes.count) }
      if case .begin = item.content, item.tag == .context(7) { try reader.skipContainer() }
    }
    require(reader.offset == bytes.count && reader.depth == 0, "the elements end before the bytes")
  } catch { require((0...bytes.count).contains(error.offset), "a place is out of range") }
  do throws(ElementError) {
    let element = try Element(decoding: bytes)
    // Not the elements: a number that is none differs from itself.
    guard let again = try? Element(decoding: element.encoded) else { fatalError("the element cannot be read again") }
    require(again.encoded == element.encoded, "the element reads again as another")
    require(element.encoded.count <= bytes.count, "the element was written in a longer form")
  } catch { require((0...bytes.count).contains(error.offset), "a place is out of range") }
}

private func fuzzHeaders(_ bytes: [UInt8]) {
  var offset = 0
  guard let header = try? MessageHeader(bytes, offset: &offset) else { return require(offset == 0) }
  require(offset >= 8 && offset <= bytes.count)
  let begin = offset
  let exchange = try? ExchangeHeader(bytes, offset: &offset)
  require(offset <= bytes.count && (exchange == nil) == (offset == begin))
  var buffer = ByteBuffer()
  header.encode(into: &buffer)
  let length = buffer.readableCount
  exchange?.encode(into: &buffer)
  var place = 0
  let again = try? MessageHeader(buffer.bytes, offset: &place)
  require(again.map { isSame($0, header) } ?? false && place == length)
  if let exchange { require((try? ExchangeHeader(buffer.bytes, offset: &place)) == exchange) }
}

/// Whether a header that was written and read is the received one. Extensions are not written.
private func isSame(_ again: MessageHeader, _ header: MessageHeader) -> Bool {
  again.securityFlags == header.securityFlags & ~0x20 && again.session == header.session
    && again.counter == header.counter && again.source == header.source && again.destination == header.destination
}

private func fuzzStatusReport(_ bytes: [UInt8]) {
  guard let report = try? StatusReport(decoding: bytes) else { return require(bytes.count < 8) }
  var buffer = ByteBuffer()
  report.encode(into: &buffer)
  require((try? StatusReport(decoding: buffer.bytes)) == report, "the report reads again as another")
}

private func fuzzOnboarding(_ text: String) {
  if let payload = try? OnboardingPayload(qrText: text) {
    require(payload.qrText == text, "the payload is written as another text")
    require((try? ManualPairingCode(text: payload.manualCode.text)) == payload.manualCode)
  }
  if let code = try? ManualPairingCode(text: text) {
    require(code.text == text.filter { $0 != "-" && $0 != " " }, "the code is written as another text")
  }
}
