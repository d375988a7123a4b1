/// What a binary property list would become as a tree, found out before anything makes one.
///
/// Objects name one another by number, so a file of a few hundred bytes can nest without end, or hold one list twice in each of thirty lists.
/// libplist follows every reference and copies what it leads to: it is given only what stays within these bounds.
struct PropertyListBounds {
  static let mostBytes = 16 << 20
  /// Objects in the file, and nodes in the tree.
  static let mostNodes = 500_000
  /// Text and data in the tree, in bytes.
  static let mostContent = 64 << 20
  static let deepest: UInt8 = 64

  /// The tree below an object, itself included.
  private struct Extent {
    var nodes = 1
    var content = 0
    var height: UInt8 = 1
  }

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let offsetTable: Int
  private var extents: [Extent?]
  private var isOpen: [Bool]

  /// Goes through a whole file once.
  static func check(_ bytes: [UInt8]) throws(AppleArchiveError) {
    guard bytes.count <= mostBytes else { throw .tooLarge }
    guard bytes.count >= 8 + 32 else { throw .damaged("it ends too early") }
    var bounds = try PropertyListBounds(bytes)
    guard let root = bounds.number(at: bytes.count - 16, size: 8) else { throw .damaged("it has no root") }
    _ = try bounds.extent(of: root, depth: 1)
  }

  /// Reads the trailer, the last 32 bytes: 6 of no meaning, the sizes of an offset and of a reference, and as 8 bytes each the count of objects,
  /// the root's number, and where the table of offsets starts.
  private init(_ bytes: [UInt8]) throws(AppleArchiveError) {
    let trailer = bytes.count - 32
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.number(in: bytes, at: trailer + 8, size: 8),
      let table = Self.number(in: bytes, at: trailer + 24, size: 8)
    else { throw .damaged("its trailer is none") }
    guard count <= Self.mostNodes else { throw .tooLarge }
    guard count >= 1, count <= (trailer - table) / offsetSize else { throw .damaged("it ends too early") }
    offsetTable = table
    extents = Array(repeating: nil, count: count)
    isOpen = Array(repeating: false, count: count)
  }

  private mutating func extent(of object: Int, depth: UInt8) throws(AppleArchiveError) -> Extent {
    guard extents.indices.contains(object) else { throw .damaged("it names an object that isn't there") }
    if let known = extents[object] {
      guard known.height <= Self.deepest - depth else { throw .tooLarge }
      return known
    }
    guard !isOpen[object] else { throw .damaged("an object contains itself") }
    guard depth < Self.deepest else { throw .tooLarge }
    isOpen[object] = true
    defer { isOpen[object] = false }
    var extent = Extent()
    let (content, children) = try parts(of: object)
    extent.content = content
    for place in children {
      guard let child = number(at: place, size: referenceSize) else { throw .damaged("it ends too early") }
      let below = try self.extent(of: child, depth: depth + 1)
      extent.nodes += below.nodes
      extent.content += below.content
      extent.height = max(extent.height, below.height + 1)
      guard extent.nodes <= Self.mostNodes, extent.content <= Self.mostContent else { throw .tooLarge }
    }
    extents[object] = extent
    return extent
  }

  /// How many bytes an object is itself, and where the references to its children stand.
  private func parts(of object: Int) throws(AppleArchiveError) -> (content: Int, children: StrideTo<Int>) {
    guard let start = number(at: offsetTable + object * offsetSize, size: offsetSize), start >= 8, start < offsetTable
    else { throw .damaged("an object lies outside") }
    let kind = bytes[start] >> 4
    var count = Int(bytes[start] & 0xF)
    var body = start + 1
    if count == 0xF, [0x4, 0x5, 0x6, 0xA, 0xC, 0xD].contains(kind) {
      guard body < offsetTable, bytes[body] & 0xF0 == 0x10, bytes[body] & 0xF <= 3,
        let written = number(at: body + 1, size: 1 << Int(bytes[body] & 0xF))
      else { throw .damaged("an object has no length") }
      count = written
      body += 1 + 1 << Int(bytes[start + 1] & 0xF)
    }
    let room = offsetTable - body
    let content: Int
    switch kind {
    case 0x0 where [0, 8, 9].contains(count): content = 0
    case 0x1 where count <= 4, 0x2 where [2, 3].contains(count), 0x3 where count == 3: content = 1 << count
    case 0x4, 0x5: content = count
    // As UTF-8 up to twice as long as here.
    case 0x6 where count <= room / 2: content = count * 4
    case 0x8 where count < 8: content = count + 1
    case 0xA, 0xC, 0xD:
      let perEntry = kind == 0xD ? 2 : 1
      guard count <= room / (perEntry * referenceSize) else { throw .damaged("a list is longer than the file") }
      return (0, stride(from: body, to: body + count * perEntry * referenceSize, by: referenceSize))
    default: throw .damaged("there is an object of no known kind")
    }
    guard (kind == 0x6 ? content / 2 : content) <= room else { throw .damaged("an object is longer than the file") }
    guard ![0x5, 0x6].contains(kind) || !holdsZero(from: body, to: body + content / (kind == 0x6 ? 2 : 1), kind) else {
      throw .damaged("a text has a zero in it")
    }
    return (content, stride(from: 0, to: 0, by: 1))
  }

  /// Whether a text has a character of value 0: libplist of Debian 12 ends the process over a key that has one.
  private func holdsZero(from start: Int, to end: Int, _ kind: UInt8) -> Bool {
    if kind == 0x5 { return bytes[start..<end].contains(0) }
    return stride(from: start, to: end, by: 2).contains { bytes[$0] == 0 && bytes[$0 + 1] == 0 }
  }

  private func number(at place: Int, size: Int) -> Int? { Self.number(in: bytes, at: place, size: size) }

  /// A big-endian number; nil beyond the end, and for what no `Int` holds.
  private static func number(in bytes: [UInt8], at place: Int, size: Int) -> Int? {
    guard place >= 0, place <= bytes.count - size else { return nil }
    return Int(exactly: bytes[place..<(place + size)].reduce(0) { $0 << 8 | UInt64($1) })
  }
}
