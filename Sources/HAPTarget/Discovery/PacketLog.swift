import HAPWire

/// The packets sent and received, in order, up to a limit. The oldest are dropped first.
struct PacketLog {
  /// A position between two packets.
  struct Mark: Hashable, Sendable {
    /// Number of the packet before it; 0 before the first.
    let number: Int
  }

  static let largestCount = 4096
  /// Estimated memory of all packets, in bytes.
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
    // Dropping a quarter at once keeps the average cost of an append low.
    let count = min(packets.count - 1, max(1, packets.count / 4))
    cost -= costs[..<count].reduce(0, +)
    costs.removeFirst(count)
    packets.removeFirst(count)
  }

  /// Returns the packets after a mark that were not dropped.
  func packets(after mark: Mark) -> ArraySlice<ObservedPacket> {
    // Packet numbers have no gaps.
    let first = packets.first?.number ?? nextNumber
    return packets[min(max(0, mark.number + 1 - first), packets.count)...]
  }

  /// Returns the estimated memory of a message. Decompressed names make a message larger than its packet.
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
