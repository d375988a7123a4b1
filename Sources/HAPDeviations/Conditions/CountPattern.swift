/// A pattern for a number: `2`, `2+` (2 or more), `-3` (3 or less).
package struct CountPattern: Equatable, Sendable {
  let range: ClosedRange<Int>

  init?(_ text: String) {
    if text.hasSuffix("+"), let least = Int(text.dropLast()), least >= 0 {
      range = least...Int.max
    } else if text.hasPrefix("-"), let most = Int(text.dropFirst()), most >= 0 {
      range = 0...most
    } else if let count = Int(text), count >= 0 {
      range = count...count
    } else {
      return nil
    }
  }

  package func fits(_ count: Int) -> Bool { range.contains(count) }
}
