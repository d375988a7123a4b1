/// A rule that must hold. Unlike `precondition` it says what was wrong in builds for release too, where fuzzers run.
package func require(
  _ holds: Bool, _ message: @autoclosure () -> String = "a rule is broken", file: StaticString = #file,
  line: UInt = #line
) {
  if !holds { fatalError(message(), file: file, line: line) }
}
