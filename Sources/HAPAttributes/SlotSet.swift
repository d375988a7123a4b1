/// A set of small numbers (positions of characteristics) as a bit set: a look-up costs one load.
struct SlotSet {
  private var words: [UInt64] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  func contains(_ slot: Int) -> Bool {
    let word = slot >> 6
    return word < words.count && words[word] & (1 << UInt64(slot & 63)) != 0
  }

  mutating func insert(_ slot: Int) {
    guard !contains(slot) else { return }
    let word = slot >> 6
    while words.count <= word { words.append(0) }
    words[word] |= 1 << UInt64(slot & 63)
    count += 1
  }

  mutating func remove(_ slot: Int) {
    guard contains(slot) else { return }
    words[slot >> 6] &= ~(1 << UInt64(slot & 63))
    count -= 1
  }

  mutating func removeAll() {
    words.removeAll()
    count = 0
  }

  /// The members in ascending order.
  func forEach(_ body: (Int) -> Void) {
    for (index, word) in words.enumerated() where word != 0 {
      var left = word
      while left != 0 {
        body(index << 6 + left.trailingZeroBitCount)
        left &= left - 1
      }
    }
  }
}
