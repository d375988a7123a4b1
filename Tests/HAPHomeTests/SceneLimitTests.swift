import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Scenes: checks, connections and time limits")
struct SceneLimitTests {
  @Test("Without a connection for 2 s a write is not sent; a connection before that is enough")
  func noConnection() throws {
    for isLate in [false, true] {
      var scene = try SceneBench()
      let lamp = try scene.light(1)
      scene.connections[lamp.deviceID] = .connecting
      try scene.write([HomeAction(lamp.id(0x25), true)])
      #expect(scene.puts.isEmpty && scene.run.nextDeadline == scene.uptime + .seconds(2))
      scene.advance(by: isLate ? .seconds(2) : .nanoseconds(1_999_999_999))
      scene.connection(lamp.deviceID, is: .ready)
      #expect(scene.puts.count == (isLate ? 0 : 1))
      #expect(scene.ended.map(\.result.outcomes) == (isLate ? [["not sent 4"]] : []))
    }
  }

  @Test("A connection that comes after the limit sends nothing, even if it is the first input since")
  func lateConnection() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    scene.connections[lamp.deviceID] = .connecting
    try scene.write([HomeAction(lamp.id(0x25), true)])
    scene.uptime += .seconds(3600)
    scene.connection(lamp.deviceID, is: .ready)
    #expect(scene.puts.isEmpty && scene.ended.map(\.result.outcomes) == [["not sent 4"]])
  }

  @Test("The 2 s run from the start, or from the loss of the connection if that is later")
  func twoSeconds() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    scene.connections[lamp.deviceID] = .connecting
    for value in [true, false] {
      try scene.write([HomeAction(lamp.id(0x25), .bool(value))])
      scene.advance(by: .seconds(1))
    }
    #expect(scene.ended.map(\.uptime) == [scene.uptime])
    // A second report of the same state does not extend the wait.
    scene.connection(lamp.deviceID, is: .connecting)
    #expect(scene.run.nextDeadline == scene.uptime + .seconds(1))
    scene.connection(lamp.deviceID, is: .ready)
    try scene.write([HomeAction(lamp.id(0x8), 1)])
    scene.advance(by: .seconds(9))
    scene.connection(lamp.deviceID, is: .connecting)
    #expect(scene.ended.map(\.result.outcomes) == [["not sent 4"], ["unknown 54"]])
    #expect(scene.run.nextDeadline == scene.uptime + .seconds(2))
    scene.connection(lamp.deviceID, is: .ready)
    #expect(scene.puts.map(\.ids) == [["1.11"], ["1.12"]])
  }

  @Test("Without an answer for 10 s a write is unknown, the connection is closed, and nothing is sent twice")
  func noAnswer() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    try scene.write([HomeAction(lamp.id(0x25), true)])
    try scene.write([HomeAction(lamp.id(0x25), false)])
    scene.advance(by: .nanoseconds(9_999_999_999))
    #expect(scene.ended.isEmpty && scene.givenUp.isEmpty)
    scene.advance(by: .nanoseconds(1))
    #expect(scene.ended.map(\.result.outcomes) == [["unknown 8"]] && scene.givenUp == [scene.puts[0].id])
    // The answer is late, and the second PUT needs a new connection.
    scene.answer(scene.puts[0])
    #expect(scene.puts.count == 1 && scene.ended.count == 1)
    scene.connection(lamp.deviceID, is: .ready)
    #expect(scene.puts.count == 2 && scene.puts[1].entries.map(\.value) == [false])
    scene.answer(scene.puts[0])
    #expect(scene.ended.count == 1)
    scene.answer(scene.puts[1])
    scene.answer(scene.puts[1], .connectionLost)
    #expect(scene.ended.map(\.result.outcomes) == [["unknown 8"], ["done"]] && scene.puts.count == 2)
  }

  @Test("An answer that arrives before the machine noticed the end of the wait counts")
  func lateAdvance() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    try scene.write([HomeAction(lamp.id(0x25), true)])
    scene.uptime += .seconds(11)
    scene.answer(scene.puts[0])
    #expect(scene.ended.map(\.result.outcomes) == [["done"]] && scene.givenUp.isEmpty)
  }

  @Test("A wall clock that is set back or ahead changes no time limit")
  func wallClock() throws {
    for jump in [Duration.seconds(-3600), .seconds(86_400)] {
      var scene = try SceneBench()
      let lamp = try scene.light(1)
      let set = try scene.set("A", [HomeAction(lamp.id(0x25), true)])
      try scene.execute(set)
      scene.wall = scene.wall.advanced(by: jump)
      scene.advance(by: .seconds(9))
      #expect(scene.ended.isEmpty)
      scene.advance(by: .seconds(1))
      #expect(scene.ended.map(\.result.outcomes) == [["unknown 8"]])
      #expect(scene.model.home(scene.home)!.actionSets.find(set)!.lastExecution == scene.wall)
    }
  }

  @Test("An input with an earlier time than the last one does not shorten a wait")
  func earlierTime() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    for value in [true, false] { try scene.write([HomeAction(lamp.id(0x25), .bool(value))]) }
    let begin = scene.uptime
    scene.uptime -= .seconds(9)
    scene.answer(scene.puts[0])
    #expect(scene.puts.count == 2 && scene.run.nextDeadline == begin + .seconds(10))
  }

  @Test("A connection that always has waiting PUTs keeps no memory of those that were sent")
  func queueMemory() throws {
    var scene = try SceneBench()
    let ticket = try scene.write([HomeAction(try scene.light(1).id(0x25), true)])
    var lane = SceneLane(state: .ready)
    func add() { lane.append(SceneLane.Waiting(ticket: ticket, since: .zero, plan: ScenePutPlan(isTimed: false))) }
    for _ in 0..<10 { add() }
    for _ in 0..<1000 {
      add()
      #expect(lane.takeNext() != nil && lane.queue.count <= 20)
    }
  }

  @Test("When a session ends, the sent write is unknown and the waiting ones are not sent, of all executions")
  func sessionEnds() throws {
    var scene = try SceneBench()
    let (one, two) = (try scene.light(1), try scene.light(2))
    try scene.write([HomeAction(one.id(0x25), true), HomeAction(two.id(0x25), true)])
    try scene.write([HomeAction(one.id(0x8), 3)])
    scene.connection(one.deviceID, is: .ended)
    #expect(scene.ended.map(\.result.outcomes) == [["not sent 4"]])
    scene.answer(scene.puts[0])
    scene.answer(scene.puts[1])
    #expect(scene.ended.map(\.result.outcomes) == [["not sent 4"], ["unknown 54", "done"]])
    #expect(scene.run.isIdle)
  }

  @Test("States of devices without writes are ignored and not kept")
  func otherDevices() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    for state in [SceneConnection.ready, .connecting, .ended] { scene.connection(lamp.deviceID, is: state) }
    #expect(scene.run.isIdle && scene.run.nextDeadline == nil && scene.puts.isEmpty)
  }

  @Test("A hub that dies repeats nothing: a new machine sends nothing, and answers to the old PUTs are ignored")
  func hubDies() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let set = try scene.set("A", [HomeAction(lamp.id(0x25), true)])
    try scene.execute(set)
    scene.run = SceneRun()
    scene.connection(lamp.deviceID, is: .ready)
    scene.answer(scene.puts[0])
    scene.advance(by: .seconds(3600))
    #expect(scene.puts.count == 1 && scene.ended.isEmpty && scene.run.isIdle)
    try scene.execute(set)
    #expect(scene.puts.count == 2)
  }

  // MARK: Checks

  /// A request that breaks rules from one check on: only the first one of them counts.
  enum Check: Int, CaseIterable { case privileges, inHome, permission, value, blocked, reachable, passed }

  @Test(
    "The checks before sending: privileges, in a home, permission, value, blocked, reachable; the first failure counts",
    arguments: Check.allCases)
  func order(_ first: Check) throws {
    func fails(_ check: Check) -> Bool { check.rawValue >= first.rawValue }
    var scene = try SceneBench()
    let permissions: Permissions = fails(.permission) ? [.pairedRead, .events] : .control
    let on = Characteristic(iid: 21, type: 0x25, format: .bool, perms: permissions)
    let service = Service(iid: 20, type: 0x43, characteristics: [on])
    let other = try scene.bench.addHome("Other")
    let lamp = try scene.bench.add(
      .device(1, [.with(aid: 1, "Lamp", [service])]), to: fails(.inHome) ? other : scene.home)
    if fails(.blocked) { try scene.bench.perform(.blockAccessory(lamp.id)) }
    if fails(.reachable) { scene.connections[lamp.deviceID] = .ended }
    try scene.bench.perform(.addUser(home: other, name: "Guest", role: .guest))
    let stranger = scene.model.home(other)!.users.last!.id
    let request = SceneRequest.writes(home: scene.home, [HomeAction(lamp.id(0x25), fails(.value) ? "?" : true)])
    if fails(.privileges) {
      #expect(scene.refusal(request, as: stranger) == 17)
      return
    }
    try scene.start(request)
    let numbers: [Check: Int] = [.inHome: 11, .permission: 5, .value: 43, .blocked: 61, .reachable: 4]
    #expect(scene.ended.map(\.result.outcomes) == (numbers[first].map { [["not sent \($0)"]] } ?? []))
    #expect(scene.puts.count == (first == .passed ? 1 : 0))
  }

  @Test("A failed check affects its action alone, and the others are sent")
  func oneCheckFails() throws {
    var scene = try SceneBench()
    let lamps = try scene.bridge(1, lights: 2)
    let (gone, away) = (try scene.light(2), lamps[1])
    try scene.bench.perform(.removeAccessory(gone.id))
    scene.unreachable = [away.id]
    try scene.write([
      HomeAction(gone.id(0x25), true), HomeAction(lamps[0].id(0x8), 101), HomeAction(away.id(0x25), true),
      HomeAction(lamps[0].id(0x25), true),
    ])
    #expect(scene.puts.map(\.ids) == [["2.11"]])
    scene.answer(scene.puts[0])
    #expect(scene.ended[0].result.outcomes == ["not sent 12", "not sent 45", "not sent 88", "done"])
    #expect(scene.ended[0].result.number == 64)
  }

  @Test("A bridged accessory behind a blocked bridge is blocked; an accessory of its own that does not answer is 4")
  func blockedBridge() throws {
    var scene = try SceneBench()
    let (lamp, other) = (try scene.bridge(1, lights: 1)[0], try scene.light(2))
    try scene.bench.perform(.blockAccessory(lamp.bridge!))
    scene.unreachable = [other.id]
    try scene.write([HomeAction(lamp.id(0x25), true), HomeAction(other.id(0x25), true)])
    #expect(scene.ended.map(\.result.outcomes) == [["not sent 61", "not sent 4"]] && scene.run.isIdle)
  }

  @Test("An accessory whose session has ended is 4, also if its bridge could not reach it before")
  func endedBridge() throws {
    var scene = try SceneBench()
    let lamp = try scene.bridge(1, lights: 1)[0]
    scene.unreachable = [lamp.id]
    scene.connections[lamp.deviceID] = .ended
    try scene.write([HomeAction(lamp.id(0x25), true)])
    #expect(scene.ended.map(\.result.outcomes) == [["not sent 4"]] && scene.run.isIdle)
  }

  @Test("A guest may execute; another user, an unknown home and two values for one characteristic are refused")
  func users() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    try scene.bench.perform(.addUser(home: scene.home, name: "Ben", role: .guest))
    let guest = scene.model.home(scene.home)!.users.last!.id
    let (on, set) = (HomeAction(lamp.id(0x25), true), try scene.set("A", [HomeAction(lamp.id(0x25), true)]))
    try scene.write([on], as: guest)
    #expect(scene.puts.count == 1)
    #expect(scene.refusal(.writes(home: scene.home, [on]), as: lamp.id) == 17)
    #expect(scene.refusal(.actionSets([set], trigger: nil), as: lamp.id) == 17)
    #expect(scene.refusal(.writes(home: lamp.id, [on])) == 2)
    #expect(scene.refusal(.writes(home: scene.home, [on, HomeAction(lamp.id(0x25), false)])) == 1)
  }

  @Test("A set of another home is skipped with 11")
  func otherHome() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let set = try scene.set("A", [HomeAction(lamp.id(0x25), true)])
    let other = try scene.bench.addHome("Other")
    let foreign = scene.model.home(other)!.actionSets[0].id
    try scene.execute(set, foreign)
    scene.answer(scene.puts[0])
    #expect(scene.ended[0].result.skipped.map(\.error.code.rawValue) == [11])
  }

  @Test("HOME.L1 more open actions than the limit are refused with 49, until others have ended")
  func limit() throws {
    var policy = ScenePolicy()
    policy.actions = 3
    var scene = try SceneBench(policy: policy)
    let lamp = try scene.light(1)
    let two = [HomeAction(lamp.id(0x25), true), HomeAction(lamp.id(0x8), 1)]
    try scene.write(two)
    #expect(scene.refusal(.writes(home: scene.home, two)) == 49)
    try scene.write([two[0]])
    scene.answer(scene.puts[0])
    try scene.write(two)
    #expect(scene.refusal(.writes(home: scene.home, [two[0]])) == 49)
  }
}
