import HAPLoop
import HAPWire

@testable import HAPWeb

/// A listener on a loop, with answers from the test, and clients that send raw bytes.
final class ServedListener: @unchecked Sendable {  // state is confined to the loop's thread
  let loop = EventLoop(name: "listener")
  private(set) var journal: EventJournal<Note>!
  private(set) var listener: WebListener!

  init(
    _ times: WebTimes, token: String? = nil,
    respond: @escaping @Sendable (WebRequest) -> WebAnswer = { _ in .done }
  ) async throws {
    loop.start()
    try await onLoop { [self] in
      journal = EventJournal<Note>(run: "here") { .zero }
      listener = try WebListener(
        at: .loopbackV4, port: 0, AccessRules(token: token, hostName: "studio"), journal, times: times, on: loop
      ) { request, done in done(respond(request)) }
    }
  }

  func stop() async throws {
    try await onLoop { [self] in
      listener.close()
      listener = nil
    }
    loop.stop()
  }

  func onLoop<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      loop.schedule { continuation.resume(with: Result { try body() }) }
    }
  }

  /// A connected client.
  func client() async throws -> RawClient {
    let address = try await onLoop { [self] in listener.address }
    return try await withCheckedThrowingContinuation { continuation in
      loop.schedule { [loop] in RawClient.connect(to: address, on: loop) { continuation.resume(with: $0) } }
    }
  }

  func connectionCount() async throws -> Int { try await onLoop { [self] in listener.connectionCount } }
}

extension WebTimes {
  /// So that a slow machine ends no connection.
  static var patient: WebTimes {
    var times = WebTimes()
    (times.request, times.idle, times.answer) = (.seconds(3600), .seconds(3600), .seconds(3600))
    return times
  }
}

/// An event of these tests.
struct Note: JournalEvent {
  let name = "trouble"
  var text: String
  var weight: Int { text.utf8.count }
  func concerns(_ subject: String) -> Bool { text == subject }
  func write(to json: inout JSONWriter) {
    json.key("text")
    json.string(text)
  }
}

/// The operations of these tests.
enum NoteOperation: String, WebOperation {
  case showIndex, showNote, changeNote, addNote

  var form: WebForm {
    switch self {
    case .showIndex: WebForm("GET", "")
    case .showNote: WebForm("GET", "/notes/{note}", query: ["after"])
    case .changeNote: WebForm("PUT", "/notes/{note}", body: .required)
    case .addNote: WebForm("POST", "/notes/new", body: .unparsed)
    }
  }
}

/// Sends raw bytes and collects the received ones. Reads only during a wait.
final class RawClient: @unchecked Sendable {  // state is confined to the loop's thread
  private let loop: EventLoop
  private var stream: TCPStream!
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var bytes: [UInt8] = []
  private var hasEnded = false
  /// The number of bytes that were searched for the awaited text.
  private var searched = 0
  private var request: (isMet: () -> Bool, then: ([UInt8]) -> Void)?

  private init(_ loop: EventLoop) { self.loop = loop }
  deinit { buffer.deallocate() }

  static func connect(
    to address: SocketAddress, on loop: EventLoop, _ done: @escaping (Result<RawClient, any Error>) -> Void
  ) {
    let client = RawClient(loop)
    client.stream = TCPStream(loop, connectingTo: address) { error in
      if let error { return done(.failure(error)) }
      client.stream.startReading(onAllocate: { [buffer = client.buffer] _ in buffer }) { client.read($0) }
      client.stream.pauseReading()
      done(.success(client))
    }
  }

  private func read(_ event: TCPStream.ReadEvent) {
    if case .bytes(let count) = event { bytes += buffer[..<count] } else { hasEnded = true }
    look()
  }

  private func look() {
    guard let request, hasEnded || request.isMet() else { return }
    self.request = nil
    stream.pauseReading()
    request.then(bytes)
  }

  func send(_ text: String) { send(Array(text.utf8)) }
  func send(_ bytes: [UInt8]) { loop.schedule { [self] in stream.write(bytes) } }
  func finish() { loop.schedule { [self] in stream.finishWriting() } }
  func close() { loop.schedule { [self] in stream.close() } }

  /// Waits for `text` or the end of the stream, and returns everything received so far.
  @discardableResult
  func until(_ text: String) async -> String {
    let wanted = Array(text.utf8)
    return String(
      decoding: await bytes { [self] in
        let start = max(0, searched - wanted.count)
        searched = bytes.count
        return bytes[start...].firstRange(of: wanted) != nil
      }, as: UTF8.self)
  }

  /// Waits for `count` bytes or the end of the stream, and returns the number received so far.
  @discardableResult
  func until(_ count: Int) async -> Int { await bytes { [self] in bytes.count >= count }.count }

  /// Waits for the end of the stream, and returns everything received.
  func untilEnd() async -> [UInt8] { await bytes { false } }

  private func bytes(_ isMet: @escaping @Sendable () -> Bool) async -> [UInt8] {
    await withCheckedContinuation { continuation in
      loop.schedule { [self] in
        searched = 0
        request = (isMet, { continuation.resume(returning: $0) })
        stream.resumeReading()
        look()
      }
    }
  }
}

/// Runs `body` with a listener, and always stops it afterwards.
func listening<T>(
  _ times: WebTimes = .patient, token: String? = nil,
  respond: @escaping @Sendable (WebRequest) -> WebAnswer = { _ in .done },
  _ body: (ServedListener) async throws -> T
) async throws -> T {
  let served = try await ServedListener(times, token: token, respond: respond)
  do {
    let result = try await body(served)
    try await served.stop()
    return result
  } catch {
    try await served.stop()
    throw error
  }
}
