/// The names of a disk's files and folders: those that programs see, and those that a power loss leaves.
///
/// A new, removed or changed name is lost in a power loss unless its folder was synced. The disk keeps the order of the changes, as file systems with
/// a journal do: a power loss keeps a first part of them.
struct FileNames {
  /// One file or folder.
  enum Node {
    case folder
    case file(DiskFile)
  }
  /// One change: it takes effect as a whole.
  private struct Change {
    var entries: [(path: String, node: Node?)]
    var folders: [String]
  }
  /// With more changes the oldest becomes durable, which bounds the memory.
  static let pendingLimit = 64

  private var current: [String: Node] = ["/": .folder]
  private var durable: [String: Node] = ["/": .folder]
  private var pending: [Change] = []

  subscript(path: String) -> Node? { current[path] }

  func file(_ path: String) -> DiskFile? { if case .file(let file) = current[path] { file } else { nil } }

  func isFolder(_ path: String) -> Bool { if case .folder = current[path] { true } else { false } }

  var count: Int { current.count }

  /// The bytes of all files.
  var length: Int {
    current.values.reduce(0) { if case .file(let file) = $1 { $0 + file.content.count } else { $0 } }
  }

  /// The paths in a folder, in order.
  func paths(in folder: String) -> [String] {
    current.keys.filter { $0 != "/" && Self.parent(of: $0) == folder }.sorted()
  }

  mutating func set(_ path: String, _ node: Node?) { change([(path, node)]) }

  mutating func rename(_ path: String, to target: String) { change([(target, current[path]), (path, nil)]) }

  private mutating func change(_ entries: [(path: String, node: Node?)]) {
    for (path, node) in entries { current[path] = node }
    if pending.count == Self.pendingLimit { makeDurable(pending.removeFirst()) }
    pending.append(Change(entries: entries, folders: entries.map { Self.parent(of: $0.path) }))
  }

  private mutating func makeDurable(_ change: Change) {
    for (path, node) in change.entries { durable[path] = node }
  }

  mutating func sync(folder: String) {
    for change in pending where change.folders.contains(folder) { makeDurable(change) }
    pending.removeAll { $0.folders.contains(folder) }
  }

  /// Makes the names those that the disk has after a power loss.
  /// - Returns: the files that are left, in the order of their paths.
  mutating func losePower(_ loss: inout PowerLoss) -> [DiskFile] {
    for change in pending.prefix(loss.choose(pending.count + 1)) { makeDurable(change) }
    pending = []
    current = [:]
    var files: [DiskFile] = []
    // A folder sorts before what is in it, so that a folder that is lost takes everything in it along.
    for path in durable.keys.sorted() {
      guard path == "/" || isFolder(Self.parent(of: path)), let node = durable[path] else { continue }
      current[path] = node
      if case .file(let file) = node { files.append(file) }
    }
    durable = current
    return files
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// An absolute path without `.`, `..` and empty parts. Relative paths begin at `/`.
  static func absolute(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
