import HAPModel
import HAPWire
import MatterProtocol

/// Runs a capture through a core again, and compares the core's output with the recorded output.
package struct CaptureReplay {
  /// A line of the file that no run can produce. Lines are counted from 1.
  package struct Mistake: Error, Equatable, CustomStringConvertible {
    package var line: Int
    package var message: String
    package var description: String { "\(line): \(message)" }
  }

  /// The first difference between the output of this run and the recorded one.
  package struct Difference: Equatable, Sendable {
    package var line: Int
    package var connection: UInt64
    /// The first byte that differs, counted from the start of the bytes that were sent together.
    package var offset: Int
    package var then: [UInt8]
    package var now: [UInt8]
  }

  /// The first result of Matter that differs from the recorded one.
  package struct MatterDifference: Equatable, Sendable {
    package var line: Int
    /// The path of the attribute or the command.
    package var what: String
    package var then: String
    package var now: String
  }

  /// An unencrypted message.
  package struct Message: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
      case http(connection: UInt64, isFromController: Bool, [UInt8])
      case matter(DecodedTraffic)
    }

    /// The time since the first line with a time.
    package var time: Duration
    package var content: Content
  }

  package private(set) var name: String
  package private(set) var inputs = 0
  package private(set) var sentBytes = 0
  /// The number of Matter messages and datagrams.
  package private(set) var matterMessages = 0
  /// The number of values and results of Matter that were compared.
  package private(set) var matterComparisons = 0
  /// The first difference of Matter; nil: there is none.
  package private(set) var matterDifference: MatterDifference?
  /// The line from which on Matter is not compared, because a request suppresses its answer; nil: all is compared.
  package private(set) var matterEnd: Int?
  /// The first difference; nil: the output is byte for byte the same.
  package private(set) var difference: Difference?
  package private(set) var messages: [Message] = []

  /// Replays a whole capture. An incomplete last line is skipped.
  package init(_ file: [UInt8]) throws(Mistake) {
    var lines: [CaptureLine] = []
    let texts = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let first = texts.first, !first.isEmpty else { throw Mistake(line: 1, message: "the file is empty") }
    let head = try Self.parse(Array(first), 1) { (node) throws(JSONProblem) in try CaptureHead(node) }
    let isWhole = texts.last?.isEmpty == true
    for (index, text) in texts.enumerated().dropFirst() where !text.isEmpty {
      if index == texts.count - 1, !isWhole { break }
      lines.append(
        try Self.parse(Array(text), index + 1) { (node) throws(JSONProblem) in try CaptureLine(node) })
    }
    name = head.name
    try run(head, lines)
  }

  private static func parse<T>(
    _ text: [UInt8], _ line: Int, _ read: (JSONNode) throws(JSONProblem) -> T
  ) throws(Mistake) -> T {
    do {
      return try read(try JSONNode.parse(text))
    } catch let error as JSONProblem {
      throw Mistake(line: line, message: "\(error.path.isEmpty ? "" : "\(error.path): ")\(error.message)")
    } catch let error as JSONError {
      throw Mistake(line: line, message: "\(error.message), at column \(error.place.column)")
    } catch {
      throw Mistake(line: line, message: "\(error)")
    }
  }

  private mutating func run(_ head: CaptureHead, _ lines: [CaptureLine]) throws(Mistake) {
    let core = try ReplayedCore(head, lines)
    let answers = Self.answers(in: lines)
    for (index, line) in lines.enumerated() {
      let number = index + 2
      do throws(ReplayedCore.Refusal) {
        switch line {
        case .drawn, .input(.verdict, _): break
        case .matter(let traffic, let time):
          matterMessages += 1
          let decoded = DecodedTraffic(traffic, by: DecodedMessage.decode)
          core.take(decoded, answer: answers[index], at: time, line: number)
        case .sent(let id, let then, _): compare(try core.takeSent(on: id), with: then, on: id, line: number)
        case .input(let input, let time):
          inputs += 1
          try core.take(input, at: time, line: number)
        }
      } catch { throw Mistake(line: number, message: error.message) }
    }
    messages = core.messages
    matterComparisons = core.node?.comparisons ?? 0
    matterDifference = core.node?.difference
    matterEnd = core.node?.end
  }

  /// An exchange of Matter that a controller or the accessory has begun.
  private struct Exchange: Hashable {
    var session: UInt16
    var number: UInt16
    var isOfController: Bool
  }

  /// Returns the accessory's answer to each request of Matter, by the index of the request's line.
  private static func answers(in lines: [CaptureLine]) -> [Int: MatterMessage] {
    var open: [Exchange: Int] = [:]
    var answers: [Int: MatterMessage] = [:]
    for (index, line) in lines.enumerated() {
      guard case .matter(.message(let message), _) = line, !message.isRepeated, message.session != .unsecured,
        message.protocolID == 1
      else { continue }
      let exchange = Exchange(
        session: message.sessionID, number: message.exchange,
        isOfController: message.isFromInitiator == message.isReceived)
      if message.isReceived {
        open[exchange] = index
      } else if let request = open.removeValue(forKey: exchange) {
        answers[request] = message
      }
    }
    return answers
  }

  private mutating func compare(_ now: [UInt8], with then: [UInt8], on id: ConnectionID, line: Int) {
    sentBytes += now.count
    guard difference == nil, now != then else { return }
    let offset = zip(now, then).enumerated().first { $1.0 != $1.1 }?.offset ?? min(now.count, then.count)
    difference = Difference(line: line, connection: id.number, offset: offset, then: then, now: now)
  }
}
