import HAPAlmanac
import HAPHome
import HAPHub
import HAPHubLink
import HAPLoop
import HAPSimulator
import HAPStore
import HAPWorld

/// The machine of the hub in a simulated world, with its disk. The apps of the test are other processes on it.
// Safe: only tasks of the world use it, which run on one thread.
final class HubMachine: @unchecked Sendable {
  private static let folder = "/hub"
  private static let socket = folder + "/" + HubSocketServer.fileName

  private let world: SimulatedWorld
  private let host: SimulatedHost
  private let disk: SimulatedDisk
  private let zones: SystemZones
  private var process: SimulatedProcess?
  private var served: (hub: ServedHub, loop: EventLoop)?
  private var apps = 0
  /// The difference between the civil clock and that of the world's begin.
  private let clockOffset = Guarded(Duration.zero)

  init(in world: World, _ simulated: SimulatedWorld, zones: SystemZones) {
    (self.world, self.zones) = (simulated, zones)
    host = simulated.network.addHost("home hub")
    _ = host.addInterface("eth0", addresses: [.init(world.newAddress(), prefixLength: 16)], link: world.link)
    disk = SimulatedDisk(.init(seed: simulated.seed))
  }

  /// The civil time of the machine. Any thread may read it.
  var now: Instant {
    Instant(nanoseconds: 0).advanced(by: SimulatedHost.worldBegin + world.now + clockOffset.withLock { $0 })
  }

  /// Sets the civil clock.
  func setClock(to time: Instant) {
    let difference = now.duration(to: time)
    clockOffset.withLock { $0 += difference }
    host.clockOffset += difference
  }

  /// Starts the hub with the contents of its disk. Does nothing while it runs.
  func start() async throws {
    guard process?.isAlive != true else { return }
    if disk.isDown { disk.start() }
    host.start()
    guard let process = host.startProcess("hub") else { preconditionFailure("a host that was started is on") }
    self.process = process
    let loop = world.makeLoop("hub", of: process)
    let options = ServedHub.Options(folder: Self.folder, files: disk, zones: zones, version: "simulated")
    served = (try await ServedHub.start(options, on: loop), loop)
  }

  /// Kills the process of the hub.
  func kill() {
    served = nil
    process?.kill()
    disk.kill()
  }

  /// The hub; nil: it does not run.
  var hub: HomeHub? { served?.hub.hub }

  /// Breaks cycles of references after the end of the world.
  func forget() { (served, process) = (nil, nil) }

  /// Starts the process of an app.
  func startApp() -> EventLoop? {
    apps += 1
    return host.startProcess("app \(apps)").map { world.makeLoop("app \(apps)", of: $0) }
  }

  /// Connects an app with the hub.
  func connect(on loop: EventLoop) async throws(HomeError) -> any HomeLink {
    try await HubSocketLink.connect(to: Self.socket, on: loop)
  }
}
