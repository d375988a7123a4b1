import HAPWire

/// What was heard, in order, as much as a bound allows; the oldest goes first.
struct PacketLog {
  /// A place between two packets.
  struct Mark: Hashable, Sendable {
    /// Of the packet before it; 0 before the first.
    let number: Int
  }

  static let largestCount = 4096
  /// About as many bytes of memory.
  static let largestCost = 16 << 20

  private(set) var packets: [ObservedPacket] = []
  private(set) var lastNumber = 0
  private var costs: [Int] = []
  private var cost = 0
  private let countLimit: Int
  private let costLimit: Int

  init(countLimit: Int = largestCount, costLimit: Int = largestCost) {
    self.countLimit = countLimit
    self.costLimit = costLimit
  }

  var mark: Mark { Mark(number: lastNumber) }

  /// The number of the packet that is appended next.
  var nextNumber: Int { lastNumber + 1 }

  mutating func append(_ packet: ObservedPacket) {
    lastNumber = packet.number
    packets.append(packet)
    costs.append(Self.cost(of: packet.message))
    cost += costs[costs.count - 1]
    guard packets.count > countLimit || cost > costLimit else { return }
    // A quarter at once, so that making room costs little on the whole.
    let count = min(packets.count - 1, max(1, packets.count / 4))
    cost -= costs[..<count].reduce(0, +)
    costs.removeFirst(count)
    packets.removeFirst(count)
  }

  /// Those after a mark that are still there.
  func packets(after mark: Mark) -> ArraySlice<ObservedPacket> {
    // They are numbered without gaps.
    let first = packets.first?.number ?? nextNumber
    return packets[min(max(0, mark.number + 1 - first), packets.count)...]
  }

  /// Names expand when pointers are followed, so a message is larger than its packet was.
  private static func cost(of message: DNSMessage) -> Int {
    var cost = 256 + message.trailing.count
    for question in message.questions { cost += 64 + question.name.byteCount }
    for record in message.records {
      cost += 128 + record.name.byteCount
      switch record.data {
      case .pointer(let name), .service(_, _, _, let name): cost += 32 + name.byteCount
      case .existing(let name, let types): cost += 64 + name.byteCount + 2 * types.count
      case .text(let strings): for string in strings { cost += 48 + string.count }
      case .address(let bytes), .raw(let bytes): cost += 32 + bytes.count
      }
    }
    return cost
  }
}
