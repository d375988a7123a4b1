import HAPLoop

/// Browses for services through a source of single records, such as a daemon. Stays open until `close()`.
final class RecordBrowser: ServiceSource {
  /// The records of a service arrive one after the other, in a packet or two. This delay lets the service appear complete.
  private static let settlingTime = Duration.milliseconds(10)

  private var table: ServiceTable
  private var asked: Set<Question> = []
  private var source: (any RecordSource)?
  private var onEvent: (BrowserEvent) -> Void
  private let settling: LoopTimer
  private var trouble: String?
  /// The last reported trouble, until an instance is found.
  private var toldTrouble: String?

  /// - Parameters:
  ///   - type: such as "_hap._tcp".
  ///   - makeSource: creates the source, which reports through the closure.
  ///   - onEvent: never called before this returns.
  init(
    _ loop: EventLoop, type: String, onEvent: @escaping (BrowserEvent) -> Void,
    makeSource: (@escaping (RecordEvent) -> Void) throws(LoopError) -> any RecordSource
  ) throws(LoopError) {
    table = ServiceTable(type: type)
    self.onEvent = onEvent
    settling = LoopTimer(loop)
    do throws(LoopError) {
      source = try makeSource { [weak self] in self?.take($0) }
    } catch {
      settling.close()
      throw error
    }
    // Keeps this object alive while it is open.
    settling.onFire = { self.settle() }
  }

  /// Stops all events. Idempotent; can be called from within an event.
  func close() {
    guard let source else { return }
    self.source = nil
    settling.close()
    onEvent = { _ in }
    source.close()
  }

  private func take(_ event: RecordEvent) {
    guard source != nil else { return }
    switch event {
    case .instance(let name, let link, let isThere):
      toldTrouble = nil
      table.take(instance: name, link, isThere: isThere)
    case .record(let question, let link, let data, let isThere): table.take(question, link, data, isThere: isThere)
    case .lost(let reason):
      table.clear()
      asked = []
      trouble = reason
    }
    if !settling.isActive { settling.start(after: Self.settlingTime) }
  }

  private func settle() {
    guard let source else { return }
    let wanted = table.questions
    let old = asked
    asked = wanted
    for question in old.subtracting(wanted) { source.drop(question) }
    for question in wanted.subtracting(old) { source.ask(question) }
    var events = table.changes()
    if let trouble, trouble != toldTrouble {
      events.append(.trouble(trouble))
      toldTrouble = trouble
    }
    trouble = nil
    for event in events { onEvent(event) }
  }
}
