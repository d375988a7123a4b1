import HAPWire

/// One change of a TLV8 message. See docs/reference/defects.md, "Edits of TLV8".
struct TLVEdit: Sendable {
  enum Change: Sendable {
    case set([UInt8])
    case add([UInt8], atBeginning: Bool)
    case remove
    case flip(byte: Int)
    /// Shortens the value, or appends zeros.
    case resize(Int)
    /// Prepends zeros.
    case pad(Int)
    case reverse
    case lower
    case `repeat`
    /// Moves these items to the front, in this order.
    case order([UInt8])
    /// Splits values after this number of bytes.
    case fragments(Int)
  }

  enum Subject: Sendable {
    case item(UInt8)
    /// The items between two separators.
    case entry
  }

  /// The items to change; not used for `order` and `fragments`.
  let subjectType: Subject
  /// Counted from 1; `nil`: all of them.
  let nth: Int?
  let change: Change

  func apply(to message: inout TLV) {
    guard case .item(let type) = subjectType else { return changeEntries(&message) }
    switch change {
    case .order(let types):
      let first = types.flatMap { type in message.items.filter { $0.type == type } }
      message.items = first + message.items.filter { !types.contains($0.type) }
    case .fragments: break
    case .add(let value, let atBeginning):
      message.items.insert(TLV.Item(type: type, value: value), at: atBeginning ? 0 : message.items.count)
    case .set(let value) where !message.items.contains { $0.type == type }: message.append(type, value)
    case .set, .remove, .flip, .resize, .pad, .reverse, .lower, .repeat:
      var seen = 0
      message.items = message.items.flatMap { item in
        guard item.type == type else { return [item] }
        seen += 1
        return nth == nil || nth == seen ? changed(item) : [item]
      }
    }
  }

  private func changeEntries(_ message: inout TLV) {
    // The first entry begins after State, which belongs to no entry.
    let head = message.items.prefix { $0.type == TLVType.state }
    let entries = message.items.dropFirst(head.count).split(
      omittingEmptySubsequences: true, whereSeparator: { $0.type == TLVType.separator })
    var kept: [ArraySlice<TLV.Item>] = []
    for (index, entry) in entries.enumerated() {
      let isMeant = nth == nil || nth == index + 1
      if case .remove = change, isMeant { continue }
      kept.append(entry)
      if case .repeat = change, isMeant { kept.append(entry) }
    }
    message.items = Array(head)
    for (index, entry) in kept.enumerated() {
      if index > 0 { message.appendSeparator() }
      message.items += entry
    }
  }

  private func changed(_ item: TLV.Item) -> [TLV.Item] {
    var item = item
    switch change {
    case .set(let value): item.value = value
    case .remove: return []
    case .flip(let byte):
      let position = byte < 0 ? item.value.count + byte : byte
      if item.value.indices.contains(position) { item.value[position] ^= 1 }
    case .resize(let count):
      item.value = Array(item.value.prefix(count)) + Array(repeating: 0, count: max(0, count - item.value.count))
    case .pad(let count):
      item.value = Array(repeating: 0, count: max(0, count - item.value.count)) + item.value
    case .reverse: item.value.reverse()
    case .lower: item.value = Array(String(decoding: item.value, as: UTF8.self).lowercased().utf8)
    case .repeat: return [item, item]
    case .add, .order, .fragments: break
    }
    return [item]
  }
}

extension Array<TLVEdit> {
  /// Returns the message after all edits; `nil`: it is not TLV8.
  func apply(to body: [UInt8]) -> [UInt8]? {
    guard var message = try? TLV(decoding: body) else { return nil }
    var size = 255
    for edit in self {
      if case .fragments(let count) = edit.change { size = count }
      edit.apply(to: &message)
    }
    var writer = TLVWriter()
    for item in message.items { writer.append(item.type, item.value, fragmentSize: size) }
    return writer.bytes
  }
}
