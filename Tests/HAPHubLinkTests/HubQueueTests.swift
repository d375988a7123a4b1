import HAPHome
import HAPHomeEngine
import Testing

@testable import HAPHubLink

@Suite("Queues of events") struct HubQueueTests {
  private static func reachability(_ index: Int) -> HubEvent {
    .reachability(HomeObjectID("00000000-0000-4000-8000-000000000001")!, isReachable: false, why: "\(index)")
  }

  @Test("If the reader is too slow, missed is the last event until all are read")
  func events() async {
    let queue = HubEventQueue()
    var reader = queue.events.makeAsyncIterator()
    for index in 0..<3000 { queue.add(Self.reachability(index)) }
    #expect(queue.gaps == 1)
    for index in 0..<HubEventQueue.limit { #expect(await reader.next() == Self.reachability(index)) }
    queue.add(Self.reachability(7))
    #expect(await reader.next() == .missed)
    queue.add(Self.reachability(8))
    #expect(await reader.next() == Self.reachability(8))
    for index in 0..<2000 { queue.add(Self.reachability(index)) }
    #expect(queue.gaps == 2)
    queue.end()
    queue.add(.stopping)
    var last: [HubEvent] = []
    while let event = await reader.next() { last.append(event) }
    #expect(last.count == HubEventQueue.limit + 1 && last.last == .missed)
  }

  @Test("An app that does not read the events has no gap") func unread() async {
    let queue = HubEventQueue()
    for index in 0..<3000 { queue.add(Self.reachability(index)) }
    #expect(queue.gaps == 0)
    #expect(await queue.events.first { _ in true } == Self.reachability(0))
  }

  @Test("A reader that waits gets the next event, or the end") func waiting() async {
    let queue = HubEventQueue()
    let task = Task { await queue.events.reduce(into: [HubEvent]()) { $0.append($1) } }
    queue.add(.missed)
    queue.add(.stopping)
    queue.end()
    #expect(await task.value == [.missed, .stopping])
    #expect(await queue.events.first { _ in true } == nil)
  }

  @Test("A cancelled reader ends") func cancelled() async {
    let queue = HubEventQueue()
    let task = Task { await queue.events.first { _ in true } }
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test("Lines for an app that does not read are limited, and answers are kept") func outbox() {
    var outbox = HubOutbox()
    let event = [UInt8](repeating: 0x61, count: 1023) + [0x0A]
    for _ in 0..<3000 { outbox.add(event: event) }
    outbox.add(answer: [1], isSnapshot: false)
    let missed = HubMessage.event(.missed).bytes
    let expected = [[UInt8]](repeating: event, count: 1024).flatMap { $0 } + missed + [1]
    #expect(outbox.byteCount == expected.count && outbox.gaps == 1 && outbox.isDropping)
    #expect(outbox.take(1) == event && outbox.take(1025) == event + event)
    outbox.add(event: event)
    #expect(outbox.take(.max) == Array(expected.dropFirst(3 * 1024)))
    #expect(outbox.byteCount == 0 && !outbox.isDropping && outbox.take(1) == [])
    outbox.add(event: event)
    #expect(outbox.take(1) == event)
  }

  @Test("After an attach, events are kept again, and another gap is reported again") func snapshot() {
    var outbox = HubOutbox()
    let half = [UInt8](repeating: 0x61, count: 600_000)
    for _ in 0..<3 { outbox.add(event: half) }
    outbox.add(answer: [1], isSnapshot: true)
    #expect(!outbox.isDropping)
    _ = outbox.take(1)
    outbox.add(event: [2])
    for _ in 0..<3 { outbox.add(event: half) }
    let missed = HubMessage.event(.missed).bytes
    #expect(outbox.take(.max) == missed + [1, 2] + half + missed && outbox.gaps == 2)
  }

  @Test("An event that is longer than the queue is a gap") func hugeEvent() {
    var outbox = HubOutbox()
    outbox.add(event: [UInt8](repeating: 0x61, count: HubOutbox.mostEventBytes + 1))
    #expect(outbox.take(.max) == HubMessage.event(.missed).bytes)
  }
}
