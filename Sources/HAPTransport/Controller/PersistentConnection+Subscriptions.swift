import HAPModel
import HAPProtocol
import HAPWire

/// Subscriptions, which each new connection makes again, and the values that they bring.
extension PersistentConnection {
  /// Subscribes, and reads the current values, so that changes during a lost connection can be reported later.
  /// Characteristics that the accessory does not refuse are subscribed to again on each new connection.
  /// - Parameters:
  ///   - timeout: for each request.
  ///   - done: is called once, with the entries that the accessory refused.
  func subscribe(
    _ ids: [AttributeID], timeout: Duration, done: @escaping (Result<[CharacteristicEntry], ClientError>) -> Void
  ) {
    let send: Sender = { [weak self] request, done in
      guard let self else { return done(.failure(.cancelled)) }
      self.send(request, timeout: timeout, done: done)
    }
    subscribe(ids, by: send) { [weak self] result in
      guard let self, case .success(let refused) = result else { return done(result) }
      let gone = Set(refused.map(\.id))
      let agreed = ids.filter { !gone.contains($0) }
      for id in agreed where !subscriptions.keys.contains(id) { subscriptions[id] = .some(nil) }
      read(agreed, by: send, told: .quietly) { _ in done(result) }
    }
  }

  /// - Parameter done: is called once, with the entries that the accessory refused.
  func unsubscribe(
    _ ids: [AttributeID], timeout: Duration, done: @escaping (Result<[CharacteristicEntry], ClientError>) -> Void
  ) {
    for id in ids { subscriptions.removeValue(forKey: id) }
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

  /// The source of values, which decides whether they are news.
  enum Source { case event, catchUp, quietly }

  /// Reads values. Entries with an error status are skipped: not every characteristic with events can be read.
  /// - Parameter done: is called once. The error is that of the connection, or `.flooded` if there is no room for news.
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

  /// Takes values, and reports those that are news.
  /// - Returns: false if there is no room for them; no value is taken then.
  func take(_ message: LinkMessage, from source: Source) -> Bool {
    var reader = AttributeReader()
    let name = source == .event ? "an event" : "GET /characteristics"
    switch ControllerConnection.entries(.success(message), name, &reader) {
    case .failure(let error):
      return source == .quietly || tell(.unreadable(error), byteCount: message.body.count)
    case .success(let entries):
      let told = entries.filter { isNews($0, from: source) }
      if source == .event || !told.isEmpty {
        let news = SessionNews.values(told, isCatchUp: source == .catchUp, remarks: reader.remarks)
        guard tell(news, byteCount: message.body.count) else { return false }
      }
      for entry in entries {
        if let value = entry.value, entry.isSuccess, subscriptions.keys.contains(entry.id) {
          subscriptions[entry.id] = .some(value.kind)
        }
      }
      return true
    }
  }

  private func isNews(_ entry: CharacteristicEntry, from source: Source) -> Bool {
    switch source {
    case .event: return true
    case .quietly: return false
    case .catchUp:
      // The event of a button reads as null, so a press during a lost connection cannot be detected.
      guard entry.isSuccess, let value = entry.value, !value.isNull else { return false }
      guard case .some(.some(let known)) = subscriptions[entry.id] else { return true }
      return !known.isSameValue(as: value.kind)
    }
  }
}

extension JSONNode.Kind {
  /// Whether two forms are the same value: some accessories write 1 for true, or 20.0 for 20.
  fileprivate func isSameValue(as other: JSONNode.Kind) -> Bool {
    if let number, let other = other.number { return number == other }
    return self == other
  }

  private var number: Double? {
    switch self {
    case .bool(let bool): bool ? 1 : 0
    case .number(let number): number.double
    case .null, .string, .array, .object: nil
    }
  }
}
