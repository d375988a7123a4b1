import HAPHome
import HAPModel
import HAPStore
import HAPWorld

// Random faults: each is active for some seconds, and several can be active at once.
extension HomeRun {
  /// Causes faults until there were enough. Returns after the last one has ended.
  func causeFaults() async {
    var tasks: [Task<Void, Never>] = []
    await sleep(.seconds(5))
    while !isEnough {
      let fault = random.pick(HomeFault.allCases)
      let device = random.pick(lab.devices)
      let app = random.pick(lab.apps)
      if canCause(fault, device, app) {
        let duration = random.duration(.milliseconds(500), .seconds(25))
        coverage.add(fault)
        world.trace.note("homes.fault", UInt64(HomeFault.allCases.firstIndex(of: fault)!))
        let subject = subject(of: fault, device, app)
        note("fault \(fault.rawValue) of \(subject) for \(duration)")
        active[subject, default: []].insert(fault)
        tasks.append(
          Task(executorPreference: world) { [self] in
            await cause(fault, device, app, for: duration)
            active[subject]?.remove(fault)
            note("fault \(fault.rawValue) of \(subject) is over")
          })
      }
      await sleep(random.duration(.milliseconds(500), .seconds(20)))
    }
    for task in tasks { await task.value }
  }

  private func subject(of fault: HomeFault, _ device: LabDevice, _ app: LabApp) -> String {
    switch fault {
    case .hubKill, .hubPowerLoss, .hubCrashInWrite, .hubDiskFull, .hubFailingSync, .clockJump: "hub"
    case .appKill, .appFreeze: app.name
    default: device.name
    }
  }

  private func canCause(_ fault: HomeFault, _ device: LabDevice, _ app: LabApp) -> Bool {
    let hub = active["hub", default: []]
    let own = active[device.name, default: []]
    switch fault {
    case .hubKill, .hubPowerLoss, .hubCrashInWrite: return lab.hub.isUp && hub.allSatisfy { $0 == .clockJump }
    case .hubDiskFull, .hubFailingSync:
      return lab.hub.isUp && hub.allSatisfy { !$0.isOfHubDisk && !$0.isHubCrash }
    case .clockJump: return !hub.contains(.clockJump)
    case .appKill, .appFreeze: return app.isUp && active[app.name, default: []].isEmpty
    case .factoryReset: return device === guest && device.isUp && own.isEmpty
    case .offline: return device.isUp && own.isEmpty && device.isBridge
    case .latency, .stall, .cut: return own.allSatisfy { !$0.isOfNetwork }
    default: return device.isUp && own.allSatisfy { $0.isOfNetwork }
    }
  }

  private func cause(_ fault: HomeFault, _ device: LabDevice, _ app: LabApp, for duration: Duration) async {
    switch fault {
    case .latency, .stall, .cut: await hinder(fault, device, for: duration)
    case .hubKill, .hubPowerLoss, .hubCrashInWrite, .hubDiskFull, .hubFailingSync, .clockJump:
      await trouble(fault, for: duration)
    case .appKill: app.kill()
    case .appFreeze:
      let process = app.process
      process?.freeze()
      await sleep(duration)
      process?.thaw()
    case .powerLoss, .kill, .move, .garbage: await crash(fault, device, for: duration)
    case .grow:
      _ = await device.replace(device.grown())
    case .factoryReset: await device.perform("{\"command\": \"factory-reset\"}")
    case .disconnect: await device.perform("{\"command\": \"disconnect\"}")
    case .radio:
      await device.perform("{\"command\": \"radio\", \"value\": false}")
      await sleep(duration)
      await device.perform("{\"command\": \"radio\", \"value\": true}")
    case .offline:
      ledger.offline[device.number, default: []].append(now)
      await device.perform("{\"command\": \"offline\", \"accessory\": \"\(device.name) Left\"}")
      await sleep(duration)
      await device.perform("{\"command\": \"online\", \"accessory\": \"\(device.name) Left\"}")
      ledger.offline[device.number, default: []].append(now)
    case .dropMessage, .cutBefore, .silence:
      let name = fault.rawValue
      await device.switchOn(fault == .silence ? name : "\(name):message=write")
      await sleep(duration)
      await device.switchOff(name)
    }
  }

  private func hinder(_ fault: HomeFault, _ device: LabDevice, for duration: Duration) async {
    let (here, there) = (lab.hub.interface, device.machine.interface)
    switch fault {
    case .latency:
      let slow = LinkProperties(
        latency: random.duration(.milliseconds(20), .milliseconds(1500)), jitter: .milliseconds(50))
      lab.link.setProperties(slow, from: here, to: there)
      lab.link.setProperties(slow, from: there, to: here)
      await sleep(duration)
      lab.link.setProperties(nil, from: here, to: there)
      lab.link.setProperties(nil, from: there, to: here)
    case .stall:
      lab.link.stall(from: here, to: there)
      lab.link.stall(from: there, to: here)
      await sleep(duration)
      lab.link.resume()
    default:
      let isHalf = random.chance(0.3)
      lab.link.cut(from: here, to: there)
      if !isHalf { lab.link.cut(from: there, to: here) }
      await sleep(duration)
      lab.link.heal(from: here, to: there)
      lab.link.heal(from: there, to: here)
    }
  }

  private func crash(_ fault: HomeFault, _ device: LabDevice, for duration: Duration) async {
    // A sensor may have an older value afterwards.
    ledger.caused(plan.triggers.filter { $0.cause == .motion(device.number) }, at: now)
    switch fault {
    case .powerLoss: device.losePower()
    case .garbage: try? device.serveGarbage()
    case .move:
      if random.chance(0.5) { device.kill() } else { device.losePower() }
      device.move()
    default: device.kill()
    }
    await sleep(duration)
    if fault == .garbage { device.kill() }
    await device.start(port: fault == .move ? 40_000 + UInt16(device.starts) : 0)
  }

  /// Faults of the hub.
  private func trouble(_ fault: HomeFault, for duration: Duration) async {
    let disk = lab.hub.disk
    switch fault {
    case .clockJump:
      let step = random.pick([-3600, -90, -5, 5, 45, 90, 600, 3600])
      lab.hub.setClock(by: .seconds(step))
      ledger.clockChanged(to: lab.hub.host.clockOffset, at: now)
      greatestOffset = max(greatestOffset, lab.hub.host.clockOffset)
    case .hubDiskFull:
      disk.capacity = disk.used
      await sleep(duration)
      disk.capacity = 1 << 30
    case .hubFailingSync:
      disk.fail(.sync, after: Int(random.upTo(3)), isLasting: true)
      await sleep(duration)
      disk.clearFaults()
    default:
      ledger.crashes.append(now)
      switch fault {
      case .hubKill: lab.hub.kill()
      case .hubPowerLoss: lab.hub.losePower()
      default:
        disk.crash(after: Int(random.upTo(8)), losingPower: random.chance(0.5))
        _ = await lab.wait(atMost: .seconds(20)) { !lab.hub.isUp }
        disk.clearFaults()
        lab.hub.kill()
        ledger.crashes.append(now)
      }
      await sleep(duration)
      damageStore()
      await startHub()
    }
  }

  /// Gives a room another identifier, for a mutation.
  func changeIdentity() {
    do {
      let store = try HomeStore(folder: LabHub.folder, files: lab.hub.disk)
      defer { store.close() }
      guard var row = try store.load().objects.last(where: { $0.kind == "room" && $0.name.contains("Number") }) else {
        return
      }
      let old = row.id
      row.id = "00000000-0000-4000-8000-" + old.suffix(12)
      try store.commit([.remove(.objects, id: old), .keep(.object(row))])
    } catch { note("the identity can't be changed: \(error)") }
  }
}

extension LabDevice {
  var isBridge: Bool { profile.contains("bridgedAccessories") }

  /// The profile with one more switch.
  func grown() -> String {
    growth += 1
    return isBridge
      ? LabProfile.bridge(name, lamps: 2, extra: growth) : LabProfile.accessory(name, lamps: 4, extra: growth)
  }
}
