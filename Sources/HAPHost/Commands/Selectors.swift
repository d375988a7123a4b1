import HAPDevices
import HAPIP
import HAPModel

extension CommandError {
  /// What words named, or why they name nothing here.
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
