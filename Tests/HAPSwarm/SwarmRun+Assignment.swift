import HAPLoop
import HAPModel

// The end of a run: no fault is active, and all invariants must hold.
extension SwarmRun {
  func settle() async {
    for accessory in accessories where !accessory.isUp { accessory.start() }
    for controller in everyone where !controller.isUp { controller.start() }
    await sleep(.seconds(120))
    checkEvents()
    note("settling")
    await second?.rest()
    await closeAll()
    checkMemory()
    second?.checkClosed()
    for accessory in accessories { accessory.kill() }
    await sleep(.seconds(1))
    for accessory in accessories {
      accessory.start()
      if accessory.isUp { accessory.ledger.isServing(accessory) }
    }
    for accessory in accessories where accessory.isUp {
      await lastRound(accessory)
      await second?.lastRound(accessory)
    }
    checkEvents()
    await closeAll()
    for accessory in accessories { accessory.inspect() }
    for accessory in accessories { await checkTries(accessory) }
  }

  /// Checks that the wrong codes before a crash and those after it are counted together.
  private func checkTries(_ accessory: AccessoryMachine) async {
    accessory.start()
    await controllers[0].reset(accessory)
    for _ in 0..<2 { await controllers[0].tryWrongCode(accessory) }
    accessory.kill()
    await sleep(.seconds(1))
    accessory.start()
    if accessory.isUp { await controllers[0].tryWrongCode(accessory) }
    accessory.inspect()
  }

  private func closeAll() async {
    for controller in controllers {
      for (_, connection) in controller.connections.sorted(by: { $0.key < $1.key }) { await connection.close() }
      controller.connections = [:]
    }
    await second?.closeAll()
    await sleep(.seconds(60))
  }

  private func checkMemory() {
    for accessory in accessories {
      guard let process = accessory.process, let loop = accessory.loop else { continue }
      let (sockets, handles) = accessory.baseline
      // An accessory can't detect that the peer of a silent connection is gone.
      let allowed = accessory.lostPeers
      if process.descriptorCount > sockets + allowed || loop.openHandleCount > handles + 2 * allowed {
        report(
          .memoryReturns,
          "accessory \(accessory.number) has \(process.descriptorCount) sockets and \(loop.openHandleCount) handles, \(sockets) and \(handles) after its start, \(allowed) lost peers"
        )
      }
    }
    for controller in controllers {
      guard let process = controller.process, process.descriptorCount + controller.loop.openHandleCount > 0 else {
        continue
      }
      report(
        .memoryReturns,
        "controller \(controller.number) has \(process.descriptorCount) sockets and \(controller.loop.openHandleCount) handles"
      )
    }
  }

  /// Checks the last values. All controllers read all values. Then each value is written once more, and each subscriber
  /// must get an event.
  private func lastRound(_ accessory: AccessoryMachine) async {
    var connections: [SwarmConnection] = []
    for controller in controllers where controller.paired[accessory.number] != nil {
      if let connection = await controller.connection(to: accessory) { connections.append(connection) }
    }
    for connection in connections {
      await connection.controller.read(accessory.ledger.watched.map(\.id), by: connection)
      for watched in accessory.ledger.watched {
        await connection.controller.subscribe(to: watched.id, isOn: true, by: connection)
      }
    }
    await sleep(.seconds(1))
    for (turn, watched) in accessory.ledger.watched.enumerated() {
      guard !connections.isEmpty else { break }
      let writer = connections[turn % connections.count]
      guard let index = unusedValue(of: watched, at: accessory, for: writer.controller.number, &random) else {
        continue
      }
      await writer.controller.write(index, to: watched, by: writer, isTimed: false)
      await sleep(Self.longestEventWait + .seconds(1))
      checkEvents()
      for connection in connections where connection !== writer && connection.isUsable {
        if connection.lastEventValues[watched.id] != index {
          report(.noEventLost, "\(connection): the last event of \(watched.id) is not the last value")
        }
      }
      await writer.controller.subscribe(to: watched.id, isOn: false, by: writer)
      guard let index = unusedValue(of: watched, at: accessory, for: everyone.count, &random) else { continue }
      controllers[0].setByHand(index, watched, accessory)
      await sleep(.seconds(2))
    }
  }
}
