#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files that a profile's behaviours name: they lie beside it. Each is read once.
///
/// Reads files, so it belongs off the loop.
package final class ReplayFiles {
  /// The most that a file may have: 1 MiB.
  static let sizeLimit = 1 << 20

  /// Ends in a slash, or is empty.
  private let folder: String
  private var known: [String: Result<ReplaySeries, ReplaySeries.Problem>] = [:]

  /// - Parameter profile: the profile's own file.
  package init(beside profile: String) {
    folder = profile.lastIndex(of: "/").map { String(profile[...$0]) } ?? ""
  }

  /// The series in a file, or one line for people that says why there is none.
  func series(_ name: String) -> Result<ReplaySeries, ReplaySeries.Problem> {
    if let known = known[name] { return known }
    let result = Result { () throws(ReplaySeries.Problem) in try load(name) }
    known[name] = result
    return result
  }

  private func load(_ name: String) throws(ReplaySeries.Problem) -> ReplaySeries {
    let isName =
      !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    guard isName else {
      throw .init(
        message: "the name of a file beside the profile is expected, without a folder, not \"\(name.prefix(40))\"")
    }
    do throws(ReplaySeries.Problem) { return try ReplaySeries(csv: try bytes(of: name)) } catch {
      let line = error.line.map { "line \($0): " } ?? ""
      throw .init(line: error.line, message: "\(name): \(line)\(error.message)")
    }
  }

  private func bytes(of name: String) throws(ReplaySeries.Problem) -> [UInt8] {
    func unreadable() -> ReplaySeries.Problem {
      ReplaySeries.Problem(message: "it can't be read beside the profile: \(String(cString: strerror(errno)))")
    }
    // A pipe that nobody writes to would hold us up for ever.
    let descriptor = open(folder + name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .init(message: "it is no file") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable() }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= Self.sizeLimit else { throw .init(message: "it has more than 1 MiB") }
    }
  }
}
