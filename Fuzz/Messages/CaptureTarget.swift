import FuzzSupport
import HAPCapture

package func fuzzCapture(_ bytes: UnsafeRawBufferPointer) {
  guard let replay = try? CaptureReplay([UInt8](bytes)) else { return }
  guard let again = try? CaptureReplay([UInt8](bytes)) else { fatalError("the capture cannot be replayed twice") }
  require(replay.difference == again.difference && replay.messages == again.messages, "the second replay differs")
  if let difference = replay.difference { require(difference.then != difference.now) }
}
