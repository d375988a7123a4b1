import HAPCommandLine
import HAPHub

extension SystemZones {
  /// The zones in the folder of the variable TZDIR, or else in the system's folders.
  package static let ofMachine = SystemZones(folder: Console.standard.environment("TZDIR"))

  /// - Parameter folder: the value of `TZDIR`; nil or empty: the system's folders.
  package convenience init(folder: String?) {
    self.init(folder: folder) { path, limit in try? readFile(path, limit: limit) }
  }
}
