import HAPCommands
import HAPLoop
import HAPVocabulary
import HAPWire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection with a running hapsim, for a command that has nothing else to do than wait for its answers.
final class RunningProcess {
  /// Why there is no answer: one line for people.
  struct Silence: Error { var message: String }

  /// How long a process may take that is asked what it runs.
  static let patience = Duration.seconds(5)
  /// Bytes in an answer: the largest bridge's status has room.
  private static let longestAnswer = 64 << 20

  let pid: Int32
  private let descriptor: Int32
  private var incoming: [UInt8] = []

  /// - Throws: `LoopError`, with `.connectionRefused` when the process is gone.
  init(_ socket: ControlFolder.Socket) throws(LoopError) {
    pid = socket.pid
    descriptor = try LocalSocket.connect(socket.path, patience: Self.patience)
  }

  deinit { close(descriptor) }

  /// Those that run with a state folder. What dead ones left is taken away.
  static func all(in folder: ControlFolder) throws(Silence) -> [RunningProcess] {
    var found: [RunningProcess] = []
    for socket in folder.sockets() {
      do throws(LoopError) { found.append(try RunningProcess(socket)) } catch {
        switch error.code {
        case .connectionRefused: folder.remove(socket)
        case .other(let status) where status == -ENOENT: break  // it has just ended
        default: throw Silence(message: "process \(socket.pid) can't be spoken to: \(error)")
        }
      }
    }
    return found
  }

  /// The line that answers a line.
  /// - Parameter patience: nil: as long as it takes.
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
    return Silence(message: "process \(pid) can't be spoken to: \(String(cString: strerror(code)))")
  }

  // MARK: What it runs

  /// The names and aids of an accessory and those behind it.
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
