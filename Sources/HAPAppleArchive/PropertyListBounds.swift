/// Checks the size of the tree that a binary property list expands to, before anything builds it.
///
/// Objects refer to each other by number. A file of a few hundred bytes can therefore nest endlessly, or double its content in each of thirty
/// lists. libplist follows every reference and copies its target, so it only gets files within these bounds.
struct PropertyListBounds {
  static let mostBytes = 16 << 20
  /// The limit for objects in the file, and for nodes in the tree.
  static let mostNodes = 500_000
  /// The limit for text and data in the tree, in bytes.
  static let mostContent = 64 << 20
  static let deepest: UInt8 = 64

  /// The size of the tree below an object, including the object.
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

  /// Checks a whole file in one pass.
  static func check(_ bytes: [UInt8]) throws(AppleArchiveError) {
    guard bytes.count <= mostBytes else { throw .tooLarge }
    guard bytes.count >= 8 + 32 else { throw .damaged("it ends too early") }
    var bounds = try PropertyListBounds(bytes)
    guard let root = bounds.number(at: bytes.count - 16, size: 8) else { throw .damaged("it has no root") }
    _ = try bounds.extent(of: root, depth: 1)
  }

  /// Reads the trailer, the last 32 bytes: 6 unused bytes, the sizes of an offset and of a reference, and in 8 bytes each the count of objects,
  /// the number of the root object, and the position of the offset table.
  private init(_ bytes: [UInt8]) throws(AppleArchiveError) {
    let trailer = bytes.count - 32
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.number(in: bytes, at: trailer + 8, size: 8),
      let table = Self.number(in: bytes, at: trailer + 24, size: 8)
    else { throw .damaged("its trailer is invalid") }
    guard count <= Self.mostNodes else { throw .tooLarge }
    guard count >= 1, count <= (trailer - table) / offsetSize else { throw .damaged("it ends too early") }
    offsetTable = table
    extents = Array(repeating: nil, count: count)
    isOpen = Array(repeating: false, count: count)
  }

  private mutating func extent(of object: Int, depth: UInt8) throws(AppleArchiveError) -> Extent {
    guard extents.indices.contains(object) else { throw .damaged("it refers to an object that doesn't exist") }
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

  /// Returns the number of bytes of the object itself, and the positions of the references to its children.
  private func parts(of object: Int) throws(AppleArchiveError) -> (content: Int, children: StrideTo<Int>) {
    guard let start = number(at: offsetTable + object * offsetSize, size: offsetSize), start >= 8, start < offsetTable
    else { throw .damaged("an object is outside the file") }
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
    // A text in UTF-8 can have up to twice as many bytes as here.
    case 0x6 where count <= room / 2: content = count * 4
    case 0x8 where count < 8: content = count + 1
    case 0xA, 0xC, 0xD:
      let perEntry = kind == 0xD ? 2 : 1
      guard count <= room / (perEntry * referenceSize) else { throw .damaged("a list is longer than the file") }
      return (0, stride(from: body, to: body + count * perEntry * referenceSize, by: referenceSize))
    default: throw .damaged("an object has an unknown kind")
    }
    guard (kind == 0x6 ? content / 2 : content) <= room else { throw .damaged("an object is longer than the file") }
    guard ![0x5, 0x6].contains(kind) || !holdsZero(from: body, to: body + content / (kind == 0x6 ? 2 : 1), kind) else {
      throw .damaged("a text contains a zero character")
    }
    return (content, stride(from: 0, to: 0, by: 1))
  }

  /// Whether a text contains a character of value 0. libplist of Debian 12 aborts the process for a key that contains one.
  private func holdsZero(from start: Int, to end: Int, _ kind: UInt8) -> Bool {
    if kind == 0x5 { return bytes[start..<end].contains(0) }
    return stride(from: start, to: end, by: 2).contains { bytes[$0] == 0 && bytes[$0 + 1] == 0 }
  }

  private func number(at place: Int, size: Int) -> Int? { Self.number(in: bytes, at: place, size: size) }

  /// Returns a big-endian number, or nil if it is beyond the end or doesn't fit into an `Int`.
  private static func number(in bytes: [UInt8], at place: Int, size: Int) -> Int? {
    guard place >= 0, place <= bytes.count - size else { return nil }
    return Int(exactly: bytes[place..<(place + size)].reduce(0) { $0 << 8 | UInt64($1) })
  }
}
