import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPModel

// What happens without faults.
extension HomeRun {
  /// How often a trigger wrote its value to its first lamp.
  private func count(_ trigger: PlannedTrigger, since start: Duration, _ slot: LabSlot? = nil) -> Int {
    let slot = slot ?? trigger.slots[0]
    return lab.devices[slot.device].writes(of: slot.tokenID, .integer(Int128(trigger.value))).count { $0 >= start }
  }

  private func outcomes(of trigger: PlannedTrigger, _ app: LabApp) async -> [EvaluationReport] {
    guard case .success(.explained(let reports)) = await ask(app, .explain(trigger.id)) else { return [] }
    return reports
  }

  func checkTriggers() async {
    let app = lab.apps[0]
    for number in plan.motion.keys.sorted() { await checkMotion(number, app) }
    await checkArrival(app)
    await checkTimers(app)
  }

  private func enableAll(_ triggers: [PlannedTrigger], _ app: LabApp) async {
    for trigger in triggers where app.home.triggers.find(trigger.id)?.isEnabled == false {
      await enable(trigger, app)
    }
  }

  /// Sets the surroundings to random values.
  private func prepare(_ app: LabApp) async -> (motion: [Int: Bool], isHome: Bool) {
    var motion: [Int: Bool] = [:]
    for number in plan.motion.keys.sorted() {
      let isDetected = random.chance(0.5)
      motion[number] = isDetected
      await setMotion(number, isDetected)
    }
    let isHome = random.chance(0.5)
    await place(app, isHome)
    await sleep(.seconds(3))
    return (motion, isHome)
  }

  private func checkMotion(_ number: Int, _ app: LabApp) async {
    let triggers = plan.triggers.filter { $0.cause == .motion(number) }
    guard !triggers.isEmpty else { return }
    var (motion, isHome) = await prepare(app)
    await setMotion(number, false)
    await sleep(.seconds(13))
    await enableAll(triggers, app)
    await sleep(.seconds(2))
    let start = now
    motion[number] = true
    await setMotion(number, true)
    await sleep(.seconds(15))
    for trigger in triggers { await check(trigger, trigger.test?.holds(motion, isHome) ?? true, since: start, app) }
  }

  private func checkArrival(_ app: LabApp) async {
    let triggers = plan.triggers.filter { $0.cause == .arrival }
    guard !triggers.isEmpty else { return }
    let (motion, _) = await prepare(app)
    await place(app, false)
    await sleep(.seconds(13))
    await enableAll(triggers, app)
    let start = now
    await place(app, true)
    await sleep(.seconds(15))
    for trigger in triggers { await check(trigger, trigger.test?.holds(motion, true) ?? true, since: start, app) }
  }

  /// One occurrence executes once, or is explained by its condition.
  private func check(_ trigger: PlannedTrigger, _ isTrue: Bool, since start: Duration, _ app: LabApp) async {
    coverage.add(isTrue ? .quietExecutions : .quietRefusals)
    for slot in trigger.slots {
      let count = count(trigger, since: start, slot)
      if count != (isTrue ? 1 : 0) {
        report(.firesOrExplains, "\(trigger.name) executes \(count) times, and its condition is \(isTrue)")
      }
    }
    let last = await outcomes(of: trigger, app).last { $0.outcome != "ended" && $0.outcome != "ending" }
    let expected = isTrue ? "executed" : "condition-false"
    if last?.outcome != expected {
      report(.firesOrExplains, "\(trigger.name) is explained as \(last?.text ?? "nothing"), and is \(expected)")
    }
    if isTrue, trigger.isOnce, app.home.triggers.find(trigger.id)?.isEnabled != false {
      report(.firesOrExplains, "\(trigger.name) executes once, and is still enabled")
    }
  }

  /// Ten minutes have two times of each timer.
  private func checkTimers(_ app: LabApp) async {
    let triggers = plan.triggers.filter { if case .timer = $0.cause { true } else { false } }
    guard !triggers.isEmpty else { return }
    await enableAll(triggers, app)
    await alignClock(toSecond: 30)
    let start = now
    await sleep(.seconds(600))
    for trigger in triggers {
      coverage.add(.quietTimers, 2)
      for slot in trigger.slots {
        let count = count(trigger, since: start, slot)
        if count != 2 { report(.firesOrExplains, "\(trigger.name) executes \(count) times in ten minutes") }
      }
    }
  }

  /// Without faults, each scene is done, once.
  func checkScenes() async {
    for scene in plan.scenes {
      let start = now
      guard let result = await execute(scene, lab.apps[0]) else {
        report(.requestsAreAnswered, "\(scene.name) has no result at rest")
        continue
      }
      await sleep(.seconds(1))
      if result.error != nil {
        report(.sentOnce, "\(scene.name) at rest: \(result.actions.compactMap { $0.error?.message })")
      }
      for slot in scene.slots {
        let times = lab.devices[slot.device].writes(of: slot.tokenID, .integer(Int128(scene.value)))
        let count = times.count { $0 >= start }
        if count != 1 { report(.sentOnce, "\(scene.name) writes \(count) times at rest") }
      }
    }
  }
}
