import FuzzSupport
import HAPVocabulary

/// Lines of JSON as commands: what is refused has a reason, and what is read is printed as a line that is read as the same command.
package func fuzzCommands(_ bytes: UnsafeRawBufferPointer) {
  let command: SimulatorCommand
  do throws(CommandRefusal) { command = try SimulatorCommand(json: [UInt8](bytes)) } catch {
    return require(!error.error.message.isEmpty)
  }
  let line = command.text
  require(!line.contains("\n"), "a command has several lines")
  do throws(CommandRefusal) {
    let again = try SimulatorCommand(json: Array(line.utf8))
    require(again == command, "another command is read: \(line)")
    require(again.text == line, "another line is printed: \(line)")
  } catch { require(false, "a printed command is refused: \(line): \(error.error.message)") }
}
