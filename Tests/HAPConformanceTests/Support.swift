import HAPLoop
import HAPSuite
import HAPWire
import HAPYAML
import WorldTestSupport

@testable import HAPExpectation
@testable import HAPTarget

/// Runs a test on a loop of a simulated world, in virtual time.
func withLoop<T: Sendable>(_ body: @escaping @Sendable (EventLoop) async throws -> T) async throws -> T {
  try await withTestHost { host in try await body(host.makeLoop("test")) }
}

/// Advances virtual time until a condition holds, for at most 10 seconds.
func wait(
  on loop: EventLoop, isolation: isolated (any Actor)? = #isolation, until condition: () async -> Bool
) async throws {
  for _ in 0..<10_000 {
    if await condition() { return }
    try await loop.sleep(for: .milliseconds(1))
  }
  throw LoopError(.timedOut, "waiting for a condition of the test")
}

/// Runs a test on a loop of the kernel, for tests with system programs.
func withRealLoop<T: Sendable>(_ body: @Sendable (EventLoop) async throws -> T) async rethrows -> T {
  let loop = EventLoop(name: "test")
  loop.start()
  defer { loop.stop() }
  return try await body(loop)
}

func hookFailure<T>(_ body: () async throws(HookFailure) -> T) async -> HookFailure? {
  do throws(HookFailure) {
    _ = try await body()
    return nil
  } catch { return error }
}

func text(_ node: JSONNode?) -> String? { node.map { node in JSONWriter.text { $0.node(node) } } }

/// A node that is written as YAML or JSON.
func yaml(_ text: String) throws -> JSONNode { try JSONNode.yaml(Array(text.utf8)) }

func stepError<T>(_ body: () throws(StepError) -> T) -> StepError? {
  do throws(StepError) {
    _ = try body()
    return nil
  } catch { return error }
}
