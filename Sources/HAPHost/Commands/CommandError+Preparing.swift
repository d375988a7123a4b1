import HAPDevices
import HAPLoop
import HAPModel
import HAPStore

extension CommandError {
  /// Creates the error for an accessory or a new profile that could not be prepared.
  init(preparing error: any Error) {
    if let error = error as? CommandError {
      self = error
    } else if let error = error as? StoreError, case .alreadyRunning = error.code {
      // The same accessory twice is an error of the command, not of hapsim.
      self.init(.notPossible, "\(error)")
    } else {
      self.init(error is StoreError || error is LoopError ? .failed : .notPossible, "\(error)")
    }
  }
}
