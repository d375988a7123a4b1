import HAPWire

/// The reason why a file can't be imported.
package struct ImportError: Error, Equatable, CustomStringConvertible {
  /// The position in the file; nil: the whole file.
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

  /// "12:7: …". Print it after the file name and a colon.
  package var description: String { (place.map { "\($0): " } ?? "") + message }
}
