import HAPCommandLine
import HAPStore

extension Console {
  /// Prints the reason of a storage error in one line.
  func complain(_ error: StoreError) { complain("hapsim: \(error)") }
}
