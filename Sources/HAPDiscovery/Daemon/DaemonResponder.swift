import HAPLoop

/// The machine's mDNS daemon: Bonjour on macOS, Avahi on Linux. Both are used through `dns_sd.h`.
///
/// The daemon provides the host name and its addresses. If it stops, `failed` is reported. When it returns, the records are registered
/// again.
package final class DaemonResponder: Responder {
  fileprivate let loop: EventLoop
  fileprivate let desk: DaemonDesk
  private var advertisers: [DaemonAdvertiser] = []
  private var isClosed = false

  /// - Parameter interfaces: names. Empty: all interfaces of the daemon.
  /// - Throws: `.noSuchInterface`.
  package convenience init(_ loop: EventLoop, interfaces: [String] = []) throws(LoopError) {
    for name in interfaces { _ = try loop.interfaces().named(name) }
    self.init(loop, DaemonDesk(InterfaceChoice(interfaces)))
  }

  init(_ loop: EventLoop, _ desk: DaemonDesk) {
    self.loop = loop
    self.desk = desk
  }

  package func makeAdvertiser() -> any Advertiser {
    let advertiser = DaemonAdvertiser(self)
    advertisers.append(advertiser)
    if isClosed { advertiser.close() }
    return advertiser
  }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    for advertiser in advertisers { advertiser.close() }
    advertisers = []
    desk.close()
  }

  fileprivate func forget(_ advertiser: DaemonAdvertiser) { advertisers.removeAll { $0 === advertiser } }
}

/// One record that the daemon advertises. Belongs to the accessories' loop; the calls run on the desk's loop.
private final class DaemonAdvertiser: Advertiser {
  private unowned let responder: DaemonResponder
  private let desk: DaemonDesk
  private let loop: EventLoop
  private var events: ((AdvertisementEvent) -> Void)?
  private var txt: TextRecord?
  /// Incremented by each `publish`, so that events of an earlier record are dropped.
  private var edition = 0
  private var isClosed = false
  private var id: ObjectIdentifier { ObjectIdentifier(self) }

  init(_ responder: DaemonResponder) {
    self.responder = responder
    desk = responder.desk
    loop = responder.loop
  }

  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    guard !isClosed else { return }
    edition += 1
    self.events = events
    let (edition, id, desk) = (edition, id, desk)
    do throws(RecordError) {
      try record.check()
    } catch {
      withdrawAtDesk()
      return loop.later { self.tell(.failed(error.description), edition) }
    }
    txt = record.txt
    let (loop, bound) = (loop, LoopBound(here: loop, self))
    desk.loop.schedule {
      desk.registration(id).publish(record) { event in loop.schedule { bound.value.tell(event, edition) } }
    }
  }

  func update(txt new: TextRecord) {
    guard let txt, txt != new else { return }
    do throws(RecordError) {
      try new.check()
    } catch {
      let edition = edition
      return loop.later { self.tell(.failed(error.description), edition) }
    }
    self.txt = new
    let (id, desk) = (id, desk)
    desk.loop.schedule { desk.registration(id).update(new) }
  }

  func withdraw() {
    edition += 1
    events = nil
    withdrawAtDesk()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    edition += 1
    events = nil
    txt = nil
    let (id, desk, bound) = (id, desk, LoopBound(here: loop, self))
    // Kept alive until then, so that no other object gets the same identifier.
    desk.loop.schedule { withExtendedLifetime(bound) { desk.forget(id) } }
    responder.forget(self)
  }

  private func withdrawAtDesk() {
    txt = nil
    let (id, desk) = (id, desk)
    desk.loop.schedule { desk.registration(id).withdraw() }
  }

  private func tell(_ event: AdvertisementEvent, _ edition: Int) {
    if edition == self.edition { events?(event) }
  }
}
