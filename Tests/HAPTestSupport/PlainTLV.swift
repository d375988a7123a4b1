/// A minimal TLV8 implementation, independent of HAPWire, which can also write malformed messages.
package struct PlainTLV: Equatable, Sendable {
  package struct Item: Equatable, Sendable {
    package var type: UInt8, value: [UInt8]
    package init(_ type: UInt8, _ value: [UInt8]) { (self.type, self.value) = (type, value) }
  }
  package var items: [Item]

  package init(_ items: [(UInt8, [UInt8])]) { self.items = items.map { Item($0.0, $0.1) } }

  /// `nil` if the bytes end inside an item.
  package init?(decoding bytes: [UInt8]) {
    items = []
    var rest = bytes[...]
    var continues = false
    while let type = rest.popFirst() {
      guard let count = rest.popFirst(), rest.count >= Int(count) else { return nil }
      let value = Array(rest.prefix(Int(count)))
      rest = rest.dropFirst(Int(count))
      if continues, items.last?.type == type {
        items[items.count - 1].value += value
      } else {
        items.append(Item(type, value))
      }
      continues = count == 255
    }
  }

  package var encoded: [UInt8] {
    items.flatMap { item -> [UInt8] in
      guard item.value.count > 255 else { return [item.type, UInt8(item.value.count)] + item.value }
      return stride(from: 0, to: item.value.count, by: 255).flatMap { start -> [UInt8] in
        let part = item.value[start..<min(start + 255, item.value.count)]
        return [item.type, UInt8(part.count)] + part
      }
    }
  }

  /// The value of the first item of `type`.
  package subscript(type: UInt8) -> [UInt8]? { items.first { $0.type == type }?.value }

  package var state: UInt8? { self[6]?.first }
  package var error: UInt8? { self[7]?.first }
}
