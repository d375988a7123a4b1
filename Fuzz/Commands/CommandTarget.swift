import FuzzSupport
import HAPVocabulary

/// Reads lines of JSON as commands. A refusal has a reason, and a command that was read prints as a line that reads as the same command.
package func fuzzCommands(_ bytes: UnsafeRawBufferPointer) {
  let command: SimulatorCommand
  do throws(CommandRefusal) { command = try SimulatorCommand(json: [UInt8](bytes)) } catch {
    return require(!error.error.message.isEmpty)
  }
  let line = command.text
  require(!line.contains("\n"), "a printed command has several lines")
  do throws(CommandRefusal) {
    let again = try SimulatorCommand(json: Array(line.utf8))
    require(again == command, "the printed line reads as another command: \(line)")
    require(again.text == line, "the command prints as another line: \(line)")
  } catch { require(false, "a printed command is refused: \(line): \(error.error.message)") }
}
