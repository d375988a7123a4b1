import HAPFrontEnds
import HAPDeviations
import HAPDevices
import HAPDiscovery
import HAPLoop
import HAPModel
import HAPPreparation
import HAPProfile
import HAPStore
import HAPWire

/// A running accessory: profile, core, server, store, advertisement and device, on one loop. An actor whose executor
/// is that loop: a caller on another thread hops onto the loop once, and a caller on the loop never does.
package actor SimulatedAccessory {
  private enum State {
    case new
    case running(AccessoryRun)
    /// The old run has ended and the new one is being prepared.
    case restarting(held: [HeldPort])
    case stopped
  }

  package nonisolated let loop: EventLoop
  /// The state of its last start.
  package private(set) var prepared: PreparedAccessory
  /// The profile for its next start.
  private var profile: AccessoryProfile
  private var state = State.new
  /// The database of the last run, while there is no run.
  private var lastDatabase: AttributeDatabase?
  private(set) var terms: ServingTerms?
  private var advertiser: (any Advertiser)?
  /// Returns an advertiser for a record of another protocol.
  private var makeAdvertiser: () -> (any Advertiser)? = { nil }
  /// Bridged accessories that are unreachable. Kept across restarts.
  private(set) var offline: Set<UInt64> = []
  /// Whether another profile is being prepared, which reads and writes stored data.
  private var isReplacing = false
  /// The visibility for controllers. Kept across restarts.
  private(set) var visibility = Visibility()
  private var starts = 0
  /// The state of its defect.
  private var defectState: DefectState?
  let faults = AccessoryFaults()
  /// Checks its controllers; `nil`: no check.
  private var observer: (any RunObserver)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Its number among all accessories of the process, from 1.
  package nonisolated let number: Int

  package init(_ prepared: PreparedAccessory, number: Int = 1, on loop: EventLoop) {
    self.number = number
    self.prepared = prepared
    self.profile = prepared.profile
    self.loop = loop
  }

  package var name: String { prepared.name }
  /// The faults that its profile has from its start.
  package var ownFaults: [FaultChoice] { prepared.ownFaults }
  package var isStopped: Bool { if case .stopped = state { true } else { false } }
  package var isRunning: Bool { run != nil }
  /// The database that is or was served.
  package var database: AttributeDatabase { run?.database ?? lastDatabase ?? prepared.database }
  var run: AccessoryRun? { if case .running(let run) = state { run } else { nil } }
  /// The pairings of its controllers; `nil`: it does not run.
  package var pairings: [Pairing]? { run?.pairings }
  /// The text of the profile that is being served, or will be at the next start.
  package var profileText: [UInt8] { profile.text }
  /// The profile's file. The files that its behaviours name are in the same folder.
  package var profileFileName: String { profile.fileName }
  package var activeFaults: [FaultChoice] { faults.active }
  /// 0 before the start.
  package var port: UInt16 { terms?.port ?? 0 }

  // MARK: Starting and stopping

  /// Listens and starts the device.
  /// - Throws: `LoopError`, for example if the port is in use or the address is not one of this machine.
  /// - Parameter makeAdvertiser: returns an advertiser for one record, of HAP or of another protocol.
  /// - Returns: the port.
  @discardableResult
  package func start(
    _ terms: ServingTerms, makeAdvertiser: sending @escaping () -> (any Advertiser)?
  ) throws(LoopError) -> UInt16 {
    guard case .new = state else { preconditionFailure("an accessory is started once") }
    self.makeAdvertiser = makeAdvertiser
    var terms = terms
    if let sink = terms.sink {
      terms.sink = { [number] event in
        var event = event
        event.number = number
        sink(event)
      }
    }
    self.terms = terms
    faults.datagrams = DatagramScript(seed: terms.chance.datagramSeed)
    if let defect = prepared.defect {
      defectState = DefectState(defect, seed: terms.chance.defectSeed)
    }
    if let advertiser = makeAdvertiser() {
      self.advertiser = AlteredAdvertiser(
        advertiser, prepared.defect?.records ?? [], on: loop, at: terms.places
      ) { [state = defectState] in state?.restart?.cause }
    }
    observer = terms.observation?.observe(id: "\(prepared.identity.deviceID)", name: prepared.name)
    if let observer { (self.advertiser as? AlteredAdvertiser)?.onRecord = { [unowned observer] in observer.tells($0) } }
    try makeRun(terms.chance)
    return port
  }

  /// Sets which events the sink receives from now on, also after a restart.
  func setReporting(_ reporting: Reporting) {
    terms?.tellsAll = reporting.all
    terms?.tellsRequests = reporting.requests
    run?.setReporting(reporting)
  }

  /// Stops, and reports it.
  package func stopForGood() {
    guard !isStopped else { return }
    stop()
    if let terms, terms.tellsAll { terms.sink?(SimulatorEvent(accessory: name, .stopped)) }
  }

  /// Says goodbye on the network, sends pending answers, closes everything, and releases the stored state. Idempotent.
  package func stop() {
    guard !isStopped else { return }
    let run = run
    lastDatabase = database
    state = .stopped
    faults.stop()
    run?.stop()
    advertiser?.close()
    prepared.store.close()
  }

  /// The deviations that change what the accessory does at a restart, or when it gets another profile.
  private var restartChanges: [RestartChange] {
    [prepared.defect?.restart].compactMap { $0 } + faults.active.compactMap { $0.defect?.restart }
  }

  private func makeRun(_ chance: AccessoryChance, isKnown: Bool = false) throws(LoopError) {
    guard var terms else { preconditionFailure("it was never started") }
    starts += 1
    let run = try AccessoryRun(
      prepared, on: loop, terms, start: starts, advertiser: advertiser, makeAdvertiser: makeAdvertiser, chance: chance,
      defect: defectState, observer: observer)
    visibility.isKnown = isKnown
    do throws(LoopError) { try run.start(visibility) } catch {
      run.stop()
      throw error
    }
    if let ip = run.ip { terms.port = ip.port }
    self.terms = terms
    state = .running(run)
    prepared = prepared.running
    lastDatabase = nil
    offline = offline.filter { run.database.hasAccessory($0) }
    for aid in offline.sorted() { run.setReachable(false, aid: aid) }
    if faults.isEmpty { return }
    let over = starts > 1 ? faults.forgetMomentary() : []
    apply(to: run)
    for fault in over { run.tellOfFault(fault, isOn: false) }
  }

  /// Ends the run and restarts the accessory from its stored state, at the same port.
  /// - Parameters:
  ///   - quirks: the quirks from then on, regardless of the profile; `nil`: unchanged.
  ///   - done: called on the loop after the restart, or with the reason why it failed.
  package func restart(
    _ restart: Restart, with quirks: Quirks? = nil, done: @escaping @Sendable (CommandError?) -> Void
  ) {
    let old: AccessoryRun
    do throws(CommandError) { old = try changeable() } catch { return done(error) }
    old.stop(restart.ending)
    lastDatabase = old.database
    state = .restarting(held: HeldPort.hold(terms, of: loop))
    let changes = restartChanges
    let random = loop.random
    old.whenStored { [self, prepared, profile] in
      let chance = old.chance
      // The old run lives until here, because it may still have changes to store.
      loop.offload { () -> Result<(PreparedAccessory, StoreError?), any Error> in
        var failure: StoreError?
        do throws(StoreError) {
          let alteration = try RestartAlteration(changes, .init(restart), prepared.store, random)
          if restart == .factoryReset { try prepared.store.reset() }
          try alteration?.apply(to: prepared.store, of: profile)
        } catch { failure = error }
        return Result {
          (try PreparedAccessory(again: prepared, from: profile, with: quirks, random: random), failure)
        }
      } then: { result in
        self.assumeIsolated { $0.comeBack(result, by: restart, chance, done) }
      }
    }
  }

  private func comeBack(
    _ result: Result<(PreparedAccessory, StoreError?), any Error>, by restart: Restart, _ chance: AccessoryChance,
    _ done: (CommandError?) -> Void
  ) {
    guard case .restarting(let held) = state else { return done(CommandError(.notPossible, "\"\(name)\" has stopped")) }
    do {
      let (again, failure) = try result.get()
      // Under another name there is no record yet.
      let isKnown = restart == .powerCut && visibility.hasRadio && again.instanceName == prepared.instanceName
      prepared = again
      profile = again.profile
      if let state = defectState {
        state.restart = (.nanoseconds(Int64(clamping: loop.now)), .init(restart))
        state.script.restarted()
      }
      if failure == nil, restart == .factoryReset { offline = [] }
      state = .restarting(held: HeldPort.keep(held))
      try makeRun(chance, isKnown: isKnown)
      guard failure == nil else { return done(failure.map { CommandError(.failed, "nothing was reset: \($0)") }) }
      terms?.sink?(SimulatorEvent(accessory: name, .restarted(restart)))
      done(nil)
    } catch {
      // The stored state can't be read, or the port is in use: the accessory can't be served.
      terms?.sink?(SimulatorEvent(accessory: name, .trouble("the restart failed: \(error)")))
      stopForGood()
      done(CommandError(.failed, "\"\(name)\" has stopped because it could not restart: \(error)"))
    }
  }

  /// Serves another profile of the same accessory from now on. `c#` is raised if more than values differ. Ids stay
  /// with their objects, and controllers stay connected and subscribed.
  ///
  /// - Parameters:
  ///   - read: reads the profile; called off the loop.
  ///   - done: called on the loop with the new configuration number, or with the reason why nothing was changed.
  package func replace(
    _ read: @escaping @Sendable () throws -> AccessoryProfile,
    done: @escaping @Sendable (Result<UInt16, CommandError>) -> Void
  ) {
    do throws(CommandError) { _ = try changeable() } catch { return done(.failure(error)) }
    isReplacing = true
    let changes = restartChanges
    loop.offload { [prepared, profile, random = loop.random] in
      Result { () throws(CommandError) in
        do {
          let served = try prepared.store.idMap()
          try RestartAlteration(changes, .replace, prepared.store, random)?.apply(to: prepared.store, of: profile)
          return try Replacement(try read(), inPlaceOf: profile, servedAs: served, for: prepared)
        } catch { throw CommandError(preparing: error) }
      }
    } then: { result in
      self.assumeIsolated { accessory in
        accessory.isReplacing = false
        done(
          Result { () throws(CommandError) in
            let run = try accessory.running()
            let replacement = try result.get()
            run.replace(by: replacement)
            accessory.profile = replacement.profile
            accessory.offline = accessory.offline.filter { run.database.hasAccessory($0) }
            return replacement.configurationNumber
          })
      }
    }
  }

  // MARK: Commands

  /// Returns the run, for a command.
  func running() throws(CommandError) -> AccessoryRun {
    switch state {
    case .running(let run): return run
    case .restarting: throw CommandError(.notPossible, "\"\(name)\" is restarting")
    case .new, .stopped: throw CommandError(.notPossible, "\"\(name)\" has stopped")
    }
  }

  /// Returns the run, for a command that replaces it: one at a time.
  private func changeable() throws(CommandError) -> AccessoryRun {
    let run = try running()
    guard !isReplacing else { throw CommandError(.notPossible, "the profile of \"\(name)\" is being replaced") }
    return run
  }

  package func setReachable(_ isReachable: Bool, aid: UInt64?) throws(CommandError) {
    let run = try running()
    guard let aid, aid != 1 else {
      throw CommandError(
        .notPossible,
        "only a bridged accessory can be offline, and \"\(name)\" is not one; 'radio' takes it off the network")
    }
    guard isReachable == offline.contains(aid) else { return }
    run.setReachable(isReachable, aid: aid)
    if isReachable { offline.remove(aid) } else { offline.insert(aid) }
  }

  // MARK: The environment

  /// Applies the faults that are on from now on.
  func apply(to run: AccessoryRun) {
    run.ip?.apply(faults, base: defectState)
    for frontEnd in run.frontEnds { frontEnd.apply(faults) }
    let records = (prepared.defect?.records ?? []) + faults.active.flatMap { $0.defect?.records ?? [] }
    (advertiser as? AlteredAdvertiser)?.change(to: records)
  }

  package func setAnnounced(_ isTold: Bool) throws(CommandError) {
    try running().setAnnounced(isTold)
    visibility.isAnnounced = isTold
  }

  package func setRadio(_ isOn: Bool) throws(CommandError) {
    let run = try running()
    do throws(LoopError) { try run.setRadio(isOn) } catch {
      throw CommandError(.failed, "the radio stays off: \(error)")
    }
    visibility.hasRadio = isOn
  }

  /// Closes the connections of a controller, or all.
  /// - Returns: the number of closed connections.
  package func disconnect(_ controller: String?) throws(CommandError) -> Int {
    let run = try running()
    guard let controller else { return run.disconnect { _ in true } }
    _ = try pairing(of: controller, in: run)
    return run.disconnect { $0.controller == controller }
  }

  /// Removes the pairing of a controller, or all pairings. If no admin would be left, all pairings are removed.
  /// - Parameter done: called on the loop when the removal is stored, with the number of pairings or the failure.
  package func unpair(
    _ controller: String?, done: @escaping @Sendable (Result<Int, CommandError>) -> Void
  ) throws(CommandError) {
    let run = try running()
    let before = run.pairings.count
    let gone = try controller.map { (controller) throws(CommandError) in [try pairing(of: controller, in: run)] }
    run.unpair((gone ?? run.pairings).map(\.identifier)) { isStored in
      if isStored { return done(.success(before - run.pairings.count)) }
      let hasEnded = self.run !== run
      done(
        .failure(
          hasEnded
            ? CommandError(.notPossible, "\"\(self.name)\" was stopped before its pairings were removed")
            : CommandError(.failed, "the pairings could not be stored")))
    }
  }

  private func pairing(of controller: String, in run: AccessoryRun) throws(CommandError) -> Pairing {
    if let pairing = run.pairings.first(where: { $0.name == controller }) { return pairing }
    let known = run.pairings.map(\.name)
    let meant = nearestName(to: controller, in: known).map { ": did you mean \"\($0)\"?" }
    let list = known.isEmpty ? "; none is" : "; paired: \(known.map { "\"\($0)\"" }.joined(separator: ", "))"
    throw CommandError(.noSuchController, "no controller \"\(controller)\" is paired with \"\(name)\"\(meant ?? list)")
  }

  /// Returns the aids of the accessories that match by name and aid.
  package func aids(where isMeant: (_ name: String, _ aid: UInt64) -> Bool) -> [UInt64] {
    let database = database
    return database.accessoryEntries.map(\.aid).filter { isMeant(database.accessoryName($0), $0) }
  }
}
