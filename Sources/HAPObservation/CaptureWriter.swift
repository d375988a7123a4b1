import HAPCapture
import HAPFrontEnds
import HAPIP
import HAPLoop
import HAPModel
import HAPProfile

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes a run of one accessory to a file, line by line as it happens, so that the file is complete up to a crash.
///
/// The file contains the accessory's keys, so only its owner can access it (0600). Belongs to the accessory's loop.
package final class CaptureWriter: RunCapture {
  private var descriptor: Int32
  private let path: String
  /// Called once if the file can't be written any more; the accessory continues.
  private let onFailure: (String) -> Void

  /// - Throws: `LoopError` if the file can't be created; an existing file is never overwritten.
  package init(_ path: String, onFailure: @escaping (String) -> Void) throws(LoopError) {
    self.path = path
    self.onFailure = onFailure
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw LoopError(.other(0), "\(path) can't be made: \(String(cString: strerror(errno)))") }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package func begin(_ setup: RunSetup, live: [AttributeID], judges: Bool) {
    var quirks = Quirks()
    quirks.ip = setup.quirks
    quirks.attributes = setup.attributeQuirks
    quirks.pairing = setup.pairingQuirks
    write(
      CaptureHead(
        name: setup.name, identity: setup.identity, advertisement: setup.advertisement,
        accessories: setup.database.accessories, pairings: setup.pairings,
        failedAttempts: setup.failedAttempts, quirks: quirks, live: live, judges: judges
      ).text)
  }

  package func note(_ input: CoreInput, at now: Duration) { write(CaptureLine.input(input, at: now).text) }

  package func sent(_ connection: ConnectionID, _ bytes: UnsafeRawBufferPointer, at now: Duration) {
    write(CaptureLine.sent(connection, Array(bytes), at: now).text)
  }

  // These are not inputs of the core, so a replay doesn't need them.
  package func turnedAway(peer: String, at now: Duration) {}
  package func ended(_ connection: ConnectionID, withReset: Bool, at now: Duration) {}

  package func drew(_ bytes: [UInt8]) { write(CaptureLine.drawn(bytes).text) }

  private func write(_ line: String) {
    guard descriptor >= 0 else { return }
    let bytes = Array((line + "\n").utf8)
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = String(cString: strerror(errno))
        close(descriptor)
        descriptor = -1
        return onFailure("\(path) can't be written; the capture ends here: \(reason)")
      }
      start += count
    }
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
