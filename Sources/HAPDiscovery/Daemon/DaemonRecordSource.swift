import HAPLoop

/// Looks for records through the machine's mDNS daemon, with one daemon connection for each question. The calls run on the desk's loop.
final class DaemonRecordSource: RecordSource {
  /// Receives the answers, on the owner's loop.
  fileprivate final class Owner {
    let tell: (RecordEvent) -> Void
    var isClosed = false
    /// Incremented after each loss of the daemon, so that earlier events and questions are dropped.
    var edition = 0

    init(_ tell: @escaping (RecordEvent) -> Void) { self.tell = tell }
  }

  private let desk: DaemonDesk
  private let owner: Owner
  private let conversations: LoopBound<DeskConversations>

  /// - Parameters:
  ///   - loop: the owner's loop, on which events are reported. The caller is on its thread.
  ///   - desk: owned by this object from now on.
  init(_ loop: EventLoop, _ desk: DaemonDesk, type: String, tell: @escaping (RecordEvent) -> Void) {
    self.desk = desk
    owner = Owner(tell)
    let conversations = LoopBound(
      desk.loop, DeskConversations(desk, type: type, for: LoopBound(here: loop, owner), on: loop))
    self.conversations = conversations
    desk.loop.schedule { conversations.value.browse() }
  }

  func close() {
    guard !owner.isClosed else { return }
    owner.isClosed = true
    desk.loop.schedule { [conversations] in conversations.value.close() }
    desk.close()
  }

  func ask(_ question: Question) {
    let edition = owner.edition
    desk.loop.schedule { [conversations] in conversations.value.start(question, of: edition) }
  }

  func drop(_ question: Question) {
    let edition = owner.edition
    desk.loop.schedule { [conversations] in conversations.value.end(question, of: edition) }
  }
}

/// The connections to the daemon, on the desk's loop.
private final class DeskConversations {
  /// With Avahi each one is a connection to D-Bus, which allows 256 for each user.
  private static let mostConversations = 192

  private let desk: DaemonDesk
  private let type: String
  private let owner: LoopBound<DaemonRecordSource.Owner>
  private let ownerLoop: EventLoop
  private var instances: ServiceReference?
  private var conversations: [Question: ServiceReference] = [:]
  /// Questions beyond the limit, until another one ends, and questions that failed, until the next try.
  private var waiting: [Question] = []
  private var edition = 0
  private var backOff = BackOff()
  private lazy var retry = LoopTimer(desk.loop) { [unowned self] in
    if instances == nil { browse() } else { startWaiting() }
  }

  init(_ desk: DaemonDesk, type: String, for owner: LoopBound<DaemonRecordSource.Owner>, on ownerLoop: EventLoop) {
    self.desk = desk
    self.type = type
    self.owner = owner
    self.ownerLoop = ownerLoop
  }

  func close() {
    hangUp()
    retry.close()
  }

  func start(_ question: Question, of edition: Int) { if edition == self.edition { start(question) } }
  func end(_ question: Question, of edition: Int) { if edition == self.edition { end(question) } }

  func browse() {
    retry.cancel()
    guard desk.interfaces != nil else { return failed(desk.choice.absence) }
    do throws(DaemonError) {
      instances = try ServiceReference.browse(type, on: desk.loop) { [unowned self] reply in
        switch reply {
        case .found(let name, let interface): heard(.instance(name, Link(interface: interface), isThere: true))
        case .gone(let name, let interface): heard(.instance(name, Link(interface: interface), isThere: false))
        case .failed(let error): failed(error.description)
        case .registered, .record: break
        }
      }
    } catch {
      failed(error.description)
    }
  }

  private func start(_ question: Question) {
    guard conversations[question] == nil, !waiting.contains(question) else { return }
    guard conversations.count < Self.mostConversations else { return waiting.append(question) }
    do throws(DaemonError) {
      conversations[question] = try ServiceReference.records(question.name, type: question.type, on: desk.loop) {
        [unowned self] reply in
        switch reply {
        case .record(let data, let interface, let isThere):
          backOff.reset()
          heard(.record(question, Link(interface: interface), data: data, isThere: isThere))
        case .failed(let error) where error.isOfQuestion: conversations.removeValue(forKey: question)?.close()
        case .failed(let error): failed(error.description)
        case .registered, .found, .gone: break
        }
      }
    } catch  where error.isOfQuestion {
      // Any device can advertise an invalid host name. Only this question is dropped.
    } catch {
      // There may be too many connections. If the daemon is gone, the open connections report it.
      waiting.append(question)
      if !retry.isActive { retry.start(after: backOff.delay()) }
    }
  }

  private func end(_ question: Question) {
    waiting.removeAll { $0 == question }
    guard let conversation = conversations.removeValue(forKey: question) else { return }
    conversation.close()
    if !waiting.isEmpty { start(waiting.removeFirst()) }
  }

  private func startWaiting() {
    let questions = waiting
    waiting = []
    for question in questions { start(question) }
  }

  private func hangUp() {
    instances?.close()
    instances = nil
    for conversation in conversations.values { conversation.close() }
    conversations = [:]
    waiting = []
  }

  private func failed(_ reason: String) {
    hangUp()
    edition += 1
    retry.start(after: backOff.delay())
    ownerLoop.schedule { [edition, owner] in
      owner.value.edition = edition
      if !owner.value.isClosed { owner.value.tell(.lost(reason)) }
    }
  }

  /// Reports records that appear on the chosen interfaces, and records that disappear on any interface.
  private func heard(_ event: RecordEvent) {
    switch event {
    case .instance(_, let link, true), .record(_, let link, _, true):
      guard let wanted = desk.interfaces, wanted == [0] || wanted.contains(link.interface) else { return }
    default: break
    }
    ownerLoop.schedule { [edition, owner] in
      let owner = owner.value
      if edition == owner.edition, !owner.isClosed { owner.tell(event) }
    }
  }
}
