import HAPExpectation
import HAPReport

/// Transcript entries of a connection.
extension WireConnection {
  func note(_ message: WireMessage) {
    var entry = entry(.message, .received, message.title)
    entry.content = Readable.content(message.body, type: message.type)
    entry.bytes = message.bytes
    entry.frames = message.frames
    recorder.add(entry)
  }

  func entry(
    _ kind: TranscriptEntry.Kind, _ direction: TranscriptEntry.Direction, _ title: String
  ) -> TranscriptEntry {
    TranscriptEntry(
      time: recorder.now, kind: kind, direction: direction, connection: name, title: title,
      localAddress: local.map { "\($0)" } ?? "", peerAddress: "\(peer)")
  }
}
