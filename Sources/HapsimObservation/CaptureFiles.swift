import HAPCommandLine
import HAPHost
import HAPLoop
import HAPObservation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes the folder if it isn't there, its owner's alone.
package func makePrivateFolder(_ path: String) throws(FileError) {
  if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
  throw FileError(message: "\(path) can't be made: \(String(cString: strerror(errno)))")
}

/// A file that isn't there yet: when the run began, by which process, and which of its accessories: `20261121T063000-1234-1.hapcapture`. From an
/// accessory's second start on its number stands there too: `20261121T063000-1234-1-2.hapcapture`.
/// - Parameters:
///   - accessory: counted from 1.
///   - start: of the accessory, counted from 1.
func capturePath(in folder: String, _ accessory: Int, start: Int) -> String {
  var now = time(nil)
  var fields = tm()
  gmtime_r(&now, &fields)
  var text = [CChar](repeating: 0, count: 32)
  strftime(&text, text.count, "%Y%m%dT%H%M%S", &fields)
  let stamp = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return "\(folder)/\(stamp)-\(getpid())-\(accessory)\(start > 1 ? "-\(start)" : "").hapcapture"
}

extension Simulation.Setting {
  /// Records every start of every accessory in a file of a folder.
  package mutating func capture(in folder: String) {
    capture = { accessory, start in
      let path = capturePath(in: folder, accessory, start: start)
      return { (onFailure) throws(LoopError) in try CaptureWriter(path, onFailure: onFailure) }
    }
  }
}
