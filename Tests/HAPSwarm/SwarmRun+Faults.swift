import HAPWorld

// Random faults: each is active for some seconds, and several can be active at once.
extension SwarmRun {
  /// Causes faults until there were enough of all kinds. Returns after the last one has ended.
  func causeFaults() async {
    let (faults, everyone) = (SwarmFault.all(of: population), everyone)
    var tasks: [Task<Void, Never>] = []
    // There are no faults at first, so that some controllers can pair.
    await sleep(.seconds(5))
    while !isEnough {
      checkEvents()
      let fault = faults[Int(random.upTo(UInt64(faults.count - 1)))]
      let accessory = accessories[Int(random.upTo(UInt64(accessories.count - 1)))]
      let controller = everyone[Int(random.upTo(UInt64(everyone.count - 1)))]
      if canCause(fault, accessory, controller) {
        let duration = random.duration(.milliseconds(500), .seconds(15))
        coverage.add(fault)
        world.trace.note("swarm.fault", UInt64(SwarmFault.allCases.firstIndex(of: fault)!))
        tasks.append(
          Task(executorPreference: world) { [self] in await cause(fault, accessory, controller, for: duration) })
      }
      await sleep(random.duration(.milliseconds(500), .seconds(8)))
    }
    for task in tasks { await task.value }
  }

  private func canCause(
    _ fault: SwarmFault, _ accessory: AccessoryMachine, _ controller: any SwarmController
  ) -> Bool {
    switch fault {
    case .controllerKill, .controllerPowerLoss: return controller.isUp
    case .crashInWrite, .diskFull, .failingSync:
      return accessory.isResponsive && faults(of: accessory).isDisjoint(with: [.crashInWrite, .diskFull, .failingSync])
    case .latency, .stall, .cut, .halfCut, .loss, .duplicates, .reordering:
      let active = faultLog.active(accessory.number, controller.number, from: now, to: now)
      return active.isDisjoint(with: [.latency, .stall, .cut, .halfCut, .loss, .duplicates, .reordering])
    case .disconnect, .kill, .powerLoss, .freeze, .newAddress: return accessory.isResponsive
    }
  }

  private func cause(
    _ fault: SwarmFault, _ accessory: AccessoryMachine, _ controller: any SwarmController, for duration: Duration
  ) async {
    note("fault \(fault.rawValue) of accessory \(accessory.number), controller \(controller.number), for \(duration)")
    let place = faultLog.begin(
      fault, accessory: fault.isOfController ? nil : accessory.number,
      controller: fault.isOfAccessory ? nil : controller.number, at: now)
    let start = now
    switch fault {
    case .latency, .stall, .cut, .halfCut, .loss, .duplicates, .reordering:
      await hinder(fault, accessory, controller, for: duration)
    case .disconnect: _ = accessory.command("{\"command\":\"disconnect\"}")
    case .freeze:
      accessory.freeze()
      await sleep(duration)
      accessory.thaw()
    case .kill, .powerLoss, .newAddress, .crashInWrite: await crash(fault, accessory, for: duration)
    case .diskFull:
      accessory.disk.capacity = accessory.disk.used
      await sleep(duration)
      accessory.disk.capacity = 1 << 30
    case .failingSync:
      accessory.disk.fail(.sync, after: Int(random.upTo(3)), isLasting: true)
      await sleep(duration)
      accessory.disk.clearFaults()
    case .controllerKill, .controllerPowerLoss:
      controller.end(losingPower: fault == .controllerPowerLoss)
      await sleep(duration)
      controller.start()
    }
    // Connections need as much time again to recover, because TCP doubles its delays.
    let recovery = (now - start) + 10_000_000_000
    faultLog.end(place, at: now + recovery)
    note("fault \(fault.rawValue) of accessory \(accessory.number), controller \(controller.number) is over")
  }

  private func hinder(
    _ fault: SwarmFault, _ accessory: AccessoryMachine, _ controller: any SwarmController, for duration: Duration
  ) async {
    var (here, there) = (accessory.interface, controller.interface)
    if random.chance(0.5) { swap(&here, &there) }
    switch fault {
    case .latency:
      let slow = LinkProperties(
        latency: random.duration(.milliseconds(20), .milliseconds(900)), jitter: .milliseconds(50))
      await setProperties(slow, between: here, there, for: duration)
    case .loss, .duplicates, .reordering:
      var bad = link.properties
      let share = 0.05 + Double(random.upTo(40)) / 100
      switch fault {
      case .loss: bad.loss = share
      case .duplicates: bad.duplication = share
      default:
        bad.reordering = share
        bad.reorderingDelay = random.duration(.milliseconds(5), .milliseconds(800))
      }
      await setProperties(bad, between: here, there, for: duration)
    case .stall:
      link.stall(from: here, to: there)
      link.stall(from: there, to: here)
      await sleep(duration)
      link.resume()
    default:
      link.cut(from: here, to: there)
      if fault == .cut { link.cut(from: there, to: here) }
      await sleep(duration)
      link.heal(from: here, to: there)
      link.heal(from: there, to: here)
    }
  }

  private func setProperties(
    _ properties: LinkProperties, between here: SimulatedInterface, _ there: SimulatedInterface, for duration: Duration
  ) async {
    link.setProperties(properties, from: here, to: there)
    link.setProperties(properties, from: there, to: here)
    await sleep(duration)
    link.setProperties(nil, from: here, to: there)
    link.setProperties(nil, from: there, to: here)
  }

  private func crash(_ fault: SwarmFault, _ accessory: AccessoryMachine, for duration: Duration) async {
    switch fault {
    case .crashInWrite:
      let starts = accessory.starts
      accessory.disk.crash(after: Int(random.upTo(8)), losingPower: random.chance(0.5))
      for _ in 0..<20 where accessory.isUp && accessory.starts == starts { await sleep(.seconds(1)) }
      accessory.disk.clearFaults()
      await sleep(.milliseconds(100))
    case .powerLoss: accessory.losePower()
    case .newAddress:
      if random.chance(0.5) { accessory.kill() } else { accessory.losePower() }
      accessory.move()
    default: accessory.kill()
    }
    await sleep(duration)
    await accessory.startAgain()
  }
}

extension SwarmFault {
  fileprivate var isOfController: Bool { self == .controllerKill || self == .controllerPowerLoss }
  fileprivate var isOfAccessory: Bool {
    switch self {
    case .latency, .stall, .cut, .halfCut, .loss, .duplicates, .reordering, .controllerKill, .controllerPowerLoss: false
    case .disconnect, .kill, .powerLoss, .crashInWrite, .freeze, .newAddress, .diskFull, .failingSync: true
    }
  }
}
