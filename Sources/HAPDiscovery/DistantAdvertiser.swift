import HAPLoop

/// An advertiser of a responder that lives on another loop than the accessory: what it is told goes there, and events come back, in their order.
///
/// So one responder does for accessories on several loops, and what it does for thousands of them holds up none.
package final class DistantAdvertiser: Advertiser, @unchecked Sendable {  // `base` is used at home alone, the rest on the owner's loop
  private let home: EventLoop
  private let loop: EventLoop
  private var base: (any Advertiser)?
  private var events: ((AdvertisementEvent) -> Void)?
  /// Counts what was published, so that news of an earlier record is not told to the next.
  private var edition = 0
  private var isClosed = false

  /// - Parameters:
  ///   - responder: belongs to `home`.
  ///   - loop: its owner's.
  package init(of responder: any Responder, at home: EventLoop, for loop: EventLoop) {
    self.home = home
    self.loop = loop
    nonisolated(unsafe) let responder = responder
    home.schedule { self.base = responder.makeAdvertiser() }
  }

  package func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    guard !isClosed else { return }
    edition += 1
    self.events = events
    let edition = edition
    home.schedule {
      self.base?.publish(record) { event in
        self.loop.schedule { if edition == self.edition { self.events?(event) } }
      }
    }
  }

  package func update(txt: TextRecord) { home.schedule { self.base?.update(txt: txt) } }

  package func withdraw() {
    edition += 1
    events = nil
    home.schedule { self.base?.withdraw() }
  }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    edition += 1
    events = nil
    home.schedule {
      self.base?.close()
      self.base = nil
    }
  }
}
