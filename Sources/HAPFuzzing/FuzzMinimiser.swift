import HAPExpectation
import HAPSuite

/// Minimises a list of messages that still causes the failure: first by messages, then by their bytes.
///
/// It implements delta debugging, but runs no trials: it returns the next candidate, and takes the result of its trial.
package struct FuzzMinimiser: Sendable {
  /// The smallest known list that causes the failure.
  package private(set) var messages: [FuzzMessage]
  package private(set) var trials = 0

  private enum Stage: Equatable {
    case lastAlone
    /// Omits `count` messages, starting at `at`.
    case messages(count: Int, at: Int)
    /// Removes the special properties of a message, one at a time.
    case extras(index: Int, number: Int)
    /// Removes parts of a message, delimited by its brackets, commas, quotes and line ends, the largest first.
    case parts(index: Int, number: Int, hasShrunk: Bool)
    case bytes(index: Int, count: Int, at: Int)
    case done
  }
  private var stage = Stage.lastAlone
  private var pending: [FuzzMessage]?

  package init(_ messages: [FuzzMessage]) { self.messages = messages }

  /// Returns the next candidate; `nil`: nothing more can be removed.
  package mutating func candidate() -> [FuzzMessage]? {
    while true {
      let found: [FuzzMessage]?
      switch stage {
      case .done: return nil
      case .lastAlone: found = messages.count > 1 ? [messages[messages.count - 1]] : nil
      case .messages(let count, let at):
        var fewer = messages
        fewer.removeSubrange(at..<min(at + count, fewer.count))
        found = fewer.isEmpty ? nil : fewer
      case .extras(let index, let number): found = plainer(index, number)
      case .parts(let index, let number, _):
        let parts = Self.parts(of: messages[index].bytes)
        guard number < parts.count else {
          found = nil
          break
        }
        var shorter = messages
        shorter[index].bytes.removeSubrange(parts[number])
        found = shorter
      case .bytes(let index, let count, let at):
        var shorter = messages
        let end = min(at + count, shorter[index].bytes.count)
        shorter[index].bytes.removeSubrange(at..<end)
        found = at < end ? shorter : nil
      }
      if let found {
        pending = found
        trials += 1
        return found
      }
      advance(false)
    }
  }

  /// - Parameter still: whether the candidate still causes the failure.
  package mutating func take(_ still: Bool) {
    guard let pending else { preconditionFailure("there is no candidate to judge") }
    self.pending = nil
    if still { messages = pending }
    advance(still)
  }

  private func plainer(_ index: Int, _ number: Int) -> [FuzzMessage]? {
    var plain = messages
    switch number {
    case 0: plain[index].sizes = []
    case 1: plain[index].fault = FrameFault()
    case 2: plain[index].cut = 0
    case 3: plain[index].ending = nil
    default: plain[index].connection = 0
    }
    return plain == messages ? nil : plain
  }

  private mutating func advance(_ wasSmaller: Bool) {
    switch stage {
    case .done: break
    case .lastAlone:
      stage = messages.count > 1 ? .messages(count: messages.count / 2, at: 0) : .extras(index: 0, number: 0)
    case .messages(let count, let at):
      let next = wasSmaller ? at : at + count
      if next < messages.count, messages.count > 1 {
        stage = .messages(count: count, at: next)
      } else if count > 1, messages.count > 1 {
        stage = .messages(count: max(1, min(count, messages.count) / 2), at: 0)
      } else {
        stage = .extras(index: 0, number: 0)
      }
    case .extras(let index, let number):
      if number < 4 {
        stage = .extras(index: index, number: number + 1)
      } else if index + 1 < messages.count {
        stage = .extras(index: index + 1, number: 0)
      } else {
        stage = .parts(index: 0, number: 0, hasShrunk: false)
      }
    case .parts(let index, let number, let hasShrunk):
      let next = wasSmaller ? number : number + 1
      let hasShrunk = hasShrunk || wasSmaller
      if next < Self.parts(of: messages[index].bytes).count {
        stage = .parts(index: index, number: next, hasShrunk: hasShrunk)
      } else if hasShrunk {
        // A part that could not be removed before may be removable now.
        stage = .parts(index: index, number: 0, hasShrunk: false)
      } else if index + 1 < messages.count {
        stage = .parts(index: index + 1, number: 0, hasShrunk: false)
      } else {
        startBytes(of: 0)
      }
    case .bytes(let index, let count, let at):
      let length = messages[index].bytes.count
      let next = wasSmaller ? at : at + count
      if next < length {
        stage = .bytes(index: index, count: count, at: next)
      } else if count > 1, length > 0 {
        stage = .bytes(index: index, count: max(1, min(count, length) / 2), at: 0)
      } else {
        startBytes(of: index + 1)
      }
    }
  }

  private mutating func startBytes(of index: Int) {
    guard index < messages.count else {
      stage = .done
      return
    }
    stage = .bytes(index: index, count: max(1, messages[index].bytes.count), at: 0)
  }

  /// Returns elements with their commas, the contents of brackets and quotes, and lines; the largest first, then in order.
  ///
  /// Bytes that are not JSON also have such parts. The parts are candidates only, so their meaning does not matter.
  static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    // The start of the current element of each open bracket, with its preceding comma, if any.
    var open: [(bracket: Int, element: Int)] = []
    var quote: Int?
    var line = 0
    for (index, byte) in bytes.enumerated() {
      if let start = quote {
        guard byte == UInt8(ascii: "\""), bytes[index - 1] != UInt8(ascii: "\\") else { continue }
        parts.append((start + 1)..<index)
        quote = nil
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): quote = index
      case UInt8(ascii: "["), UInt8(ascii: "{"): open.append((index, index + 1))
      case UInt8(ascii: ","):
        guard let last = open.last else { break }
        parts.append(last.element..<(index + 1))
        open[open.count - 1].element = index + 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard let last = open.popLast() else { break }
        parts.append((last.bracket + 1)..<index)
        // The last element is removed with the comma before it.
        if last.element > last.bracket + 1 { parts.append((last.element - 1)..<index) }
      case 0x0A:
        parts.append(line..<(index + 1))
        line = index + 1
      default: break
      }
    }
    return parts.filter { !$0.isEmpty && $0.count < bytes.count }.sorted {
      ($1.count, $0.lowerBound) < ($0.count, $1.lowerBound)
    }
  }
}
