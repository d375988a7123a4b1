import HAPModel
import HAPTestSupport
import Testing

@testable import HAPAccessoryPort

/// Checked: these tests fail with `now` instead of `now + settlingTime`; without the line that clears `reportTime`;
/// without the question after a new connection; if aid 1 is treated like a bridged accessory.
@Suite("Reachability") struct ReachabilityTrackerTests {
  private typealias Member = ReachabilityTracker.Member
  private typealias Action = ReachabilityTracker.Action

  private static let lock = device(1)
  private static let bridge = device(2)
  private static func device(_ number: UInt8) -> DeviceID { DeviceID(bytes: [0, 0, 0, 0, 0, number])! }

  /// A lock, and a bridge with two accessories.
  private static func tracker() -> ReachabilityTracker {
    var tracker = ReachabilityTracker()
    tracker.setAccessories([1], of: lock, at: .zero)
    tracker.setAccessories([1, 2, 3], of: bridge, at: .zero)
    return tracker
  }

  private static func members(_ device: DeviceID, _ aids: UInt64...) -> [Member] {
    aids.map { Member(device, aid: $0) }
  }

  private static func reached(_ members: [Member]) -> [Action] {
    members.map { .report($0, isReachable: true, why: nil) }
  }

  @Test("An accessory can be reached while its connection is ready; a change is reported once, after 250 ms")
  func connection() {
    var tracker = Self.tracker()
    #expect(tracker.nextDeadline == nil && tracker.reported.isEmpty)
    #expect(tracker.why(Member(Self.lock, aid: 1)) == "no connection was made yet")
    tracker.connected(Self.lock, at: .seconds(1))
    #expect(tracker.isReachable(Member(Self.lock, aid: 1)) && !tracker.isReachable(Member(Self.bridge, aid: 1)))
    #expect(tracker.nextDeadline == .milliseconds(1250))
    #expect(tracker.advance(to: .milliseconds(1249)) == [])
    #expect(tracker.advance(to: .milliseconds(1250)) == Self.reached(Self.members(Self.lock, 1)))
    #expect(tracker.advance(to: .seconds(100)) == [] && tracker.nextDeadline == nil)
    // A second report of the same state is no change.
    tracker.connected(Self.lock, at: .seconds(100))
    #expect(tracker.nextDeadline == nil)
    tracker.lost(Self.lock, why: "no answer", at: .seconds(101))
    tracker.lost(Self.lock, why: "no route", at: .milliseconds(101_100))
    #expect(
      tracker.advance(to: .milliseconds(101_250))
        == [.report(Member(Self.lock, aid: 1), isReachable: false, why: "no route")])
  }

  @Test("A change that is undone within 250 ms is not reported, and the next change waits again")
  func flapping() {
    var tracker = Self.tracker()
    for step in 0..<100 {
      let now = Duration.milliseconds(step * 200)
      if step % 2 == 0 { tracker.connected(Self.lock, at: now) } else { tracker.lost(Self.lock, why: "", at: now) }
      #expect(tracker.advance(to: now + .milliseconds(199)) == [])
    }
    tracker.connected(Self.lock, at: .seconds(20))
    #expect(tracker.nextDeadline == .milliseconds(20_250))
    #expect(tracker.advance(to: .seconds(30)) == Self.reached(Self.members(Self.lock, 1)))
  }

  @Test("A bridged accessory for which the last answer was -70402 can't be reached, and is asked again each 60 s")
  func bridged() {
    var tracker = Self.tracker()
    tracker.connected(Self.bridge, at: .zero)
    #expect(tracker.advance(to: .seconds(1)) == Self.reached(Self.members(Self.bridge, 1, 2, 3)))
    let member = Member(Self.bridge, aid: 2)
    tracker.answered(member, status: -70402, at: .seconds(10))
    #expect(tracker.why(member) == "the bridge can't reach the accessory")
    #expect(
      tracker.advance(to: .seconds(11)) == [
        .report(member, isReachable: false, why: "the bridge can't reach the accessory")
      ])
    #expect(tracker.nextDeadline == .seconds(70))
    #expect(tracker.advance(to: .seconds(70)) == [.ask(member)])
    #expect(tracker.nextDeadline == .seconds(130), "it is asked again even if nothing answers")
    tracker.answered(member, status: -70402, at: .seconds(71))
    #expect(tracker.advance(to: .seconds(130)) == [])
    #expect(tracker.advance(to: .seconds(131)) == [.ask(member)])
    // Any other status is an answer of the accessory.
    tracker.answered(member, status: -70403, at: .seconds(132))
    #expect(tracker.advance(to: .seconds(133)) == Self.reached([member]))
    #expect(tracker.nextDeadline == nil)
  }

  @Test("A status of the device itself, or of an unknown accessory, changes nothing", arguments: [1, 9] as [UInt64])
  func notBridged(_ aid: UInt64) {
    var tracker = Self.tracker()
    tracker.connected(Self.bridge, at: .zero)
    _ = tracker.advance(to: .seconds(1))
    tracker.answered(Member(Self.bridge, aid: aid), status: -70402, at: .seconds(2))
    #expect(tracker.nextDeadline == nil && tracker.isReachable(Member(Self.bridge, aid: 1)))
  }

  @Test("An accessory behind a lost bridge is not asked; after a new connection, it is asked at once")
  func lostBridge() {
    var tracker = Self.tracker()
    let member = Member(Self.bridge, aid: 3)
    tracker.connected(Self.bridge, at: .zero)
    tracker.answered(member, status: -70402, at: .zero)
    #expect(tracker.advance(to: .seconds(1)) == Self.reached(Self.members(Self.bridge, 1, 2)))
    tracker.lost(Self.bridge, why: "gone", at: .seconds(2))
    #expect(tracker.why(member) == "gone")
    #expect(tracker.advance(to: .seconds(1000)).count == 2)
    #expect(tracker.nextDeadline == nil)
    tracker.answered(member, status: -70402, at: .seconds(1000))
    #expect(tracker.nextDeadline == nil)
    tracker.connected(Self.bridge, at: .seconds(1001))
    #expect(tracker.advance(to: .seconds(1001)) == [.ask(member)])
  }

  @Test("Accessories that are added to a device are reported, and those that are removed are not")
  func otherAccessories() {
    var tracker = Self.tracker()
    tracker.connected(Self.bridge, at: .zero)
    _ = tracker.advance(to: .seconds(1))
    tracker.answered(Member(Self.bridge, aid: 2), status: -70402, at: .seconds(2))
    tracker.setAccessories([1, 3, 4], of: Self.bridge, at: .seconds(2))
    #expect(tracker.advance(to: .seconds(900)) == Self.reached(Self.members(Self.bridge, 4)))
    #expect(tracker.nextDeadline == nil && tracker.reported == Set(Self.members(Self.bridge, 1, 3, 4)))
    tracker.setAccessories([], of: Self.bridge, at: .seconds(901))
    tracker.connected(Self.bridge, at: .seconds(901))
    tracker.lost(Self.bridge, why: "", at: .seconds(902))
    #expect(tracker.nextDeadline == nil && tracker.reported.isEmpty)
    #expect(tracker.why(Member(Self.bridge, aid: 1)) == "the accessory is not known")
  }

  /// Compares random runs with a list of what was reachable when.
  @Test("Random inputs: reports alternate, come 250 ms after a change, and the last one is right", arguments: 1...200)
  func random(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var tracker = Self.tracker()
    let all = Self.members(Self.lock, 1) + Self.members(Self.bridge, 1, 2, 3)
    var reported: [Member: Bool] = [:]
    var changed: [Member: Duration] = [:]
    var before: [Member: Bool] = [:]
    var now = Duration.zero

    func pass(to end: Duration) {
      while let deadline = tracker.nextDeadline, deadline <= end {
        now = max(now, deadline)
        for case .report(let member, let isReachable, let why) in tracker.advance(to: now) {
          #expect(reported[member, default: false] != isReachable)
          #expect(isReachable == tracker.isReachable(member) && isReachable == (why == nil))
          #expect(changed[member].map { now - $0 } == .milliseconds(250))
          reported[member] = isReachable
        }
      }
      now = end
    }

    for _ in 0..<200 {
      pass(to: now + .milliseconds(Int.random(in: 0..<300, using: &random)))
      let device = Bool.random(using: &random) ? Self.lock : Self.bridge
      switch Int.random(in: 0..<4, using: &random) {
      case 0: tracker.connected(device, at: now)
      case 1: tracker.lost(device, why: "x", at: now)
      default:
        let member = Member(Self.bridge, aid: .random(in: 1...3, using: &random))
        tracker.answered(member, status: Bool.random(using: &random) ? 0 : -70402, at: now)
      }
      for member in all where before[member, default: false] != tracker.isReachable(member) {
        changed[member] = now
        before[member] = tracker.isReachable(member)
      }
    }
    pass(to: now + .seconds(1))
    for member in all { #expect(reported[member, default: false] == tracker.isReachable(member)) }
    #expect(tracker.reported == Set(all.filter { tracker.isReachable($0) }))
  }
}
