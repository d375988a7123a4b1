import HAPExpectation
import HAPWire

/// Changes TLV8 messages item by item, so that their form remains readable to a parser.
enum TLVMutator {
  private static let types: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x13, 0x19, 0x7F, 0xFE, 0xFF]

  static func mutated(_ items: [TLVDraft.Item], _ chance: inout FuzzChance) -> TLVDraft {
    var draft = TLVDraft(items)
    for _ in 0...chance.below(3) { change(&draft.items, &chance) }
    return draft
  }

  private static func change(_ items: inout [TLVDraft.Item], _ chance: inout FuzzChance) {
    guard !items.isEmpty else { return items.append(item(&chance)) }
    let at = chance.below(items.count)
    switch chance.below(13) {
    case 0: items.remove(at: at)
    case 1: items.insert(items[at], at: chance.below(items.count + 1))
    case 2: items.swapAt(at, chance.below(items.count))
    case 3: items[at].type = chance.pick(types)
    case 4: items[at].declaredLength = chance.pick([0, 1, 2, 31, 33, 127, 128, 254, 255, chance.byte()])
    case 5: items[at].value = []
    case 6: items[at].value = Array(items[at].value.prefix(chance.below(items[at].value.count + 1)))
    case 7: items[at].value += chance.bytes(chance.pick([1, 16, 254, 255, 256, 511, 1 + chance.size(below: 3000)]))
    case 8: items[at].value = [UInt8](repeating: chance.pick([0, 0xFF]), count: max(1, items[at].value.count))
    case 9: items[at].fragments = (0...chance.below(4)).map { _ in chance.pick([0, 1, 2, 100, 254, 255]) }
    case 10: items.insert(item(&chance), at: chance.below(items.count + 1))
    case 11:
      let some = Array(
        repeating: TLVDraft.Item(type: chance.pick(types), value: []), count: 1 + chance.size(below: 400))
      items.insert(contentsOf: some, at: at)
    default:
      guard !items[at].value.isEmpty else { return items[at].value.append(chance.byte()) }
      items[at].value[chance.below(items[at].value.count)] ^= 1 << UInt8(chance.below(8))
    }
  }

  private static func item(_ chance: inout FuzzChance) -> TLVDraft.Item {
    .init(type: chance.pick(types), value: chance.bytes(chance.pick([0, 1, 2, 32, 64, 255, chance.below(600)])))
  }
}
