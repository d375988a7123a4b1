import HAPDiscovery
import HAPLoop
import HAPModel
import HAPProfile
import HAPProtocol
import HAPStore
import HAPWire

/// A running accessory: profile, core, server, store, advertisement and device, on one loop. An actor whose executor is that loop, so that
/// whoever asks from elsewhere hops onto it once, and whoever is on it already never does.
package actor SimulatedAccessory {
  package nonisolated let loop: EventLoop
  package nonisolated let prepared: PreparedAccessory
  private var run: AccessoryRun?
  private var isStopped = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  package init(_ prepared: PreparedAccessory, on loop: EventLoop) {
    self.prepared = prepared
    self.loop = loop
  }

  package nonisolated var name: String { prepared.name }

  /// Listens and starts the device.
  /// - Parameters:
  ///   - port: 0 for any.
  ///   - seed: of the simulation's chance; keys never come from it.
  ///   - sink: is told what happens, on the loop.
  /// - Throws: `LoopError`: the port is in use, the address is not of this machine, …
  /// - Returns: the port.
  @discardableResult
  package func start(
    on places: [ListeningPlace], port: UInt16, seed: UInt64, advertiser: sending (any Advertiser)?,
    capturePath: String? = nil, sink: (@Sendable (SimulatorEvent) -> Void)?
  ) throws -> UInt16 {
    precondition(run == nil && !isStopped, "an accessory is started once")
    let run = try AccessoryRun(
      prepared, on: loop, advertiser: advertiser, seed: seed, capturePath: capturePath, sink: sink)
    do {
      try run.start(on: places, port: port)
    } catch {
      run.stop()
      throw error
    }
    self.run = run
    return run.server.port
  }

  /// Says goodbye on the network, sends what is answered, closes everything, and lets others run the accessory. Any number of times.
  package func stop() {
    isStopped = true
    run?.stop()
    run = nil
    prepared.store.close()
  }

  /// Serves another profile of the same accessory from now on: `c#` is raised where it differs in more than values, ids stay with what they
  /// were given to, and controllers stay connected and subscribed.
  ///
  /// - Parameters:
  ///   - read: reads the profile; called off the loop.
  ///   - done: called on the loop: the new configuration number, or why nothing was changed.
  package func replace(
    _ read: @escaping @Sendable () throws -> AccessoryProfile,
    done: @escaping @Sendable (Result<UInt16, CommandError>) -> Void
  ) {
    loop.offload { [prepared] in
      Result { () throws(CommandError) in
        do { return try Replacement(try read(), for: prepared) } catch {
          throw error as? CommandError ?? CommandError(error is StoreError ? .failed : .notPossible, "\(error)")
        }
      }
    } then: { result in
      self.assumeIsolated { accessory in
        guard let run = accessory.run else {
          return done(.failure(CommandError(.notPossible, "\"\(accessory.name)\" has stopped")))
        }
        done(
          result.map { replacement in
            run.replace(by: replacement)
            return replacement.configurationNumber
          })
      }
    }
  }

  /// Carries out a command of a person at the device.
  /// - Parameter aid: the accessory behind a bridge that is meant; nil: any.
  package func perform(_ action: SimulatorCommand.Action, aid: UInt64?) throws(CommandError) {
    guard let run else { throw CommandError(.notPossible, "\"\(name)\" has stopped") }
    let database = run.core.database
    switch action {
    case .set(let selector, let node):
      let id = try CommandError.for { () throws(SelectionError) in try selector.resolve(in: database, aid: aid) }
      guard let slot = database.slot(of: id) else {
        throw CommandError(.noSuchCharacteristic, "there is no characteristic \(id)")
      }
      try run.perform(.set(id, database.characteristics[slot].value(from: node)))
    case .obstruct(let isObstructed, let service):
      var address: AttributeID?
      if let service {
        address = try CommandError.for { () throws(SelectionError) in try service.resolve(in: database, aid: aid) }
      }
      try run.perform(.obstruct(isObstructed, service: address))
    case .identify: run.identifyByHand(aid: aid ?? 1)
    case .stop: stop()
    case .status, .replace: preconditionFailure("the dispatcher carries these out")
    }
  }

  /// The aids whose accessory has this name, or the aid itself.
  package func aids(matching selector: AccessorySelector) -> [UInt64] {
    guard let database = run?.core.database else { return [] }
    return database.accessoryEntries.map(\.aid).filter { selector.matches(name: database.accessoryName($0), aid: $0) }
  }

  package var isRunning: Bool { run != nil }

  /// How the accessory is, as a JSON object: identity, pairings, connections, and every value.
  package func writeStatus(to json: inout JSONWriter) {
    json.object { json in
      json.key("name")
      json.string(name)
      json.key("deviceID")
      json.string(prepared.deviceID.text)
      json.key("running")
      json.bool(run != nil)
      guard let run else { return }
      json.key("port")
      json.integer(run.server.port)
      json.key("paired")
      json.bool(run.core.isPaired)
      json.key("configurationNumber")
      json.integer(run.core.advertisement.configurationNumber)
      json.key("connections")
      json.integer(run.server.connectionCount)
      json.key("pairings")
      json.array { json in
        for pairing in run.core.pairings {
          json.object {
            $0.key("controller")
            $0.string(pairing.name)
            $0.key("admin")
            $0.bool(pairing.isAdmin)
          }
        }
      }
      json.key("characteristics")
      json.array { json in
        let database = run.core.database
        for slot in database.characteristics.indices { json.object { $0.status(of: slot, in: database) } }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func status(of slot: Int, in database: AttributeDatabase) {
    let characteristic = database.characteristics[slot]
    let named = database.named(slot, characteristic.value)
    key("aid")
    integer(named.characteristic.id.aid)
    key("iid")
    integer(named.characteristic.id.iid)
    key("name")
    string(named.characteristic.name)
    key("value")
    value(characteristic.value)
    if let word = named.word {
      key("word")
      string(word)
    }
  }
}
