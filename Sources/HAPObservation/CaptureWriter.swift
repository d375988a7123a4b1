import HAPAttributes
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

/// Writes a run of one accessory as lines, as it happens. Belongs to the accessory's loop.
package final class CaptureWriter: RunCapture {
  private let write: (String) -> Void

  /// - Parameter write: called with each line, without its end.
  package init(_ write: @escaping (String) -> Void) { self.write = write }

  /// Writes to a file, which is complete up to a crash. It contains the accessory's keys, so only its owner can access
  /// it (0600).
  /// - Parameter onFailure: called once if the file can't be written any more; the accessory continues.
  /// - Throws: `LoopError` if the file can't be created; an existing file is never overwritten.
  package convenience init(_ path: String, onFailure: @escaping (String) -> Void) throws(LoopError) {
    let file = try CaptureFile(path, onFailure: onFailure)
    self.init { file.write($0) }
  }

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

  package func joined(_ state: MatterEndpointState, _ choices: MatterChoices, at now: Duration) {
    note(.joined(state, choices), at: now)
  }

  package func wrote(_ writes: [AttributeWrite], at now: Duration) {
    note(.wrote(writes.compactMap { write in write.value.map { WrittenValue(write.id, $0) } }), at: now)
  }

  package func asked(_ ids: [AttributeID], at now: Duration) { note(.asked(ids), at: now) }

  package func noted(_ traffic: MatterTraffic, at now: Duration) { write(CaptureLine.matter(traffic, at: now).text) }
}

/// A new file of lines.
private final class CaptureFile {
  private var descriptor: Int32
  private let path: String
  private let onFailure: (String) -> Void

  init(_ path: String, onFailure: @escaping (String) -> Void) throws(LoopError) {
    self.path = path
    self.onFailure = onFailure
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw LoopError(.other(0), "\(path) can't be made: \(String(cString: strerror(errno)))") }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func write(_ line: String) {
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
