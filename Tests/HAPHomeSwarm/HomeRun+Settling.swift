import HAPHome
import HAPHub
import HAPHubLink
import HAPModel

// The end of a run: all faults end, and what has to be true at rest is checked.
extension HomeRun {
  /// The longest time until the hub has connected again with everything: its pause between attempts is at most a minute.
  private static let quiet = Duration.seconds(150)

  func settle() async {
    await endFaults()
    guard lab.hub.isUp else { return report(.storeOpens, "the hub does not run after all faults") }
    await sleep(Self.quiet)
    await attachAll()
    await unblock()
    let lost = random.pick(lab.devices)
    note("\(lost.name) is off at rest")
    lost.losePower()
    // A silent loss is noticed by the next request.
    if let app = lab.apps.first { await readAll(app) }
    await sleep(.seconds(30))
    await checkRest()
    await lost.start()
    await sleep(Self.quiet)
    await checkRest()
    await checkTriggers()
    await checkScenes()
    await checkRest()
    await checkWork()
    await checkRestart()
    checkAccessories()
  }

  private func endFaults() async {
    lab.link.heal()
    lab.link.resume()
    lab.hub.disk.clearFaults()
    lab.hub.disk.capacity = 1 << 30
    lab.hub.host.clockOffset = greatestOffset
    ledger.clockChanged(to: greatestOffset, at: now)
    for app in lab.apps { app.process?.thaw() }
    for device in lab.devices {
      lab.link.setProperties(nil, from: lab.hub.interface, to: device.machine.interface)
      lab.link.setProperties(nil, from: device.machine.interface, to: lab.hub.interface)
      if !device.isUp { await device.start() }
    }
    active = [:]
    if !lab.hub.isUp {
      lab.hub.kill()
      await startHub()
    }
  }

  private func attachAll() async {
    for app in lab.apps {
      if app.isAttached { continue }
      if await attach(app) == false { report(.requestsAreAnswered, "\(app.name) can't attach at rest") }
    }
  }

  /// Ends the blocking of accessories that broke the protocol.
  private func unblock() async {
    let blocked = lab.apps[0].model.homes.first?.accessories.filter(\.isBlocked) ?? []
    for accessory in blocked {
      coverage.add(.blocked)
      _ = await ask(lab.apps[0], .perform(.unblockAccessory(accessory.id)))
    }
    if !blocked.isEmpty { await sleep(.seconds(70)) }
  }

  func readAll(_ app: LabApp) async {
    let ids = app.home.accessories.flatMap(\.services).flatMap(\.characteristics).filter {
      $0.permissions.contains(.pairedRead)
    }.map(\.id)
    _ = await ask(app, .read(ids))
  }

  // MARK: Rest

  /// The accessories that the hub can reach: their device is on, and has the pairing of the hub.
  private func isReachable(_ accessory: HomeAccessory) -> Bool {
    guard let device = lab.devices.first(where: { $0.deviceID == accessory.deviceID }), device.isUp else {
      return false
    }
    return device.isPaired
  }

  /// Compares the replicas of all apps with the homes of the hub, and these with what is known.
  private func checkRest() async {
    let late = lab.addLateApp()
    defer { late.kill() }
    guard await late.attach(), let hub = late.snapshot else {
      return report(.requestsAreAnswered, "a late app can't attach at rest")
    }
    for app in lab.apps {
      guard let snapshot = app.snapshot else {
        report(.replicasAgree, "\(app.name) has no replica at rest")
        continue
      }
      coverage.add(.replicas)
      if snapshot.model != hub.model { report(.replicasAgree, "\(app.name) has another model than the hub") }
      if snapshot.persons != hub.persons { report(.replicasAgree, "\(app.name) has other persons than the hub") }
      if Set(snapshot.unreachable.keys) != Set(hub.unreachable.keys) {
        let (own, right) = (snapshot.unreachable, hub.unreachable)
        report(.replicasAgree, "\(app.name) has other reachable accessories: \(own), not \(right)")
      }
      check(app)
    }
    for home in hub.model.homes { checkUsers(home) }
    for accessory in hub.model.homes.flatMap(\.accessories) {
      let (isReachable, why) = (isReachable(accessory), hub.unreachable[accessory.id])
      if !isReachable { coverage.add(.lostAccessories) }
      if isReachable != (why == nil) {
        let state = isReachable ? "reachable" : "not reachable"
        report(.reachabilityIsTrue, "\(accessory.name) is \(state), and is reported otherwise: \(why ?? "")")
      }
    }
  }

  /// The hub has no open work at rest, and the sockets of its connections.
  private func checkWork() async {
    guard let process = lab.hub.process else { return }
    // The end of an effect can be due now.
    let isIdle = await lab.wait(atMost: .seconds(20)) { load?.isIdle ?? true }
    if !isIdle { report(.workEnds, "the hub has open work at rest: \(String(describing: load))") }
    let limit = 2 * lab.devices.count + 2 * lab.apps.count + 16
    if process.descriptorCount > limit {
      report(.workEnds, "the hub has \(process.descriptorCount) sockets at rest, and at most \(limit) are needed")
    }
  }

  private var load: HubLoad? {
    guard let hub = lab.hub.hub, let loop = lab.hub.loop, lab.hub.isUp else { return nil }
    return try? loop.performAndWait { hub.assumeIsolated { $0.load } }
  }

  /// Checks the limits of the hub's queues at any time.
  func checkLoad() {
    if let load, load.greatest > 500 { report(.workEnds, "a queue of the hub grows: \(load)") }
  }

  /// After a crash at rest, the homes are the same.
  private func checkRestart() async {
    await alignClock(toSecond: 20)
    guard let before = lab.apps[0].snapshot else { return }
    lab.hub.kill()
    damageStore()
    await startHub()
    guard lab.hub.isUp, await attach(lab.apps[0]), let after = lab.apps[0].snapshot else {
      return report(.storeOpens, "the hub does not serve after a crash at rest")
    }
    if before.model != after.model || before.persons != after.persons {
      report(.commandsAreKept, "the homes differ after a crash at rest")
    }
  }

  /// Waits until the hub's clock shows a second of the minute.
  func alignClock(toSecond second: Int64) async {
    let rest = (second * 1_000_000_000 - lab.hub.wall.nanoseconds) % 60_000_000_000
    await sleep(.nanoseconds(rest < 0 ? rest + 60_000_000_000 : rest))
  }
}
