/// The command line asks for something that can't be: one sentence for people, without a full stop.
package struct UsageError: Error, Equatable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}
