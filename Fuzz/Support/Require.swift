/// Checks a condition. Unlike `precondition`, it also prints the message in release builds, in which fuzzers run.
package func require(
  _ holds: Bool, _ message: @autoclosure () -> String = "a rule is broken", file: StaticString = #file,
  line: UInt = #line
) {
  if !holds { fatalError(message(), file: file, line: line) }
}
