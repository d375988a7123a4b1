/// The files in a profile's folder that its behaviours name. Each is read once.
///
/// Reading may block, so it must not happen on the loop.
package final class ReplayFiles {
  /// The maximum size of a file: 1 MiB.
  package static let sizeLimit = 1 << 20

  /// Reads the file with a given name.
  private let read: (String) throws(ReplaySeries.Problem) -> [UInt8]
  private var known: [String: Result<ReplaySeries, ReplaySeries.Problem>] = [:]

  /// - Parameter read: reads the file with a given name, which contains no path. It throws a one-line message.
  package init(read: @escaping (String) throws(ReplaySeries.Problem) -> [UInt8]) { self.read = read }

  /// Returns the series in a file, or a one-line message that says why there is none.
  package func series(_ name: String) -> Result<ReplaySeries, ReplaySeries.Problem> {
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
        message:
          "the name of a file in the folder of the profile is expected, without a path, not \"\(name.prefix(40))\"")
    }
    do throws(ReplaySeries.Problem) { return try ReplaySeries(csv: try read(name)) } catch {
      let line = error.line.map { "line \($0): " } ?? ""
      throw .init(line: error.line, message: "\(name): \(line)\(error.message)")
    }
  }
}
