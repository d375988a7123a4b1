import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPModel
import HAPPairing
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

/// A whole run: starts the accessory if needed, finds it, plans and runs the cases, and ends everything that it started.
package struct ConformanceSession: Sendable {
  /// Selects the accessory.
  package enum Target: Equatable, Sendable {
    case address(SocketAddress)
    /// By the accessory's name on the network, or by its device ID.
    case name(String)
    /// By the first accessory in the child's ready line.
    case child
  }

  package var target: Target
  /// A shell command that starts the accessory; nil if it already runs.
  package var command: String?
  package var readyLimit: Duration = .seconds(20)
  package var code: String?
  /// An existing admin pairing that the tester uses and keeps.
  package var pairing: (credentials: ControllerCredentials, accessory: PairedAccessory)?
  /// Names of interfaces for multicast DNS; empty: all of the local network.
  package var interfaces: [String] = []
  /// A TXT record that replaces multicast DNS.
  package var txt: [(key: String, value: String)]?
  package var suites: [Suite]
  package var isSelected: @Sendable (CaseDefinition) -> Bool
  package var options = TestOptions()
  package var claims: Claims?
  package var hooks: HookFile?
  package var ask: @Sendable (String) async -> Bool = { _ in false }
  package var baseline: Baseline?
  /// Today's date, "2026-11-21".
  package var today: String?
  package var header: RunHeader
  /// Called with each secret of the run before any event that may contain it, for redaction.
  package var onSecret: @Sendable (String) -> Void = { _ in }

  package init(
    target: Target, suites: [Suite], header: RunHeader, isSelected: @escaping @Sendable (CaseDefinition) -> Bool
  ) {
    self.target = target
    self.suites = suites
    self.header = header
    self.isSelected = isSelected
  }

  /// Why there was no run.
  package struct Failure: Error, Equatable, Sendable {
    package var message: String
    /// The last lines of the accessory's process.
    package var details: [String] = []
  }

  /// Runs the session on a running loop. Cancelling the task ends the run with cleanup.
  package func run(on loop: EventLoop, tell: @escaping @Sendable (RunEvent) -> Void) async throws -> Runner.Result {
    let process = Guarded<AccessoryProcess?>(nil)
    if let command {
      do throws(AccessoryProcess.Failure) { try await start(command, in: process, on: loop) } catch {
        throw Failure(message: "the accessory doesn't start: \(error.message)", details: error.lastLines)
      }
    }
    let outcome: Swift.Result<Runner.Result, any Error>
    do { outcome = .success(try await run(process, on: loop, tell)) } catch { outcome = .failure(error) }
    // Cancelled or not, end the process.
    if let process = process.withLock({ $0 }) { _ = await loop.startTask { await process.stop() }.value }
    return try outcome.get()
  }

  /// Starts the command and waits until the accessory is up.
  private func start(
    _ command: String, in process: Guarded<AccessoryProcess?>, on loop: EventLoop
  ) async throws(AccessoryProcess.Failure) {
    let started = AccessoryProcess(command, on: loop)
    process.withLock { $0 = started }
    if case .address(let address) = target {
      try await started.start(until: .address(address, within: readyLimit))
    } else {
      try await started.start(until: .readyLine(within: readyLimit))
    }
  }

  /// Returns the runner's access to the process: how it ended, and how to restart it.
  private func restartable(
    _ process: Guarded<AccessoryProcess?>, _ device: TestedAccessory, _ world: CaseWorld
  ) -> RestartableProcess? {
    guard let command else { return nil }
    let loop = device.loop
    return RestartableProcess(
      ending: { await process.withLock { $0 }?.exit.map { "\($0)" } },
      startAgain: { [weak world] in
        guard let world else { return "the run has ended" }
        if let observer = world.observer, let id = device.id { device.restart = (await observer.mark, [.id(id)]) }
        do throws(AccessoryProcess.Failure) { try await start(command, in: process, on: loop) } catch {
          return error.message
        }
        let ready = await process.withLock { $0 }?.accessories.first
        if let ready, let host = try? IPAddress(ready.address) {
          device.addresses = [SocketAddress(host: host, port: ready.port)]
        }
        world.hooks = hooks(for: process.withLock { $0 }, ready, on: loop)
        return nil
      })
  }

  private func run(
    _ process: Guarded<AccessoryProcess?>, on loop: EventLoop, _ tell: @escaping @Sendable (RunEvent) -> Void
  ) async throws -> Runner.Result {
    let start = loop.readClock()
    let observer = MDNSObserver(
      on: loop, interfaces: interfaces,
      readClock: { .nanoseconds(Int64(clamping: loop.readClock() &- start)) })
    let absence = txt == nil ? await observer.open() : "a TXT record was given instead"
    let outcome: Swift.Result<Runner.Result, any Error>
    do { outcome = .success(try await run(process, observer, absence, start, on: loop, tell)) } catch {
      outcome = .failure(error)
    }
    await observer.close()
    return try outcome.get()
  }

  private func run(
    _ process: Guarded<AccessoryProcess?>, _ observer: MDNSObserver, _ absence: String?, _ start: UInt64,
    on loop: EventLoop,
    _ tell: @escaping @Sendable (RunEvent) -> Void
  ) async throws -> Runner.Result {
    let ready = await process.withLock { $0 }?.accessories.first
    var code = code
    var addresses: [SocketAddress] = []
    var service: ServiceInstance?
    switch target {
    case .address(let address): addresses = [address]
    case .name(let name):
      if let absence { throw Failure(message: "can't search for \(name): no multicast: \(absence)") }
      let wanted = ServiceTarget(called: name)
      service = try await observer.find(wanted, within: .seconds(8), after: MDNSObserver.start)
      guard let found = service else { throw Failure(message: "no accessory named \(name) was found on the network") }
      addresses = found.socketAddresses
    case .child:
      guard let ready else { throw Failure(message: "the command printed no ready line with an accessory") }
      guard let host = try? IPAddress(ready.address) else {
        throw Failure(message: "the ready line has no valid address: \(ready.address)")
      }
      addresses = [SocketAddress(host: host, port: ready.port)]
    }
    if let ready, code == nil, target == .child { code = ready.setupCode }
    if let code { onSecret(code) }
    if service == nil, absence == nil, let first = addresses.first {
      // The record is useful, and its absence is a finding, but neither is worth a long wait.
      let wanted: ServiceTarget = ready.map { .id($0.deviceID) } ?? .address(first)
      service = try? await observer.find(wanted, within: .seconds(3), after: MDNSObserver.start)
    }
    let device = TestedAccessory(
      on: loop, addresses: addresses, code: code, random: .seeded(options.seed), start: start)
    if let pairing { device.borrow(pairing.credentials, with: pairing.accessory) }
    let world = CaseWorld()
    describe(device, service)
    world.claims = claims
    if let service {
      world.observer = observer
      // Keep a given address first: a record that points to another host must not redirect the cases.
      for address in service.socketAddresses where !device.addresses.contains(address) {
        device.addresses.append(address)
      }
    } else {
      world.noMulticast = absence ?? "no record of the accessory was received"
      // Without a named interface, the accessory may be behind a router, where multicast doesn't reach it.
      world.isSilent = absence == nil && !interfaces.isEmpty
    }
    world.hooks = hooks(for: process.withLock { $0 }, ready, on: loop)
    world.process = restartable(process, device, world)
    // A user who gives a command, a record or a pairing declares that the target is an accessory.
    let isDeclared = ready != nil || service != nil || command != nil || txt != nil || pairing != nil
    return try await run(device, world, isDeclared: isDeclared, payload: ready?.setupPayload, tell)
  }

  private func run(
    _ device: TestedAccessory, _ world: CaseWorld, isDeclared: Bool, payload: String?,
    _ tell: @escaping @Sendable (RunEvent) -> Void
  ) async throws -> Runner.Result {
    let runner = Runner(device, world: world, options: options, baseline: baseline, today: today, tell: tell)
    let look: (isForeign: Bool, isBorrowed: Bool)
    do throws(Runner.Unreachable) { look = try await runner.look(isDeclared: isDeclared) } catch {
      throw Failure(message: error.message)
    }
    var known = claims ?? Claims.drawn(txt: device.txtDictionary, database: nil)
    // The last four characters of a setup payload are the setup ID.
    if claims == nil, known["setup-id"] == .unknown, let payload, let id = SetupID(String(payload.suffix(4))) {
      known["setup-id"] = .text(id.text)
    }
    device.claims = known.variables
    let circumstances = Plan.Circumstances(
      hasCode: device.code != nil, isForeign: look.isForeign, isBorrowed: look.isBorrowed,
      noMulticast: world.observer == nil ? world.noMulticast : nil, isSilent: world.isSilent, hooks: world.hooks,
      claims: known)
    let plan = Plan(suites, options: options, circumstances: circumstances, isSelected: isSelected)
    var header = header
    header.target = targetText(device)
    header.facts = facts(device, look.isForeign)
    return await runner.run(plan, header: header)
  }

  // MARK: Facts

  private func describe(_ device: TestedAccessory, _ service: ServiceInstance?) {
    if let service {
      device.instanceName = String(decoding: service.label, as: UTF8.self)
      device.txt = service.textEntries
    } else if let txt {
      device.txt = txt
    }
  }

  private func hooks(for process: AccessoryProcess?, _ ready: ReadyAccessory?, on loop: EventLoop) -> any HookRunner {
    var runners: [any HookRunner] = []
    if let hooks { runners.append(HookCommands(hooks, on: loop, ask: ask)) }
    if let process, let ready, process.command.contains("--commands") {
      let served = ServedProfile(servedBy: process.command)
      runners.append(SimulatorHooks(process, accessory: ready.name, profile: served?.changed))
    }
    return runners.isEmpty ? NoHooks() : HookChain(runners)
  }

  private func targetText(_ device: TestedAccessory) -> String {
    device.instanceName.map { "\($0) at \(device.address)" } ?? "\(device.address)"
  }

  private func facts(_ device: TestedAccessory, _ isForeign: Bool) -> [(name: String, value: String)] {
    var facts: [(name: String, value: String)] = [("address", "\(device.address)")]
    if let name = device.instanceName { facts.append(("name", name)) }
    for (key, label) in [("id", "device ID"), ("md", "model"), ("ci", "category"), ("c#", "c#"), ("pv", "protocol")] {
      guard let value = device.txt?.first(where: { $0.key == key })?.value else { continue }
      let name = key == "ci" ? UInt8(value).flatMap { Catalogue.category(number: $0)?.name } : nil
      facts.append((label, name.map { "\(value) (\($0))" } ?? value))
    }
    facts.append(
      (
        "found",
        isForeign ? "paired with another controller" : device.isBorrowed ? "paired with the tester" : "unpaired"
      ))
    return facts
  }
}
