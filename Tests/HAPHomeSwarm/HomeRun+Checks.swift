import HAPAlmanac
import HAPHome
import HAPModel
import HAPWorld

// Compares what the accessories received with what apps and persons did.
extension HomeRun {
  /// The time within which a write can arrive late: after a minute, an occurrence is missed; then come reads, the wait
  /// for a connection, and the network.
  private static let latest: Int64 = 150

  func checkAccessories() {
    for device in lab.devices { device.collect() }
    for trigger in plan.triggers {
      for slot in trigger.slots {
        let times = lab.devices[slot.device].writes(of: slot.tokenID, .integer(Int128(trigger.value)))
        coverage.add(.executions, times.count)
        if trigger.isPlanned { checkPlanned(trigger, times) } else { checkCaused(trigger, times) }
        if trigger.isOnce, times.count > ledger.enabled[trigger.id, default: 0] {
          report(.atMostOnce, "\(trigger.name) executes once, and executed \(times.count) times")
        }
      }
    }
    for scene in plan.scenes { check(scene) }
    for write in ledger.writes { check(write) }
  }

  private func checkCaused(_ trigger: PlannedTrigger, _ times: [Duration]) {
    let causes = ledger.causes[trigger.id] ?? []
    for (place, time) in times.enumerated() where causes.count(where: { $0 <= time }) < place + 1 {
      return report(
        .atMostOnce,
        "\(trigger.name): execution \(place + 1) at \(time), after \(causes.count { $0 <= time }) events")
    }
  }

  private func checkPlanned(_ trigger: PlannedTrigger, _ times: [Duration]) {
    var executed: Set<Int64> = []
    for time in times {
      if ledger.clockChanges.contains(where: { $0 <= time && time - $0 < .seconds(Self.latest) }) { continue }
      guard let (due, lateness) = due(trigger, at: time) else {
        report(.atMostOnce, "\(trigger.name) executes at \(time), before its first time")
        continue
      }
      if lateness > Self.latest {
        report(.atMostOnce, "\(trigger.name) executes at \(time), \(lateness) s after its time")
      }
      if !executed.insert(due).inserted {
        report(.atMostOnce, "\(trigger.name) executes twice for one time, at \(time)")
      }
    }
  }

  /// The planned time before a write, in seconds since 1970, and its distance.
  private func due(_ trigger: PlannedTrigger, at time: Duration) -> (due: Int64, lateness: Int64)? {
    let offset = ledger.offset(at: time)
    let wall = (SimulatedHost.worldBegin + time + offset).components.seconds
    let (first, period): (Int64, Int64)
    switch trigger.cause {
    case .timer(let date): (first, period) = (date.seconds, 300)
    case .daily(let hour, let minute):
      let day = wall - wall % 86_400
      (first, period) = (day + Int64(hour * 3600 + minute * 60) - 86_400, 86_400)
    case .motion, .arrival: return nil
    }
    guard wall >= first else { return nil }
    let due = first + (wall - first) / period * period
    return (due, wall - due)
  }

  private func check(_ scene: PlannedScene) {
    let requests = ledger.executions[scene.id] ?? []
    let value = Value.integer(Int128(scene.value))
    for slot in scene.slots {
      let times = lab.devices[slot.device].writes(of: slot.tokenID, value)
      for (place, time) in times.enumerated() where requests.count(where: { $0 <= time }) < place + 1 {
        report(.sentOnce, "\(scene.name): write \(place + 1) at \(time), after fewer requests")
        break
      }
    }
    for device in lab.devices {
      let wanted = Set(scene.slots.filter { $0.device == device.number }.flatMap { [$0.tokenID, $0.onID] })
      guard !wanted.isEmpty else { continue }
      let tokens = Set(scene.slots.map(\.tokenID))
      for put in device.puts where put.entries.contains(where: { tokens.contains($0.id) && $0.value == value }) {
        coverage.add(.puts)
        let isDisturbed = (ledger.offline[device.number] ?? []).contains { put.time >= $0 }
        let missing = wanted.subtracting(put.entries.map(\.id))
        if !missing.isEmpty, !isDisturbed {
          report(.onePut, "\(scene.name): a PUT to \(device.name) at \(put.time) is without \(missing.sorted())")
        }
      }
    }
  }

  private func check(_ write: HomeLedger.TokenWrite) {
    let count = lab.devices[write.slot.device].writes(of: write.slot.tokenID, .integer(Int128(write.value))).count
    let isRight: Bool
    switch write.outcome {
    case .done:
      isRight = count == 1
      coverage.add(.doneWrites)
    case .notSent, .refused:
      isRight = count == 0
      coverage.add(.unsentWrites)
    case .unknown, nil:
      isRight = count <= 1
      coverage.add(.unknownWrites)
    }
    if !isRight {
      report(
        .sentOnce,
        "the write of \(write.value) at \(write.start) is \(write.outcome.map { $0.rawValue } ?? "not answered"), and arrived \(count) times"
      )
    }
  }
}
