import HAPWire

/// Why a file can't be imported at all.
package struct ImportError: Error, Equatable, CustomStringConvertible {
  /// In the file; nil: of all of it.
  package var place: JSONPlace?
  package var message: String

  init(_ message: String, at place: JSONPlace? = nil) {
    self.place = place
    self.message = message
  }

  init(_ problem: JSONProblem) {
    place = problem.place
    message = (problem.path.isEmpty ? "" : "\(problem.path): ") + problem.message
  }

  /// "12:7: …", to be written behind the file's name and a colon.
  package var description: String { (place.map { "\($0): " } ?? "") + message }
}
