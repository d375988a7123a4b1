import HAPSuite
import HAPWire

/// An outgoing TLV8 message that can be made invalid in every possible way.
package struct TLVDraft: Equatable {
  package struct Item: Equatable {
    package var type: UInt8
    package var value: [UInt8]
    /// Sizes of its first fragments; the remaining fragments have the regular size.
    package var fragments: [Int] = []
    /// The length in its header, regardless of its value.
    package var declaredLength: UInt8?

    package init(type: UInt8, value: [UInt8]) {
      self.type = type
      self.value = value
    }
  }

  package var items: [Item]
  /// Bytes after the items.
  private var tail: [UInt8] = []
  /// Number of bytes to cut from the end.
  private var cut = 0
  /// Bytes that replace the whole message.
  private var replacement: [UInt8]?

  package init(_ items: [Item] = []) { self.items = items }

  package init(_ message: TLV) { items = message.items.map { Item(type: $0.type, value: $0.value) } }

  /// Creates a draft from a suite's items.
  package init(_ items: [MessageItem], _ maker: ByteMaker) {
    self.items = items.map { Item(type: $0.type, value: maker.bytes($0.value)) }
  }

  // MARK: Alterations

  /// - Throws: if an alteration names an item that the message doesn't have.
  package mutating func alter(_ alterations: [MessageAlteration], _ maker: ByteMaker) throws(StepError) {
    for alteration in alterations {
      do throws(StepProblem) { try alter(alteration.change, maker) } catch { throw alteration.error(error.message) }
    }
  }

  private mutating func alter(_ change: MessageChange, _ maker: ByteMaker) throws(StepProblem) {
    switch change {
    case .drop(let type): items.removeAll { $0.type == type }
    case .set(let others):
      for item in TLVDraft(others, maker).items {
        if let index = items.firstIndex(where: { $0.type == item.type }) {
          items[index].value = item.value
        } else {
          items.append(item)
        }
      }
    case .add(let others): items += TLVDraft(others, maker).items
    case .prepend(let others): items = TLVDraft(others, maker).items + items
    case .duplicate(let type): items.append(items[try index(of: type)])
    case .flip(let type, let offset): ByteMaker.flip(&items[try index(of: type)].value, at: offset)
    case .truncate(let type, let count):
      let index = try index(of: type)
      items[index].value = Array(items[index].value.prefix(count))
    case .shorten(let type, let count):
      let index = try index(of: type)
      items[index].value = Array(items[index].value.dropLast(count))
    case .extend(let type, let count, let isInFront):
      let index = try index(of: type)
      let zeros = [UInt8](repeating: 0, count: count)
      items[index].value = isInFront ? zeros + items[index].value : items[index].value + zeros
    case .fragment(let type, let sizes): items[try index(of: type)].fragments = sizes
    case .declare(let type, let length): items[try index(of: type)].declaredLength = length
    case .reverse: items.reverse()
    case .move(let type, let toFront):
      let item = items.remove(at: try index(of: type))
      if toFront { items.insert(item, at: 0) } else { items.append(item) }
    case .append(let recipe): tail += maker.bytes(recipe)
    case .cut(let count): cut = min(cut + count, ByteRecipe.limit)
    case .replace(let recipe): replacement = maker.bytes(recipe)
    }
  }

  private func index(of type: UInt8) throws(StepProblem) -> Int {
    guard let index = items.firstIndex(where: { $0.type == type }) else {
      let name = Vocabulary.itemTypes.first { $0.type == type }?.name ?? "0x" + Hexadecimal.text([type])
      throw StepProblem("the message has no item \"\(name)\" to alter")
    }
    return index
  }

  // MARK: Encoding

  package func encoded() -> [UInt8] {
    if let replacement { return replacement }
    var writer = TLVWriter()
    for item in items {
      if let length = item.declaredLength {
        writer.appendRaw(item.type, declaredLength: length, item.value)
        continue
      }
      var rest = item.value[...]
      for size in item.fragments {
        writer.appendRaw(item.type, declaredLength: UInt8(clamping: min(size, rest.count)), rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      if item.fragments.isEmpty || !rest.isEmpty { writer.append(item.type, Array(rest)) }
    }
    return Array((writer.bytes + tail).dropLast(cut))
  }
}
