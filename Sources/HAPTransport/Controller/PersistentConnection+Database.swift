import HAPIP
import HAPLoop
import HAPModel

/// Reads the database, and reads it again when it may have changed.
extension PersistentConnection {
  /// Reads the database, and keeps it up to date from now on: see `SessionNews.database`. Removes subscriptions to
  /// characteristics that do not exist.
  /// - Parameter done: called once.
  func readDatabase(timeout: Duration, done: @escaping (Result<AccessoryMirror, ClientError>) -> Void) {
    let request = freshness.willRead()
    send(.accessories, timeout: timeout) { [weak self] answer in
      let result = Self.mirror(answer)
      // The caller receives a failure, and decides whether to read again.
      if let self, case .success(let mirror) = result {
        freshness.didRead(request, at: loop.readClock())
        subscriptions.removeAll(notIn: mirror.database)
      }
      done(result)
      self?.readDatabaseIfStale()
    }
  }

  /// Handles the configuration number of the accessory's record.
  func configurationNumber(is number: UInt32) {
    freshness.saw(number)
    readDatabaseIfStale()
  }

  /// Reads the database again if it may have changed, now or after the minimum time between two reads.
  func readDatabaseIfStale() {
    guard isReady, !isReadingDatabase, let delay = freshness.delayOfRead(at: loop.readClock()) else { return }
    guard delay == .zero else { return databaseTimer.start(after: delay) }
    isReadingDatabase = true
    let timeout = plan.requestTimeout
    refreshDatabase(by: { [weak self] in self?.send($0, timeout: timeout, done: $1) }) { [weak self] error in
      guard let self else { return }
      isReadingDatabase = false
      if case .flooded? = error { return lose(.flooded) }
      // Without a connection this does nothing: the next connection begins by reading the database.
      readDatabaseIfStale()
    }
  }

  /// Reads the database again and reports it. Removes subscriptions to characteristics that no longer exist.
  /// - Parameter done: called once. The error is that of the request, or `.flooded` if there is no space for news.
  func refreshDatabase(by send: @escaping Sender, done: @escaping (ClientError?) -> Void) {
    let request = freshness.willRead()
    send(.accessories) { [self] answer in
      let news: SessionNews
      switch (answer, Self.mirror(answer)) {
      case (.failure(let error), _):
        freshness.readFailed(at: loop.readClock())
        return done(error)
      case (.success, .failure(let error)):
        freshness.readFailed(at: loop.readClock())
        news = .unreadable(error)
      case (.success, .success(let mirror)):
        freshness.didRead(request, at: loop.readClock())
        subscriptions.removeAll(notIn: mirror.database)
        news = .database(mirror)
      }
      done(tell(news, byteCount: (try? answer.get())?.body.count ?? 0) ? nil : .flooded)
    }
  }

  private static func mirror(_ answer: Answer) -> Result<AccessoryMirror, ClientError> {
    answer.flatMap { message in
      Result { () throws(ClientError) in try AccessoryMirror(answer: message) }
    }
  }
}
