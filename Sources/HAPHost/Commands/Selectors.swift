import HAPDevices
import HAPIP
import HAPModel

extension CommandError {
  /// Returns the selected object, or throws why the words select nothing.
  package static func `for`<T>(_ body: () throws(SelectionError) -> T) throws(CommandError) -> T {
    do throws(SelectionError) { return try body() } catch {
      let code: Code =
        switch error.code {
        case .noSuchService: .noSuchService
        case .noSuchCharacteristic: .noSuchCharacteristic
        case .ambiguous: .ambiguous
        }
      throw CommandError(code, error.message)
    }
  }
}
