import HAPIP
import HAPModel
import HAPWire

/// Restores the subscriptions on each new connection, and handles their values.
extension PersistentConnection {
  /// Subscribes, and reads the current values, so that changes during a lost connection can be reported later.
  /// Subscriptions that the accessory accepts are restored on each new connection.
  /// - Parameters:
  ///   - timeout: for each request.
  ///   - source: `.catchUp` reports the current values as news.
  ///   - done: called once, with the entries that the accessory refused.
  func subscribe(
    _ ids: [AttributeID], timeout: Duration, told source: Source = .quietly,
    done: @escaping (Result<[CharacteristicEntry], ClientError>) -> Void
  ) {
    let send: Sender = { [weak self] request, done in
      guard let self else { return done(.failure(.cancelled)) }
      self.send(request, timeout: timeout, done: done)
    }
    subscribe(ids, by: send) { [weak self] result in
      guard let self, case .success(let refused) = result else { return done(result) }
      let gone = Set(refused.map(\.id))
      let agreed = ids.filter { !gone.contains($0) }
      subscriptions.add(agreed)
      read(agreed, by: send, told: source) { [weak self] error in
        if case .flooded? = error { self?.lose(.flooded) }
        done(result)
      }
    }
  }

  /// - Parameter done: called once, with the entries that the accessory refused.
  func unsubscribe(
    _ ids: [AttributeID], timeout: Duration, done: @escaping (Result<[CharacteristicEntry], ClientError>) -> Void
  ) {
    subscriptions.remove(ids)
    write(ids[...], ev: false, by: { self.send($0, timeout: timeout, done: $1) }, refused: [], done)
  }

  func subscribe(
    _ ids: [AttributeID], by send: @escaping Sender,
    done: @escaping (Result<[CharacteristicEntry], ClientError>) -> Void
  ) { write(ids[...], ev: true, by: send, refused: [], done) }

  private func write(
    _ ids: ArraySlice<AttributeID>, ev: Bool, by send: @escaping Sender, refused: [CharacteristicEntry],
    _ done: @escaping (Result<[CharacteristicEntry], ClientError>) -> Void
  ) {
    guard !ids.isEmpty else { return done(.success(refused)) }
    let request = ControllerRequest.write(ids.prefix(Self.chunk).map { .init($0, ev: ev) })
    send(request) { [self] answer in
      var reader = AttributeReader()
      switch ControllerConnection.entries(answer, request.name, &reader) {
      case .failure(let error): done(.failure(error))
      case .success(let entries):
        let refused = refused + entries.filter { !$0.isSuccess }
        write(ids.dropFirst(Self.chunk), ev: ev, by: send, refused: refused, done)
      }
    }
  }

  typealias Source = SubscriptionBook.Source

  /// Reads values. Entries with an error status are skipped: some characteristics with events can't be read.
  /// - Parameter done: called once. The error is that of the connection, or `.flooded` if there is no space for news.
  func read(
    _ ids: [AttributeID], by send: @escaping Sender, told source: Source, done: @escaping (ClientError?) -> Void
  ) {
    guard !ids.isEmpty else { return done(nil) }
    send(.read(Array(ids.prefix(Self.chunk)))) { [self] answer in
      switch answer {
      case .failure(let error): done(error)
      case .success(let message):
        guard take(message, from: source) else { return done(.flooded) }
        read(Array(ids.dropFirst(Self.chunk)), by: send, told: source, done: done)
      }
    }
  }

  /// Stores values, and reports those that are news.
  /// - Returns: false if there is no space for them; no value is stored then.
  func take(_ message: LinkMessage, from source: Source) -> Bool {
    var reader = AttributeReader()
    let name = source == .event ? "an event" : "GET /characteristics"
    switch ControllerConnection.entries(.success(message), name, &reader) {
    case .failure(let error):
      return source == .quietly || tell(.unreadable(error), byteCount: message.body.count)
    case .success(let entries):
      let told = entries.filter { subscriptions.isNews($0, from: source) }
      if source == .event || !told.isEmpty {
        let news = SessionNews.values(told, isCatchUp: source == .catchUp, remarks: reader.remarks)
        guard tell(news, byteCount: message.body.count) else { return false }
      }
      subscriptions.take(entries)
      return true
    }
  }
}
