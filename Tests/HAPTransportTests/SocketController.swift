import Foundation
import HAPLoop
import HAPTestSupport

/// A `MemoryController` with a blocking socket. Reads have a time limit, so no test hangs.
final class SocketController: @unchecked Sendable {  // written by one thread and read by at most one other
  struct Failure: Error, CustomStringConvertible {
    var message: String
    var description: String { message }
  }

  let memory: MemoryController
  private var descriptor: Int32
  /// Whether sending waits for the answer, as `MemoryController.exchange` requires.
  var waitsForAnswers = true
  private(set) var isAtEnd = false

  init(_ identity: ControllerIdentity, port: UInt16, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, SocketType.stream, 0)
    guard descriptor >= 0 else { throw Failure(message: "no socket") }
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let opened = descriptor
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(opened, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(message: "not connected: \(String(cString: strerror(errno)))") }
    memory = MemoryController(identity, random: .seeded(UInt64(UInt32(bitPattern: descriptor)) + 1000))
    memory.deliver = { [unowned self] in
      write($0)
      if waitsForAnswers { read { $0.messages.contains { !$0.isEvent } } }
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return isAtEnd = true }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads until `isEnough`, the end of the stream, or the time limit.
  func read(until isEnough: (MemoryController) -> Bool) {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while !isEnough(memory), !isAtEnd {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return isAtEnd = true }
      memory.receive(Array(chunk[..<count]))
    }
  }

  /// Reads to the end of the connection.
  func readToEnd() { read { _ in false } }

  func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  func disconnect() {
    close(descriptor)
    descriptor = -1
  }

  /// Resets the connection.
  func reset() {
    var lingering = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    disconnect()
  }
}
