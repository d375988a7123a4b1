/// The names of a disk's files and folders: those that programs see, and those that would remain after a power loss.
///
/// A new, removed or changed name can be lost in a power loss, unless its folder was synced. The disk keeps the order
/// of the changes, like a file system with a journal: after a power loss, the first N changes remain.
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
  /// The maximum number of pending changes. Beyond it, the oldest becomes durable, which bounds the memory.
  static let pendingLimit = 64

  private var current: [String: Node] = ["/": .folder]
  private var durable: [String: Node] = ["/": .folder]
  private var pending: [Change] = []

  subscript(path: String) -> Node? { current[path] }

  func file(_ path: String) -> DiskFile? { if case .file(let file) = current[path] { file } else { nil } }

  func isFolder(_ path: String) -> Bool { if case .folder = current[path] { true } else { false } }

  var count: Int { current.count }

  /// The size of all files together in bytes.
  var length: Int {
    current.values.reduce(0) { if case .file(let file) = $1 { $0 + file.content.count } else { $0 } }
  }

  /// Returns the paths in a folder, sorted.
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

  /// Simulates a power loss: replaces the current names by those that remain.
  /// - Returns: the files that remain, in the order of their paths.
  mutating func losePower(_ loss: inout PowerLoss) -> [DiskFile] {
    for change in pending.prefix(loss.choose(pending.count + 1)) { makeDurable(change) }
    pending = []
    current = [:]
    var files: [DiskFile] = []
    // A folder sorts before its contents. So the contents of a lost folder are lost, too.
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

  /// Returns an absolute path without `.`, `..` and empty parts. A relative path starts at `/`.
  static func absolute(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
