import HAPDevices
import HAPLoop
import HAPModel
import HAPStore

extension CommandError {
  /// Why an accessory or its next profile could not be made ready.
  init(preparing error: any Error) {
    if let error = error as? CommandError {
      self = error
    } else if let error = error as? StoreError, case .alreadyRunning = error.code {
      // The same accessory twice: no trouble of ours.
      self.init(.notPossible, "\(error)")
    } else {
      self.init(error is StoreError || error is LoopError ? .failed : .notPossible, "\(error)")
    }
  }
}
