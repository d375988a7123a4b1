import Testing

@testable import HAPWorld

@Suite("The agenda") struct AgendaTests {
  @Test("actions run in the order of their time") func order() {
    let agenda = Agenda(seed: 1)
    var ran: [UInt64] = []
    for time: UInt64 in [5, 3, 9, 1, 7] { agenda.schedule(at: time) { ran.append(agenda.now) } }
    #expect(agenda.nextTime == 1)
    #expect(agenda.runAll())
    #expect(ran == [1, 3, 5, 7, 9])
    #expect(agenda.nextTime == nil && !agenda.runNext())
  }

  @Test("the seed decides the order of equal times") func ties() {
    func order(_ seed: UInt64) -> [Int] {
      let agenda = Agenda(seed: seed)
      var ran: [Int] = []
      for number in 0..<20 { agenda.schedule(at: 4) { ran.append(number) } }
      agenda.runAll()
      return ran
    }
    #expect(order(1) == order(1))
    #expect(order(1) != order(2))
    #expect(order(1).sorted() == Array(0..<20))
    #expect(order(1) != Array(0..<20))
  }

  @Test("a time in the past becomes now, and one above the maximum becomes the maximum") func limits() {
    let agenda = Agenda(seed: 1)
    agenda.run(until: 100)
    var times: [UInt64] = []
    agenda.schedule(at: 3) { times.append(agenda.now) }
    agenda.schedule(after: .max) { times.append(agenda.now) }
    agenda.runAll()
    #expect(times == [100, .max])
  }

  @Test("a cancelled action is released, and its slot is reused") func cancelling() {
    final class Held {}
    let agenda = Agenda(seed: 1)
    weak var held: Held?
    var token: Agenda.Token?
    do {
      let strong = Held()
      held = strong
      token = agenda.schedule(at: 5) { withExtendedLifetime(strong) {} }
    }
    #expect(held != nil)
    #expect(agenda.cancel(token!))
    #expect(held == nil)
    #expect(!agenda.cancel(token!))
    for _ in 0..<10_000 { agenda.cancel(agenda.schedule(at: 1_000_000) {}) }
    #expect(agenda.count == 0)
    #expect(agenda.slotCount == 1)
    // A token of an earlier use of the slot has no effect.
    var ran = false
    agenda.schedule(at: 6) { ran = true }
    #expect(!agenda.cancel(token!))
    agenda.runAll()
    #expect(ran)
  }

  @Test("all actions of an owner can be cancelled") func owners() {
    let agenda = Agenda(seed: 1)
    var ran: [Int] = []
    for number in 0..<30 { agenda.schedule(at: UInt64(number), owner: UInt64(number % 3)) { ran.append(number) } }
    agenda.cancelAll(owner: 2)
    agenda.cancelAll(owner: 0)
    agenda.runAll()
    #expect(ran == (0..<30).filter { $0 % 3 != 2 })
  }

  @Test("random scheduling, cancelling and running has the same results as a sorted list") func model() {
    for seed: UInt64 in 1...20 {
      var random = WorldRandom(seed: seed)
      let agenda = Agenda(seed: seed)
      var model: [(time: UInt64, number: Int, token: Agenda.Token)] = []
      var ran: [Int] = []
      for number in 0..<500 {
        switch random.upTo(3) {
        case 0, 1:
          let time = agenda.now + random.upTo(1_000_000)
          model.append((time, number, agenda.schedule(at: time) { ran.append(number) }))
        case 2 where !model.isEmpty:
          let gone = model.remove(at: Int(random.upTo(UInt64(model.count - 1))))
          #expect(agenda.cancel(gone.token))
        default:
          guard let next = model.map(\.time).min() else { continue }
          #expect(agenda.nextTime == next)
          agenda.runNext()
          #expect(model.first { $0.number == ran.last }?.time == next)
          model.removeAll { $0.number == ran.last }
        }
        #expect(agenda.count == model.count)
      }
    }
  }
}

@Suite("The random numbers of a world") struct WorldRandomTests {
  @Test("a fork depends on the seed and the label, not on earlier draws") func forks() {
    var one = WorldRandom(seed: 7)
    var first = one.fork("x")
    _ = one.next()
    var second = one.fork("x")
    var other = one.fork("y")
    let drawn = first.next()
    #expect(drawn == second.next())
    #expect(drawn != other.next())
    var elsewhere = WorldRandom(seed: 8).fork("x")
    #expect(drawn != elsewhere.next())
  }

  @Test("numbers are within their limits, and probabilities are correct") func limits() {
    var random = WorldRandom(seed: 3)
    var seen: Set<UInt64> = []
    for _ in 0..<1000 { seen.insert(random.upTo(4)) }
    #expect(seen == [0, 1, 2, 3, 4])
    #expect(random.upTo(0) == 0)
    let count = (0..<10_000).filter { _ in random.chance(0.25) }.count
    #expect((2300...2700).contains(count))
    #expect(!random.chance(0) && !random.chance(-1) && !random.chance(.nan) && random.chance(2))
  }
}
