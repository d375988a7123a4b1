import HAPPreparation
import HAPCommands
import HAPDeviations
import HAPDiscovery
import HAPHost
import HAPLoop
import HAPModel
import HAPProfile
import HAPStore
import HAPTransport
import HAPWorld

/// A host of the swarm with a disk, on which hapsim serves one accessory. Confined to the world's thread.
package final class AccessoryMachine: @unchecked Sendable {  // see above
  static let port: UInt16 = 51826
  private static let folder = "/state"

  package let number: Int
  package let swarm: SwarmRun
  let host: SimulatedHost
  package let interface: SimulatedInterface
  let disk: SimulatedDisk
  let code: String
  package private(set) var profile: SwarmProfile
  package private(set) var process: SimulatedProcess?
  package private(set) var loop: EventLoop?
  package private(set) var accessory: SimulatedAccessory?
  private var simulation: Simulation?
  /// The number of starts of its process.
  package private(set) var starts = 0
  /// The numbers of sockets and handles after the start.
  private(set) var baseline = (sockets: 0, handles: 0)
  /// The number of its connections whose other side may have ended silently.
  private(set) var lostPeers = 0
  /// The time of the last start of its process.
  private(set) var startTime: UInt64 = 0
  /// Whether it reported a storage error since its process started.
  private(set) var hasStorageTrouble = false
  package let ledger: AccessoryLedger
  /// Whether its pairings are being changed. Only one change is allowed at a time.
  package var isBeingPaired = false
  /// The files of the state at an earlier time, by their paths; for mutations.
  private var backup: [String: [UInt8]] = [:]
  fileprivate var advertiserCount = 0

  init(_ number: Int, in swarm: SwarmRun, _ profile: SwarmProfile) {
    self.number = number
    self.swarm = swarm
    self.profile = profile
    code = ["031-45-154", "518-08-582", "613-80-755", "101-48-005"][number % 4]
    host = swarm.world.network.addHost("accessory-\(number)")
    interface = host.addInterface(
      "eth0", addresses: [.init(Self.address(number, 0), prefixLength: 16)], link: swarm.link)
    let box = Box()
    var options = SimulatedDisk.Options(seed: swarm.seed &+ UInt64(number))
    options.onCrash = { box.machine?.diskCrashed(losingPower: $0) }
    disk = SimulatedDisk(options)
    ledger = AccessoryLedger(number)
    box.machine = self
    if swarm.mutation?.ignoresSync == true { disk.ignoresSync = true }
  }

  /// A weak reference from the disk to its machine.
  private final class Box: @unchecked Sendable { weak var machine: AccessoryMachine? }

  static func address(_ number: Int, _ generation: Int) -> IPAddress {
    IPAddress(bytes: [10, 0, UInt8(1 + generation % 200), UInt8(1 + number)])!
  }

  var address: SocketAddress { SocketAddress(host: interface.addresses[0].address, port: Self.port) }
  /// Whether the accessory is served.
  package var isUp: Bool { process?.isAlive == true && accessory != nil }
  package var isResponsive: Bool { isUp && process?.isFrozen == false }

  // MARK: Lifecycle

  /// Starts hapsim with the disk's contents.
  func start() {
    guard !isUp else { return }
    if disk.isDown { disk.start() }
    host.start()
    guard let process = host.startProcess("hapsim") else { return }
    starts += 1
    startTime = swarm.now
    hasStorageTrouble = false
    lostPeers = 0
    self.process = process
    let loop = swarm.world.makeLoop("accessory-\(number)", of: process)
    self.loop = loop
    process.whenDead { [weak self] in self?.processDied(simulation: self?.simulation, on: loop) }
    do {
      try loop.performAndWait { [self] in try serve(on: loop) }
      baseline = (process.descriptorCount, loop.openHandleCount)
      swarm.second?.started(self)
    } catch {
      accessory = nil
      let isExplained =
        disk.isDown || !swarm.faults(of: self).isDisjoint(with: [.diskFull, .failingSync, .crashInWrite])
      if !isExplained { swarm.report(.identityIsKept, "accessory \(number) does not start: \(error)") }
      process.kill()
      disk.kill()
    }
  }

  /// Starts hapsim, repeatedly while the disk is full.
  func startAgain() async {
    start()
    for _ in 0..<60 where !isUp {
      await swarm.sleep(.seconds(1))
      start()
    }
  }

  private func serve(on loop: EventLoop) throws {
    let folder = try StateFolder.open(path: Self.folder, files: disk) { [swarm, number] text in
      swarm.note("accessory \(number): \(text)")
    }
    var choices = PreparedAccessory.Choices(setupCode: try SetupCode(code))
    choices.defect = swarm.mutation?.defect
    let prepared = try PreparedAccessory(profile.parsed, in: folder, choices: choices, random: loop.random)
    ledger.started(prepared, self)
    var setting = Simulation.Setting(
      folder: folder, places: [ListeningPlace(.anyV4)], seed: swarm.seed,
      makeAdvertiser: { [unowned self] in RecordingAdvertiser(self) })
    swarm.second?.configure(&setting, of: self)
    setting.sink = { [weak self] event in
      if case .trouble(let text) = event.kind { self?.trouble(text) }
    }
    let simulation = Simulation(setting, in: SimulationClock(.running(scale: 1), on: loop), on: loop)
    self.simulation = simulation
    accessory = try simulation.serve(prepared, port: Self.port)
  }

  private func trouble(_ text: String) {
    hasStorageTrouble = true
    swarm.note("accessory \(number): \(text)")
  }

  /// Releases the dead process's objects, without any effect outside the process.
  private func processDied(simulation: Simulation?, on loop: EventLoop) {
    loop.schedule { simulation?.stop() }
    self.simulation = nil
    accessory = nil
    self.loop = nil
  }

  /// Kills the process.
  func kill() {
    guard let process, process.isAlive else { return }
    process.kill()
    disk.kill()
    died(losesValues: false)
  }

  func losePower() {
    host.powerOff()
    disk.losePower()
    died(losesValues: true)
  }

  /// Handles a crash that the disk simulated in the middle of an operation.
  private func diskCrashed(losingPower: Bool) {
    if losingPower { host.powerOff() } else { process?.kill() }
    died(losesValues: losingPower)
  }

  private func died(losesValues: Bool) {
    swarm.note("accessory \(number) died\(losesValues ? " in a power loss" : "")")
    ended(losesValues: losesValues)
    if swarm.mutation == .valuesLost, !losesValues { loseFile("values.db") }
    if swarm.mutation == .stateLost { loseFile("state.db") }
    if swarm.mutation?.restoresState == true, !backup.isEmpty { loseFile("state.db", restoring: backup) }
  }

  /// Handles the end of a run of the accessory.
  private func ended(losesValues: Bool) {
    ledger.crashed(at: swarm.now, losesValues: losesValues || hasStorageTrouble)
    swarm.second?.ended(self, losesValues: losesValues || hasStorageTrouble)
  }

  /// Keeps the present state, once, for mutations that restore it.
  package func keepBackup() {
    guard backup.isEmpty, !disk.isDown else { return }
    for path in disk.paths(in: Self.folder) where path.contains("state.db") { backup[path] = disk.contents(of: path) }
  }

  /// Deletes the file after a crash, for mutations.
  /// - Parameter others: files that exist afterwards.
  private func loseFile(_ name: String, restoring others: [String: [UInt8]] = [:]) {
    swarm.world.agenda.schedule(after: 1) { [self] in
      disk.start()
      for path in disk.paths(in: Self.folder) where path.contains(name) { try? disk.remove(path) }
      for (path, bytes) in others.sorted(by: { $0.key < $1.key }) { disk.place(bytes, at: path) }
    }
  }

  /// Changes the host's address. Connections to the old address get no more packets.
  func move() {
    let address = Self.address(number, starts)
    interface.setAddresses([.init(address, prefixLength: 16)])
  }

  /// Handles the power loss of a controller. The accessory can't detect this, and keeps the silent connections.
  func controllerLostPower() {
    if isUp, let process { lostPeers = max(lostPeers, process.descriptorCount - baseline.sockets) }
  }

  package func freeze() { process?.freeze() }
  package func thaw() { process?.thaw() }

  // MARK: Actions of a person

  /// Executes a hapsim command.
  /// - Returns: whether it succeeded; `nil` if the accessory does not run.
  package func command(_ line: String) -> Bool? {
    guard isResponsive, let loop, let simulation else { return nil }
    let answer = Answer()
    if swarm.mutation == .leak {
      _ = try? loop.performAndWait { _ = try UDPSocket(loop, host: .anyV4, port: 0) { _ in } }
    }
    _ = try? loop.performAndWait {
      let dispatcher = CommandDispatcher(simulation, readProfile: { _ in throw LoopError(.other(0), "none") }) {}
      dispatcher.answer(Array(line.utf8)) { answer.text = $0 }
    }
    return answer.text.map { $0.contains("\"ok\":true") }
  }

  private final class Answer: @unchecked Sendable { var text: String? }

  /// Serves a profile with one more service.
  /// - Returns: the new configuration number; `nil` if the profile was not replaced, or if this is unknown.
  func reconfigure() async -> UInt16? {
    guard isResponsive, let accessory, let loop else { return nil }
    let next = profile.grown()
    ledger.willServe(next.revision)
    // The next start reads the changed file.
    profile = next
    return await swarm.result(on: loop) { done in
      accessory.assumeIsolated { accessory in
        accessory.replace({ next.parsed }) { result in done(try? result.get()) }
      }
    } ?? nil
  }

  /// Performs a factory reset.
  /// - Returns: whether the accessory was reset; `nil` if unknown.
  func factoryReset() async -> Bool? {
    guard isResponsive, let accessory, let loop else { return nil }
    ledger.willReset()
    swarm.second?.willReset(self)
    let isDone = await swarm.result(on: loop) { done in
      accessory.assumeIsolated { accessory in accessory.restart(.factoryReset) { done($0 == nil) } }
    }
    if isDone == false {
      ledger.resetFailed(at: swarm.now)
      swarm.second?.resetFailed(self)
    }
    await startIfStopped(accessory, on: loop)
    return isDone
  }

  /// If an accessory can't read its state when it restarts, it stops, and hapsim exits after its last accessory.
  private func startIfStopped(_ accessory: SimulatedAccessory, on loop: EventLoop) async {
    guard isUp, (try? loop.performAndWait { accessory.assumeIsolated { $0.isStopped } }) == true else { return }
    kill()
    await swarm.sleep(.seconds(1))
    await startAgain()
  }

  /// Restarts the accessory in its process, without a change of its state.
  package func reboot(_ restart: Restart) async {
    guard isResponsive, let accessory, let loop, !isBeingPaired else { return }
    isBeingPaired = true
    let isDone = await swarm.result(on: loop) { [self] done in
      let answer = Answer()
      accessory.assumeIsolated { accessory in
        accessory.restart(restart) { error in
          answer.text = "\(error.map { "\($0)" } ?? "done")"
          done(error == nil)
        }
      }
      // The former run has ended, unless the restart is not possible.
      if answer.text == nil { ended(losesValues: false) }
    }
    // The disk can end the process during the restart.
    if isDone == true, isUp { swarm.second?.started(self) }
    await startIfStopped(accessory, on: loop)
    isBeingPaired = false
  }

  // MARK: The end

  /// Reads the disk as the next process would.
  func inspect() {
    kill()
    disk.clearFaults()
    disk.capacity = 1 << 30
    disk.start()
    do {
      let folder = try StateFolder.open(path: Self.folder, files: disk)
      let store = try folder.accessory(key: profile.parsed.key)
      ledger.compare(with: try StoredState(store), self)
      swarm.second?.compare(with: try store.frontEndData(), self)
      store.close()
    } catch { swarm.report(.identityIsKept, "the state of accessory \(number) can't be read: \(error)") }
  }
}

/// Passes the records to the swarm instead of the network.
private final class RecordingAdvertiser: Advertiser {
  private unowned let machine: AccessoryMachine
  /// The start of the machine to which it belongs. A process that has died withdraws nothing.
  private let start: Int
  private let number: Int
  private var isOfHAP = true

  init(_ machine: AccessoryMachine) {
    machine.advertiserCount += 1
    (self.machine, start, number) = (machine, machine.starts, machine.advertiserCount)
  }

  private var isAlive: Bool { machine.starts == start && machine.process?.isAlive == true }

  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    isOfHAP = record.type == "_hap._tcp"
    if isOfHAP { return machine.ledger.advertised(record.txt, machine) }
    if isAlive { machine.swarm.second?.published(record, by: number, of: machine) }
  }

  func update(txt: TextRecord) { if isOfHAP { machine.ledger.advertised(txt, machine) } }
  func withdraw() { close() }

  func close() {
    if !isOfHAP, isAlive { machine.swarm.second?.withdrawn(number, of: machine) }
  }
}
