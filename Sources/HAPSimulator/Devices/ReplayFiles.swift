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
    do throws(RegularFile.Failure) { return try RegularFile.bytes(of: folder + name, limit: Self.sizeLimit) } catch {
      switch error {
      case .unreadable(let reason): throw .init(message: "it can't be read beside the profile: \(reason)")
      case .noFile: throw .init(message: "it is no file")
      case .tooLong: throw .init(message: "it has more than 1 MiB")
      }
    }
  }
}
