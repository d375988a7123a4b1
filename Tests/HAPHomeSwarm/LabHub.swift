import HAPAccessoryPort
import HAPAlmanac
import HAPHome
import HAPHub
import HAPHubLink
import HAPLoop
import HAPStore
import HAPWorld

/// The machine of a hub, with its disk. Confined to the world's thread.
package final class LabHub: @unchecked Sendable {  // see above
  package static let folder = "/hub"
  package static let socket = folder + "/" + HubSocketServer.fileName

  package let host: SimulatedHost
  package let interface: SimulatedInterface
  package let disk: SimulatedDisk
  /// What is changed between the hub and its accessories, and between the hub and its apps.
  package let hooks = LabHooks()
  package private(set) var process: SimulatedProcess?
  package private(set) var loop: EventLoop?
  package private(set) var hub: HomeHub?
  private var server: LoopBound<HubSocketServer?>?
  /// The number of starts of its process.
  package private(set) var starts = 0
  private unowned let lab: HomeLab

  /// - Parameter number: the last part of its address.
  init(_ name: String, _ number: UInt8, in lab: HomeLab) {
    self.lab = lab
    host = lab.world.network.addHost(name)
    interface = host.addInterface(
      "eth0", addresses: [.init(IPAddress(bytes: [10, 1, 0, number])!, prefixLength: 8)], link: lab.link)
    let box = Box()
    var options = SimulatedDisk.Options(seed: lab.world.seed)
    options.onCrash = { box.hub?.crashed(losingPower: $0) }
    disk = SimulatedDisk(options)
    box.hub = self
  }

  /// A weak reference from the disk.
  private final class Box: @unchecked Sendable { weak var hub: LabHub? }

  package var isUp: Bool { process?.isAlive == true && hub != nil && server != nil }

  /// The civil time of its machine.
  package var wall: Instant { Instant(nanoseconds: 0).advanced(by: host.wallClock) }

  /// Sets its civil clock.
  package func setClock(by step: Duration) { host.clockOffset += step }

  /// Starts the hub with the contents of its disk.
  /// - Returns: the reason if it does not start.
  @discardableResult
  package func start() async -> String? {
    guard process?.isAlive != true else { return nil }
    if disk.isDown { disk.start() }
    host.start()
    guard let process = host.startProcess("hub") else { return "the host is off" }
    self.process = process
    starts += 1
    let loop = lab.world.makeLoop("hub", of: process)
    self.loop = loop
    let port = HookedPort(HAPPort(on: loop, interfaces: ["eth0"]), hooks)
    let hub = HomeHub(
      on: loop, folder: Self.folder, files: disk, port: port, zoneRules: { $0 == .utc ? .utc : nil }, version: "lab")
    let gate = HomeGate<Result<Void, StoreError>>()
    process.whenDead { [weak self] in
      gate.open(nil)
      self?.died()
    }
    let result = await lab.limited(.seconds(60), gate) {
      do throws(StoreError) {
        try await hub.start()
        return .success(())
      } catch { return .failure(error) }
    }
    guard case .success = result, process.isAlive else {
      process.kill()
      disk.kill()
      if case .failure(let error) = result { return "\(error)" }
      return "the process died, or did not start within a minute"
    }
    self.hub = hub
    return serve(hub, loop, process)
  }

  private func serve(_ hub: HomeHub, _ loop: EventLoop, _ process: SimulatedProcess) -> String? {
    let server = LoopBound<HubSocketServer?>(loop, nil)
    do {
      try loop.performAndWait { [hooks] in
        server.value = try HubSocketServer(
          HookedHub(hub, hooks), at: Self.socket, owner: loop.localSocketFiles.userID, on: loop)
      }
    } catch {
      process.kill()
      disk.kill()
      return "\(error)"
    }
    self.server = server
    return nil
  }

  /// Stops the hub as SIGTERM does.
  package func stop() async {
    guard let hub else { return }
    _ = await lab.limited(.seconds(60)) { await hub.stop() }
    kill()
  }

  /// Kills the process.
  package func kill() {
    process?.kill()
    disk.kill()
  }

  package func losePower() {
    host.powerOff()
    disk.losePower()
  }

  private func crashed(losingPower: Bool) { if losingPower { host.powerOff() } else { process?.kill() } }

  private func died() {
    lab.note("the hub died")
    hub = nil
    server = nil
    loop = nil
  }
}
