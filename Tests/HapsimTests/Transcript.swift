import Foundation
import HAPCommandLine
import Synchronization

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

/// hapsim's output and exit status, run in this process.
struct Transcript: Equatable {
  var out = ""
  var error = ""
  var exit = ExitCode.well
}

private final class Sink: Sendable {
  let text = Mutex("")
}

/// - Parameters:
///   - answer: the user's answer at a terminal; `nil` means there is no terminal.
func hapsim(
  _ words: [String], answer: String? = nil, environment: [String: String] = ["HOME": "/nowhere"],
  output: Terminal = .none
) -> Transcript {
  let out = Sink()
  let error = Sink()
  let console = Console(
    out: { text in out.text.withLock { $0 += text } }, error: { text in error.text.withLock { $0 += text } },
    answer: { answer }, output: output,
    errors: answer == nil ? .none : Terminal(isTerminal: true, columns: 80, hasColour: false),
    environment: { environment[$0] })
  let exit = Program.hapsim.run(words, console: console)
  return Transcript(out: out.text.withLock { $0 }, error: error.text.withLock { $0 }, exit: exit)
}

/// A temporary folder for one test, removed with its owner.
final class ScratchFolder {
  let path = FileManager.default.temporaryDirectory.appending(path: "hapsim-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A JSON object on a single line.
func object(_ line: String) throws -> [String: Any] {
  try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]) ?? [:]
}
