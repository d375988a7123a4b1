import HAPCommandLine
import HAPStore

extension Console {
  /// Why it could not be done, in one line.
  func complain(_ error: StoreError) { complain("hapsim: \(error)") }
}
