import HAPLoop

/// Looks for records through the machine's mDNS daemon: a conversation for each question. The work is done at a desk.
// What belongs to the desk is touched on its loop alone, the rest on the owner's.
final class DaemonRecordSource: RecordSource, @unchecked Sendable {
  /// With Avahi each is a connection to D-Bus, which lets one user have 256.
  private static let mostConversations = 192

  private let loop: EventLoop
  private let desk: DaemonDesk
  private let type: String
  private let tell: (RecordEvent) -> Void
  private var isClosed = false
  /// Counts how often all was lost, so that news and questions of before don't reach what comes after.
  private var edition = 0

  // Of the desk's loop.
  private var instances: ServiceReference?
  private var conversations: [Question: ServiceReference] = [:]
  /// Those beyond the limit, until another ends; and those that couldn't be asked, until the next try.
  private var waiting: [Question] = []
  private var deskEdition = 0
  private var backOff = BackOff()
  private lazy var retry = LoopTimer(desk.loop) { [unowned self] in
    if instances == nil { browse() } else { startWaiting() }
  }

  /// - Parameters:
  ///   - loop: its owner's, where it tells.
  ///   - desk: its own from now on.
  init(_ loop: EventLoop, _ desk: DaemonDesk, type: String, tell: @escaping (RecordEvent) -> Void) {
    self.loop = loop
    self.desk = desk
    self.type = type
    self.tell = tell
    desk.loop.schedule { self.browse() }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    desk.loop.schedule {
      self.hangUp()
      self.retry.close()
    }
    desk.close()
  }

  func ask(_ question: Question) {
    let edition = edition
    desk.loop.schedule { if edition == self.deskEdition { self.start(question) } }
  }

  func drop(_ question: Question) {
    let edition = edition
    desk.loop.schedule { if edition == self.deskEdition { self.end(question) } }
  }

  // MARK: At the desk

  private func browse() {
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
      // A stranger may have named a host that is none: nothing will be heard of that, and of others all the same.
    } catch {
      // There may be too many. If it is the daemon that has gone, those that are open say so.
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
    deskEdition += 1
    let edition = deskEdition
    retry.start(after: backOff.delay())
    loop.schedule {
      self.edition = edition
      if !self.isClosed { self.tell(.lost(reason)) }
    }
  }

  /// What is heard on the interfaces that are wanted; what goes, goes everywhere.
  private func heard(_ event: RecordEvent) {
    switch event {
    case .instance(_, let link, true), .record(_, let link, _, true):
      guard let wanted = desk.interfaces, wanted == [0] || wanted.contains(link.interface) else { return }
    default: break
    }
    let edition = deskEdition
    loop.schedule { if edition == self.edition, !self.isClosed { self.tell(event) } }
  }
}
