import HAPLoop
import Testing

@testable import HAPDiscovery

/// Records its requests: "publish 1 door" is by the first advertiser.
private final class NotingResponder: Responder, @unchecked Sendable {  // used on its loop alone
  let notes: AsyncStream<String>
  private(set) var advertisers: [NotingAdvertiser] = []
  /// Called for each publication, after its events.
  var onPublish: () -> Void = {}
  fileprivate let note: AsyncStream<String>.Continuation

  init() { (notes, note) = AsyncStream.makeStream(of: String.self) }

  func makeAdvertiser() -> any Advertiser {
    let advertiser = NotingAdvertiser(self, number: advertisers.count + 1)
    advertisers.append(advertiser)
    note.yield("make \(advertiser.number)")
    return advertiser
  }

  func close() {
    note.yield("close")
    advertisers = []
  }
}

private final class NotingAdvertiser: Advertiser {
  let number: Int
  /// The event handlers, one per publication.
  private(set) var events: [(AdvertisementEvent) -> Void] = []
  private unowned let responder: NotingResponder

  init(_ responder: NotingResponder, number: Int) {
    self.responder = responder
    self.number = number
  }

  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    self.events.append(events)
    responder.note.yield("publish \(number) \(record.name)")
    events(.established(record.name))
    responder.onPublish()
  }

  func update(txt: TextRecord) { responder.note.yield("update \(number) \(txt["sf"] ?? "")") }
  func withdraw() { responder.note.yield("withdraw \(number)") }
  func close() { responder.note.yield("close \(number)") }
  func abandon() { responder.note.yield("abandon \(number)") }
}

/// Two cross-loop advertisers of a recording responder, with a separate loop for the responder.
private final class Station: @unchecked Sendable {
  let loop = EventLoop(name: "owner")
  let home = EventLoop(name: "home")
  let base = NotingResponder()
  let events: AsyncStream<AdvertisementEvent>
  let responder: CrossLoopResponder
  // Confined to the owner's thread.
  private(set) var advertisers: [any Advertiser] = []
  private let event: AsyncStream<AdvertisementEvent>.Continuation

  init() {
    (events, event) = AsyncStream.makeStream(of: AdvertisementEvent.self)
    home.start()
    loop.start()
    let made: CrossLoopResponder? = home.perform(waitingAtMost: .seconds(60)) { [base, home] in
      CrossLoopResponder(base, on: home)
    }
    guard let made else { preconditionFailure("a started loop must run its work") }
    responder = made
  }

  /// Runs on the owner's thread.
  func open() { advertisers = (0..<2).map { _ in responder.makeAdvertiser(for: loop) } }

  /// Runs on the owner's thread.
  func publish(_ name: String, by index: Int, then: @escaping () -> Void = {}) {
    let record = ServiceRecord(name: name, port: 1234, txt: [], host: name)
    advertisers[index].publish(record) { event in
      #expect(self.loop.isOnLoop)
      self.event.yield(event)
      then()
    }
  }

  func with(_ body: @escaping @Sendable (Station) -> Void) throws { try loop.performAndWait { body(self) } }

  func notes(_ count: Int) async -> [String] { await base.notes.first(count) }

  func close() throws {
    responder.close()
    try with { $0.advertisers = [] }
    loop.stop()
    #expect(loop.openHandleCount == 0 && home.openHandleCount == 0)
  }
}

extension AsyncStream where Element: Sendable {
  fileprivate func first(_ count: Int) async -> [Element] {
    var found: [Element] = []
    for await element in self {
      found.append(element)
      if found.count == count { break }
    }
    return found
  }
}

@Suite struct CrossLoopResponderTests {
  @Test("Requests are performed one by one, in order") func order() async throws {
    let station = Station()
    try station.with { station in
      station.open()
      station.publish("door", by: 0)
      station.publish("lamp", by: 1)
      station.advertisers[0].update(txt: [("sf", "1")])
      station.advertisers[1].withdraw()
      station.advertisers[0].update(txt: [("sf", "0")])
      station.advertisers[1].close()
      station.advertisers[1].close()
      station.advertisers[0].abandon()
      station.advertisers[0].close()
    }
    let notes = await station.notes(9)
    #expect(notes[..<4] == ["make 1", "make 2", "publish 1 door", "publish 2 lamp"])
    #expect(notes[4...] == ["update 1 1", "withdraw 2", "update 1 0", "close 2", "abandon 1"])
    try station.close()
    #expect(await station.notes(1) == ["close"])
  }

  @Test("A request made in an event is performed after the batch, and so are later ones") func nested() async throws {
    let station = Station()
    // When this returns, the owner has received the event.
    station.base.onPublish = { [loop = station.loop] in try? loop.performAndWait {} }
    try station.with { station in
      station.open()
      station.publish("door", by: 0) { station.advertisers[0].update(txt: [("sf", "1")]) }
      station.publish("lamp", by: 1)
    }
    let notes = await station.notes(5)
    #expect(notes == ["make 1", "make 2", "publish 1 door", "publish 2 lamp", "update 1 1"])
    try station.with { $0.advertisers[1].withdraw() }
    #expect(await station.notes(1) == ["withdraw 2"])
    try station.close()
  }

  @Test("Events arrive on the owner's loop in order; events of an earlier publication are dropped") func events()
    async throws
  {
    let station = Station()
    try station.with { station in
      station.open()
      station.publish("door", by: 0)
    }
    #expect(await station.events.first(1) == [.established("door")])
    try station.with { $0.publish("lamp", by: 0) }
    #expect(await station.events.first(1) == [.established("lamp")])
    try station.home.performAndWait {
      let events = station.base.advertisers[0].events
      events[0](.failed("late"))
      for number in 0..<100 { events[1](.seen("\(number)")) }
    }
    #expect(await station.events.first(100) == (0..<100).map { .seen("\($0)") })
    try station.with { station in
      station.advertisers[0].withdraw()
      station.publish("lock", by: 1)
    }
    #expect(await station.events.first(1) == [.established("lock")])
    try station.home.performAndWait {
      station.base.advertisers[0].events[1](.failed("withdrawn"))
      station.base.advertisers[1].events[0](.seen("lock"))
    }
    #expect(await station.events.first(1) == [.seen("lock")])
    try station.close()
  }

  @Test("Closing drops pending requests, and releases all objects") func pending() async throws {
    weak var responder: CrossLoopResponder?
    weak var base: NotingResponder?
    var notes: AsyncStream<String>?
    do {
      let station = Station()
      (responder, base, notes) = (station.responder, station.base, station.base.notes)
      station.home.schedule { [responder = station.responder] in
        while !responder.isEnding.load(ordering: .acquiring) {}
      }
      try station.with { station in
        station.open()
        station.publish("door", by: 0)
      }
      try station.close()
    }
    #expect(await notes?.first(1) == ["close"])
    #expect(responder == nil && base == nil)
  }

  @Test("After closing, requests are neither performed nor kept") func closed() async throws {
    let station = Station()
    try station.with { $0.open() }
    #expect(await station.notes(2) == ["make 1", "make 2"])
    station.responder.close(sayingGoodbye: false)
    let isKept = try station.loop.performAndWait {
      weak let late = [station.responder.makeAdvertiser(for: station.loop)].first
      return late != nil
    }
    #expect(!isKept)
    try station.with { station in
      station.publish("door", by: 0)
      station.advertisers[0].close()
      station.base.note.yield("end")
    }
    #expect(await station.notes(1) == ["end"])
    try station.close()
  }
}
