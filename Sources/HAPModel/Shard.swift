/// One of N parts of a list, `I/N` with I starting at 0: the accessories of a fleet that run on one machine, or the
/// cases of a run in one CI job.
package struct Shard: Equatable, Sendable, CustomStringConvertible {
  /// 0 ..< `count`.
  package let index: Int
  package let count: Int

  /// The whole list.
  package static let whole = Shard(index: 0, count: 1)!

  package init?(index: Int, count: Int) {
    guard (1...10_000).contains(count), (0..<count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// Parses "0/4".
  package init?(_ text: String) {
    let words = text.split(separator: "/", omittingEmptySubsequences: false)
    guard words.count == 2, words.allSatisfy({ (1...5).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) }),
      let index = Int(words[0]), let count = Int(words[1])
    else { return nil }
    self.init(index: index, count: count)
  }

  /// Returns whether the item at this index of the list belongs to this part.
  package func has(_ place: Int) -> Bool { place % count == index }

  package var description: String { "\(index)/\(count)" }
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
