import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Scenes")
struct SceneTests {
  @Test("HOME.M10 all connections work at once: three accessories that take 1 s each make a scene of 1 s")
  func atOnce() throws {
    var scene = try SceneBench()
    let lamps = try (1...3).map { try scene.light($0) }
    let set = try scene.set("Night", lamps.map { HomeAction($0.id(0x25), false) })
    let begin = scene.uptime
    try scene.execute(set)
    #expect(scene.puts.map(\.id.device) == lamps.map(\.deviceID))
    scene.advance(by: .seconds(1))
    for put in scene.puts { scene.answer(put) }
    #expect(scene.ended.map(\.result.outcomes) == [["done", "done", "done"]])
    #expect(scene.ended.map(\.uptime) == [begin + .seconds(1)] && scene.ended[0].result.error == nil)
  }

  @Test("HOME.M11 one of three accessories refuses and one is not connected: each action has its result, and 64")
  func partial() throws {
    var scene = try SceneBench()
    let lamps = try (1...3).map { try scene.light($0) }
    scene.connections[lamps[2].deviceID] = .connecting
    let set = try scene.set("Night", lamps.map { HomeAction($0.id(0x25), false) })
    try scene.execute(set)
    scene.answer(scene.puts[0])
    scene.answer(scene.puts[1], scene.puts[1].statuses([-70403]))
    #expect(scene.ended.isEmpty && scene.run.running == [set])
    scene.advance(by: .seconds(2))
    let result = try #require(scene.ended.first?.result)
    #expect(result.outcomes == ["done", "refused -70403 14", "not sent 4"] && result.number == 64)
    #expect(result.actions.map(\.action) == lamps.map { HomeAction($0.id(0x25), false) })
    #expect(result.actions.map(\.actionSet) == [set, set, set] && result.doneCount == 1)
    #expect(scene.run.isIdle && scene.run.nextDeadline == nil)
  }

  @Test("If nothing is done, the error is 63")
  func none() throws {
    var scene = try SceneBench()
    let lamps = try (1...2).map { try scene.light($0) }
    try scene.execute(try scene.set("Night", lamps.map { HomeAction($0.id(0x25), false) }))
    for put in scene.puts { scene.answer(put, put.statuses([-70402])) }
    #expect(scene.ended.map(\.result.number) == [63])
    #expect(scene.ended[0].result.outcomes == ["refused -70402 54", "refused -70402 54"])
  }

  @Test("A bridge and its bridged accessories are one PUT, in the order of the actions, with canonical values")
  func grouped() throws {
    var scene = try SceneBench()
    let lamps = try scene.bridge(1, lights: 3)
    let other = try scene.light(2)
    try scene.write([
      HomeAction(lamps[2].id(0x25), 1), HomeAction(other.id(0x13), 7), HomeAction(lamps[0].id(0x25), 0),
      HomeAction(lamps[2].id(0x13), 120),
    ])
    try #require(scene.puts.map(\.ids) == [["4.11", "2.11", "4.13"], ["1.13"]])
    #expect(scene.puts[0].entries.map(\.value) == [true, false, 120.0] && scene.puts[1].entries[0].value == 7.0)
    #expect(scene.puts[0].entries.map(\.characteristic) == [lamps[2].id(0x25), lamps[0].id(0x25), lamps[2].id(0x13)])
    for put in scene.puts { scene.answer(put) }
    let values = scene.ended[0].result.actions.map(\.action.value)
    #expect(values == [true, 7.0, false, 120.0])
  }

  @Test("A PUT has at most 100 entries, and the next one follows its answer", arguments: [99, 100, 101, 200, 201])
  func hundred(_ count: Int) throws {
    var scene = try SceneBench()
    let ids = try scene.bridge(1, lights: 67).flatMap { lamp in [0x25, 0x8, 0x13].map { lamp.id($0) } }
    let values: [Value] = [true, 50, 90.0]
    try scene.write((0..<count).map { HomeAction(ids[$0], values[$0 % 3]) })
    var sizes: [Int] = []
    while sizes.count < scene.puts.count {
      #expect(scene.puts.count == sizes.count + 1)
      sizes.append(scene.puts.last!.entries.count)
      scene.answer(scene.puts.last!)
    }
    #expect(sizes.count == (count + 99) / 100 && sizes.reduce(0, +) == count && sizes.allSatisfy { $0 <= 100 })
    #expect(scene.ended.count == 1 && scene.ended[0].result.doneCount == count)
  }

  @Test("Characteristics that require a timed write are in a prepared PUT of their own")
  func timed() throws {
    var scene = try SceneBench()
    let lock = try scene.lock(1)
    try scene.write([HomeAction(lock.id(0x1E), 1), HomeAction(lock.id(0x25), true)])
    #expect(scene.puts.map(\.ids) == [["1.22"]] && scene.puts.map(\.isTimed) == [false])
    scene.answer(scene.puts[0])
    #expect(scene.puts.map(\.ids) == [["1.22"], ["1.21"]] && scene.puts.map(\.isTimed) == [false, true])
    scene.answer(scene.puts[1], .refused(status: -70403))
    #expect(scene.ended.map(\.result.outcomes) == [["refused -70403 14", "done"]])
  }

  @Test("Two executions wait for each other on a connection, in the order of the starts, and only there")
  func queue() throws {
    var scene = try SceneBench()
    let (one, two) = (try scene.light(1), try scene.light(2))
    let first = try scene.execute(try scene.set("A", [HomeAction(one.id(0x25), true)]))
    let second = try scene.execute(
      try scene.set("B", [HomeAction(one.id(0x25), false), HomeAction(two.id(0x25), false)]))
    let third = try scene.write([HomeAction(one.id(0x8), 3)])
    #expect(scene.puts.map(\.id.device) == [one.deviceID, two.deviceID])
    scene.answer(scene.puts[1])
    #expect(scene.puts.count == 2)
    scene.answer(scene.puts[0])
    #expect(scene.ended.map(\.ticket) == [first] && scene.puts.count == 3)
    #expect(scene.puts[2].entries.map(\.value) == [false])
    scene.answer(scene.puts[2])
    scene.answer(scene.puts[3])
    #expect(scene.ended.map(\.ticket) == [first, second, third] && scene.puts[3].entries.map(\.value) == [3])
    #expect(first < second && second < third)
  }

  @Test("An execution whose set is running is refused with 65, until it ends")
  func inProgress() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let set = try scene.set("A", [HomeAction(lamp.id(0x25), true)])
    try scene.execute(set)
    #expect(scene.refusal(.actionSets([set], trigger: nil)) == 65)
    scene.answer(scene.puts[0])
    try scene.execute(set)
    #expect(scene.puts.count == 2)
    // The end of the wait frees the set, even if the input that passes the time is the next start.
    scene.uptime += .seconds(10)
    try scene.execute(set)
    #expect(scene.ended.map(\.result.number) == [nil, 63])
  }

  @Test("An empty set is refused with 25, empty requests with 25 and 26")
  func empty() throws {
    var scene = try SceneBench()
    #expect(scene.refusal(.actionSets([try scene.set("A", [])], trigger: nil)) == 25)
    #expect(scene.refusal(.writes(home: scene.home, [])) == 25)
    #expect(scene.refusal(.actionSets([], trigger: nil)) == 26)
  }

  @Test("HOME.S4 a set of a trigger is executed only by this trigger")
  func owned() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let triggers = try ["T", "U"].map {
      try scene.bench.addTrigger($0, .on(.calendar(.hour(1))), to: scene.home)
    }
    try scene.bench.perform(.addOwnedActionSet(trigger: triggers[0], [HomeAction(lamp.id(0x25), true)]))
    let set = scene.model.home(scene.home)!.actionSets.last!.id
    #expect(scene.refusal(.actionSets([set], trigger: nil)) == 48)
    #expect(scene.refusal(.actionSets([set], trigger: triggers[1])) == 48)
    #expect(scene.refusal(.actionSets([set], trigger: lamp.id)) == 48)
    try scene.execute(set, trigger: triggers[0])
    #expect(scene.puts.count == 1)
  }

  @Test("Sets of a trigger that can't be executed are skipped, with their errors, and the others are executed")
  func skipped() throws {
    var scene = try SceneBench()
    let (one, two) = (try scene.light(1), try scene.light(2))
    let running = try scene.set("A", [HomeAction(one.id(0x25), true)])
    let (empty, other) = (try scene.set("B", []), try scene.set("C", [HomeAction(two.id(0x25), true)]))
    try scene.execute(running)
    try scene.execute(running, empty, other, other, one.id)
    scene.answer(scene.puts[1])
    let result = scene.ended[0].result
    #expect(result.skipped.map(\.actionSet) == [running, empty, other, one.id])
    #expect(result.skipped.map(\.error.code.rawValue) == [65, 25, 65, 12])
    #expect(result.outcomes == ["done"] && result.number == 64)
    #expect(scene.refusal(.actionSets([empty, running], trigger: nil)) == 25)
    #expect(scene.refusal(.actionSets([one.id], trigger: nil)) == 12)
  }

  @Test("Sets that are executed together write a characteristic once if they agree, otherwise one after the other")
  func together() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let sets = try [true, true, false].enumerated().map { index, value in
      try scene.set("S\(index)", [HomeAction(lamp.id(0x25), .bool(value)), HomeAction(lamp.id(0x8), 5)])
    }
    try scene.start(.actionSets(sets, trigger: nil))
    #expect(scene.puts.map(\.ids) == [["1.11", "1.12"]])
    scene.answer(scene.puts[0], scene.puts[0].statuses([-70403, 0]))
    #expect(scene.puts.count == 2 && scene.puts[1].entries.map(\.value) == [false])
    scene.answer(scene.puts[1])
    #expect(
      scene.ended.map(\.result.outcomes) == [
        ["refused -70403 14", "done", "refused -70403 14", "done", "done", "done"]
      ])
    #expect(scene.ended[0].changes.map(\.detail) == sets.map { .actionSetExecuted($0, at: scene.wall) })
  }

  @Test("A value that an earlier set had too is written again after a different one")
  func alternating() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let sets = try [true, false, true].enumerated().map { index, value in
      try scene.set("S\(index)", [HomeAction(lamp.id(0x25), .bool(value))])
    }
    try scene.start(.actionSets(sets, trigger: nil))
    for index in 0..<3 {
      try #require(scene.puts.count == index + 1)
      scene.answer(scene.puts[index])
    }
    #expect(scene.puts.flatMap(\.entries).map(\.value) == [true, false, true] && scene.ended.count == 1)
  }

  @Test("Sets that disagree need as few PUTs as possible, and the last set of the request has the last word")
  func disagreement() throws {
    var scene = try SceneBench()
    let ids = try scene.bridge(1, lights: 67).flatMap { lamp in [0x25, 0x8, 0x13].map { lamp.id($0) } }
    func actions(_ range: Range<Int>, _ number: Int) -> [HomeAction] {
      let values: [Value] = [.bool(number == 1), .integer(Int128(number)), .float(Double(number))]
      return range.map { HomeAction(ids[$0], values[$0 % 3]) }
    }
    // 150 + 49 writes fit into two PUTs, although 49 of them have to come later than others.
    let sets = [try scene.set("A", []), try scene.set("B", [])]
    for (set, list) in zip(sets, [actions(0..<150, 1), actions(101..<150, 2)]) {
      scene.bench.model.apply([HomeChange(scene.home, .actionsChanged(set, list))])
    }
    try scene.start(.actionSets(sets, trigger: nil))
    scene.answer(scene.puts[0])
    scene.answer(scene.puts[1])
    #expect(scene.puts.count == 2 && scene.ended.map(\.result.doneCount) == [199])
    var last: [HomeObjectID: Value] = [:]
    for entry in scene.puts.flatMap(\.entries) { last[entry.characteristic] = entry.value }
    for action in actions(0..<101, 1) + actions(101..<150, 2) {
      #expect(last[action.characteristic] == action.value)
    }
  }

  @Test("The last execution of a set is the wall time of its end, whatever its result")
  func lastExecution() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let set = try scene.set("A", [HomeAction(lamp.id(0x25), true)])
    func last() -> Instant? { scene.model.home(scene.home)!.actionSets.find(set)!.lastExecution }
    try scene.execute(set)
    scene.advance(by: .seconds(3))
    #expect(last() == nil)
    scene.answer(scene.puts[0], scene.puts[0].statuses([-70403]))
    #expect(
      last() == scene.wall
        && scene.ended[0].changes == [
          HomeChange(scene.home, .actionSetExecuted(set, at: scene.wall))
        ])
    try scene.write([HomeAction(lamp.id(0x25), true)])
    scene.answer(scene.puts[1])
    #expect(scene.ended[1].changes.isEmpty)
  }

  @Test(
    "An execution after a change of the set or of the accessories is that of a new machine", arguments: [true, false])
  func executedAgain(isPrepared: Bool) throws {
    var scene = try SceneBench()
    let (lamps, other) = (try scene.bridge(1, lights: 2), try scene.light(2))
    let set = try scene.set(
      "A", (lamps + [other]).flatMap { [HomeAction($0.id(0x25), true), HomeAction($0.id(0x8), 50)] })
    /// Executes the set with this machine and with a new one, which send the same and end in the same way.
    func execute() throws -> [String] {
      var fresh = scene
      fresh.run = SceneRun()
      if isPrepared { scene.run.prepare([set], in: scene.model.home(scene.home)!, scene.model) }
      try scene.execute(set)
      try fresh.execute(set)
      var count = 0
      while count < fresh.puts.count {
        try #require(scene.puts.suffix(from: count).map(\.entries) == fresh.puts.suffix(from: count).map(\.entries))
        for number in count..<fresh.puts.count {
          scene.answer(scene.puts[number])
          fresh.answer(fresh.puts[number])
          count += 1
        }
      }
      #expect(scene.ended.last!.result == fresh.ended.last!.result)
      scene.puts = []
      return scene.ended.last!.result.outcomes
    }
    let done = Array(repeating: "done", count: 6)
    try #expect(execute() == done)
    try #expect(execute() == done)
    scene.unreachable = [lamps[1].id]
    try #expect(execute() == ["done", "done", "not sent 88", "not sent 88", "done", "done"])
    scene.unreachable = []
    scene.connections[other.deviceID] = .ended
    try #expect(execute() == ["done", "done", "done", "done", "not sent 4", "not sent 4"])
    scene.connections = [:]
    try scene.bench.perform(.updateAction(actionSet: set, HomeAction(other.id(0x8), 60)))
    try #expect(execute() == done)
    #expect(scene.ended.last!.result.actions.last!.action.value == 60)
    try scene.bench.perform(.blockAccessory(other.id))
    try #expect(execute() == ["done", "done", "done", "done", "not sent 61", "not sent 61"])
    try scene.bench.perform(.unblockAccessory(other.id))
    try #expect(execute() == done)
    try scene.bench.perform(.removeAccessory(other.id))
    try #expect(execute() == ["done", "done", "done", "done"])
  }

  @Test("Many sets in turn, and several in one request, write their own values")
  func otherSets() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let sets = try (0..<40).map { try scene.set("S\($0)", [HomeAction(lamp.id(0x8), .integer(Int128($0)))]) }
    for set in sets + sets.reversed() {
      scene.run.prepare([set], in: scene.model.home(scene.home)!, scene.model)
      try scene.execute(set)
      scene.answer(scene.puts.last!)
    }
    #expect(scene.puts.map(\.entries[0].value) == (Array(0..<40) + (0..<40).reversed()).map { .integer($0) })
    try scene.execute(sets[1], sets[2])
    scene.answer(scene.puts[80])
    #expect(scene.puts.suffix(2).map(\.entries[0].value) == [1, 2])
  }
}
