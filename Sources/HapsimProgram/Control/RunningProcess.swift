import HAPCommands
import HAPLoop
import HAPVocabulary
import HAPWire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection to a running hapsim, for a command that only waits for its answers.
final class RunningProcess {
  /// The reason why there is no answer, in one line.
  struct Silence: Error { var message: String }

  /// The maximum time for the answer to a query.
  static let patience = Duration.seconds(5)
  /// The maximum number of bytes in an answer, which is enough for the status of the largest bridge.
  private static let longestAnswer = 64 << 20

  let pid: Int32
  private let descriptor: Int32
  private var incoming: [UInt8] = []

  /// - Throws: `LoopError`, with `.connectionRefused` if the process has ended.
  init(_ socket: ControlFolder.Socket) throws(LoopError) {
    pid = socket.pid
    descriptor = try LocalSocket.connect(socket.path, patience: Self.patience)
  }

  deinit { close(descriptor) }

  /// Returns the processes that run with a state folder. Removes the sockets of dead processes.
  static func all(in folder: ControlFolder) throws(Silence) -> [RunningProcess] {
    var found: [RunningProcess] = []
    for socket in folder.sockets() {
      do throws(LoopError) { found.append(try RunningProcess(socket)) } catch {
        switch error.code {
        case .connectionRefused: folder.remove(socket)
        case .other(let status) where status == -ENOENT: break  // the process has just ended
        default: throw Silence(message: "process \(socket.pid) can't be reached: \(error)")
        }
      }
    }
    return found
  }

  /// Sends a line and returns the answer.
  /// - Parameter patience: the maximum time; nil: no limit.
  func ask(_ line: String, patience: Duration? = nil) throws(Silence) -> String {
    LocalSocket.setPatience(of: descriptor, patience ?? .zero)
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(errno) }
      rest = rest.dropFirst(count)
    }
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if let end = incoming.firstIndex(of: 0x0A) {
        defer { incoming.removeSubrange(...end) }
        return String(decoding: incoming[..<end], as: UTF8.self)
      }
      guard incoming.count <= Self.longestAnswer else {
        throw Silence(message: "process \(pid) answers with more than \(Self.longestAnswer >> 20) MiB")
      }
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw count == 0 ? Silence(message: "process \(pid) ended without an answer") : failure(errno)
      }
      incoming += chunk[..<count]
    }
  }

  private func failure(_ code: Int32) -> Silence {
    if code == EAGAIN || code == EWOULDBLOCK { return Silence(message: "process \(pid) doesn't answer") }
    if code == EPIPE || code == ECONNRESET { return Silence(message: "process \(pid) ended without an answer") }
    return Silence(message: "process \(pid) can't be reached: \(String(cString: strerror(code)))")
  }

  // MARK: Served accessories

  /// The names and aids of an accessory and its bridged accessories.
  struct Served {
    var name: String
    var bridged: [(aid: UInt64, name: String)]
  }

  func served() throws(Silence) -> [Served] {
    let answer = try ask(#"{"command":"list"}"#, patience: Self.patience)
    let list = (try? JSONNode.parse(Array(answer.utf8)))?["accessories"]?.elements ?? []
    return list.map { entry in
      Served(
        name: entry["name"]?.stringValue ?? "",
        bridged: (entry["bridged"]?.elements ?? []).compactMap { bridged in
          guard let aid = bridged["aid"]?.integerValue, let name = bridged["name"]?.stringValue else { return nil }
          return (UInt64(clamping: aid), name)
        })
    }
  }
}

extension RunningProcess.Served {
  func matches(_ selector: AccessorySelector) -> Bool {
    selector.matches(name: name, aid: 1) || bridged.contains { selector.matches(name: $0.name, aid: $0.aid) }
  }
}
