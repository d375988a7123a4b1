import HAPCommandLine
import HAPModel

/// Writes what goes through a proxy, decoded. Belongs to one thread.
final class Transcript {
  private let lines: LineOutput
  private let isJSON: Bool
  private var reader: TranscriptReader

  init(to lines: LineOutput, isJSON: Bool, _ database: AttributeDatabase) {
    self.lines = lines
    self.isJSON = isJSON
    reader = TranscriptReader(database)
  }

  func message(_ bytes: [UInt8], isFromController: Bool, on connection: UInt64) {
    write(reader.read(bytes, isFromController: isFromController, connection: connection))
  }

  func note(_ text: String, on connection: UInt64? = nil) {
    write(TranscriptEntry(direction: .note, connection: connection, line: text))
  }

  private func write(_ entry: TranscriptEntry) {
    let now = TranscriptTime.now
    lines.write(isJSON ? entry.json(at: now) : entry.text(at: now), isDroppable: true)
  }
}
