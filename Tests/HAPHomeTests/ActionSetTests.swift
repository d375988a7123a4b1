import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Action sets")
struct ActionSetTests {
  @Test("HOME.S1 a home has one built-in set of each type, which can be renamed but not removed")
  func builtIn() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let sets = bench.model.home(home)!.actionSets
    #expect(sets.map(\.kind) == [.wakeUp, .sleep, .homeDeparture, .homeArrival])
    for set in sets { #expect(bench.refusal(.removeActionSet(set.id)) == Refusal(83, .s1)) }
    try bench.perform(.rename(sets[3].id, "hi house"))
    #expect(bench.model.home(home)!.actionSets[3].name.text == "hi house")
    #expect(bench.model.home(home)!.actionSets[3].kind == .homeArrival)
    #expect(ActionSet.Kind.allCases.filter(\.isBuiltIn).count == 4)
  }

  @Test("HOME.S2 an action writes a permitted value to a characteristic that can be written")
  func values() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let set = try bench.addSet("S", to: home)
    let limits: [(Format, Constraints)] = [
      (.bool, Constraints()), (.uint8, Constraints()), (.int, Constraints(minValue: 0, maxValue: 100, minStep: 10)),
      (.uint8, Constraints(validValues: [1, 3])), (.uint8, Constraints(validValuesRange: 2...4)),
      (.float, Constraints(minValue: 10.0, maxValue: 38.0, minStep: 0.5)), (.string, Constraints(maxLen: 4)),
      (.tlv8, Constraints(maxDataLen: 2)),
    ]
    let characteristics = limits.enumerated().map { index, rules in
      Characteristic(
        iid: UInt64(21 + index), type: TypeID(apple: UInt32(0x900 + index)), format: rules.0, perms: .control,
        constraints: rules.1)
    }
    let readOnly = Characteristic(iid: 50, type: 0x990, format: .bool, perms: [.pairedRead, .events])
    let service = Service(iid: 20, type: 0x43, characteristics: characteristics + [readOnly])
    let lamp = try bench.add(.device(1, [.with(aid: 1, "Lamp", [service])]), to: home)
    // The number of the characteristic, the value, and the stored value or the number of the error.
    let cases: [(UInt32, Value, Value?, Int)] = [
      (0, true, true, 0), (0, 1, true, 0), (0, 2, nil, 43), (0, "on", nil, 43), (0, .null, nil, 43),
      (1, 255, 255, 0), (1, 256, nil, 45), (1, -1, nil, 44), (1, 1.5, nil, 43), (1, true, nil, 43),
      (2, 100, 100, 0), (2, 110, nil, 45), (2, -10, nil, 44), (2, 15, nil, 3), (3, 3, 3, 0), (3, 0, nil, 44),
      (3, 2, nil, 3), (3, 4, nil, 45), (4, 2, 2, 0), (4, 1, nil, 44), (4, 5, nil, 45), (5, 20, 20.0, 0),
      (5, 20.5, 20.5, 0), (5, 9.5, nil, 44), (5, 38.5, nil, 45), (5, 20.2, nil, 3), (5, .float(.nan), nil, 43),
      (6, "abcd", "abcd", 0), (6, "abcde", nil, 46), (6, 1, nil, 43), (7, .data([1, 2]), .data([1, 2]), 0),
      (7, "AQI=", .data([1, 2]), 0), (7, "?", nil, 43), (7, .data([1, 2, 3]), nil, 46),
    ]
    for (number, value, stored, code) in cases {
      let id = lamp.id(TypeID(apple: 0x900 + number))
      let add = HomeCommand.addAction(actionSet: set, HomeAction(id, value))
      if let stored {
        try bench.perform(add)
        #expect(bench.model.home(home)!.actionSets.find(set)!.actions == [HomeAction(id, stored)], "\(number) \(value)")
        try bench.perform(.removeAction(actionSet: set, characteristic: id))
      } else {
        #expect(bench.refusal(add) == Refusal(code, .s2), "\(number) \(value)")
      }
    }
    #expect(bench.refusal(.addAction(actionSet: set, HomeAction(lamp.id(0x990), true))) == Refusal(5, .s2))
  }

  @Test("HOME.S3 a set has one action for each characteristic")
  func once() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (set, lamp) = (try bench.addSet("S", to: home), try bench.add(.light(1), to: home))
    let (on, brightness) = (lamp.id(0x25), lamp.id(0x8))
    try bench.perform(.addAction(actionSet: set, HomeAction(on, true)))
    #expect(bench.refusal(.addAction(actionSet: set, HomeAction(on, false))) == Refusal(1, .s3))
    #expect(bench.refusal(.updateAction(actionSet: set, HomeAction(brightness, 5))) == Refusal(2, .s3))
    #expect(bench.refusal(.updateAction(actionSet: set, HomeAction(on, 7))) == Refusal(43, .s2))
    #expect(bench.refusal(.removeAction(actionSet: set, characteristic: brightness)) == Refusal(2, .s3))
    try bench.perform(.updateAction(actionSet: set, HomeAction(on, false)))
    #expect(try bench.perform(.updateAction(actionSet: set, HomeAction(on, 0))).isEmpty)
    let changes = try bench.perform(.addAction(actionSet: set, HomeAction(brightness, 5)))
    let actions = [HomeAction(on, false), HomeAction(brightness, 5)]
    #expect(changes == [HomeChange(home, .actionsChanged(set, actions))])
    let trigger = try bench.addTrigger("T", .on(.calendar(.hour(1))), to: home)
    let twice = [HomeAction(on, true), HomeAction(on, false)]
    #expect(bench.refusal(.addOwnedActionSet(trigger: trigger, twice)) == Refusal(1, .s3))
  }

  @Test("HOME.S4 a set of a trigger is not listed, renamed, removed or shared, and ends with its trigger")
  func owned() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let lamp = try bench.add(.light(1), to: home)
    let first = try bench.addTrigger("One", .on(.calendar(.hour(1))), to: home)
    let second = try bench.addTrigger("Two", .on(.calendar(.hour(1))), to: home)
    #expect(bench.refusal(.addOwnedActionSet(trigger: first, [])) == Refusal(25, .t4))
    try bench.perform(.addOwnedActionSet(trigger: first, [HomeAction(lamp.id(0x25), 1)]))
    let set = bench.model.home(home)!.actionSets.last!
    #expect(set.kind == .triggerOwned && set.actions == [HomeAction(lamp.id(0x25), true)])
    #expect(bench.model.home(home)!.listedActionSets.count == 4)
    #expect(bench.refusal(.rename(set.id, "Mine")) == Refusal(48, .s4))
    #expect(bench.refusal(.removeActionSet(set.id)) == Refusal(48, .s4))
    #expect(bench.refusal(.addActionSetToTrigger(actionSet: set.id, trigger: second)) == Refusal(48, .s4))
    #expect(bench.refusal(.removeActionSetFromTrigger(actionSet: set.id, trigger: second)) == Refusal(2, .s4))
    try bench.perform(.updateAction(actionSet: set.id, HomeAction(lamp.id(0x25), false)))
    try bench.perform(.enableTrigger(first))
    let changes = try bench.perform(.removeActionSetFromTrigger(actionSet: set.id, trigger: first)).map(\.detail)
    let trigger = bench.model.home(home)!.triggers[0]
    #expect(changes == [.triggerUpdated(trigger), .actionSetRemoved(set.id)] && !trigger.isEnabled)
    try bench.perform(.addOwnedActionSet(trigger: second, [HomeAction(lamp.id(0x8), 5)]))
    let other = bench.model.home(home)!.actionSets.last!.id
    let removal = try bench.perform(.removeTrigger(second)).map(\.detail)
    #expect(removal.count == 3 && removal[1] == .actionSetRemoved(other) && removal[2] == .triggerRemoved(second))
    #expect(bench.model.home(home)!.actionSets.count == 4)
  }

  @Test("Removing a set removes it from triggers first; a trigger without sets is disabled")
  func removed() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let lamp = try bench.add(.light(1), to: home)
    let sets = try ["A", "B"].map { try bench.addSet($0, to: home) }
    for set in sets { try bench.perform(.addAction(actionSet: set, HomeAction(lamp.id(0x25), true))) }
    let trigger = try bench.addTrigger("T", .on(.calendar(.hour(1))), to: home)
    for set in sets { try bench.perform(.addActionSetToTrigger(actionSet: set, trigger: trigger)) }
    #expect(bench.refusal(.addActionSetToTrigger(actionSet: sets[0], trigger: trigger)) == Refusal(1, .z1))
    try bench.perform(.enableTrigger(trigger))
    try bench.perform(.removeActionSet(sets[0]))
    #expect(
      bench.model.home(home)!.triggers[0].isEnabled && bench.model.home(home)!.triggers[0].actionSets == [sets[1]])
    let changes = try bench.perform(.removeActionSet(sets[1])).map(\.detail)
    let after = bench.model.home(home)!.triggers[0]
    #expect(changes == [.triggerUpdated(after), .actionSetRemoved(sets[1])] && !after.isEnabled)
  }
}
