import HAPSimulator

/// Another part of the app. It sends an identify request to a new door, which then blinks, before the user has scanned its code. It repeats this until it
/// succeeds, because the door may have no power yet.
///
/// Its caller provides the network and the clock, so that tests can run it in a simulated world. Your app has a second type like `PhoneNetwork`, which
/// uses Bonjour and real sockets, and its clock is a `ContinuousClock`.
struct DoorGreeter<AppClock: Clock>: Sendable where AppClock.Duration == Duration {
  let network: any AppNetwork
  let clock: AppClock

  /// - Returns: the number of attempts.
  func greet(_ name: String) async throws -> Int {
    for attempt in 1... {
      if try await isGreeted(name) { return attempt }
      // The pause doubles from one second up to a minute.
      try await clock.sleep(for: .seconds(min(1 << min(attempt - 1, 6), 60)))
    }
    return 0
  }

  private func isGreeted(_ name: String) async throws -> Bool {
    do {
      let answer = try await within(.seconds(10)) {
        let stream = try await network.connect(to: name)
        defer { stream.close() }
        try await stream.write(Array("POST /identify HTTP/1.1\r\nHost: door\r\nContent-Length: 0\r\n\r\n".utf8))
        return try await stream.read()
      }
      return answer.starts(with: Array("HTTP/1.1 204".utf8))
    } catch {
      // A cancelled task stops here. After any other error, the caller tries again.
      try Task.checkCancellation()
      return false
    }
  }

  private func within<T: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await clock.sleep(for: limit)
        throw TooLate()
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw TooLate() }
      return first
    }
  }

  private struct TooLate: Error {}
}

/// The part of a network that the app uses.
protocol AppNetwork: Sendable {
  /// Finds an accessory by its name, and connects to it.
  func connect(to name: String) async throws -> any AppStream
}

/// A TCP connection.
protocol AppStream: Sendable {
  func read() async throws -> [UInt8]
  func write(_ bytes: [UInt8]) async throws
  func close()
}

/// The app's network in tests: the network of a host in a simulated world.
struct PhoneNetwork: AppNetwork {
  let phone: World.Host

  func connect(to name: String) async throws -> any AppStream {
    WorldStream(connection: try await phone.connect(to: try await phone.find(name)))
  }

  private struct WorldStream: AppStream {
    let connection: World.Connection
    func read() async throws -> [UInt8] { try await connection.read() }
    func write(_ bytes: [UInt8]) async throws { try await connection.write(bytes) }
    func close() { connection.close() }
  }
}
