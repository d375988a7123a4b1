import HAPHost
import HAPLoop
import HAPStore
import HAPWorld

/// A host of a simulated world with its disk. The accessories run in one program, and the app in another. Belongs to
/// the world's thread.
package final class WorldMachine {
  private static let folder = "/state"

  package let name: String
  private let world: SimulatedWorld
  private let host: SimulatedHost
  package let interface: SimulatedInterface
  private let disk: SimulatedDisk
  /// `nil`: not started since the last crash.
  private var core: SimulatorCore?
  private var appLoop: EventLoop?
  /// Called when the accessories' program has died.
  package var onAccessoriesDied: () -> Void = {}

  /// - Parameter seed: the seed of the disk.
  package init(_ name: String, in world: SimulatedWorld, link: SimulatedLink, address: IPAddress, seed: UInt64) {
    self.name = name
    self.world = world
    host = world.network.addHost(name)
    interface = host.addInterface("eth0", addresses: [.init(address, prefixLength: 16)], link: link)
    disk = SimulatedDisk(.init(seed: seed))
  }

  package var address: String { "\(interface.addresses[0].address)" }
  package var isOn: Bool { host.isOn }

  /// Returns the accessories' program. Starts it if it is not running.
  /// - Parameter tellsRequests: whether each request is an event.
  package func accessories(seed: UInt64, tellsRequests: Bool = false) throws(SimulationFailure) -> SimulatorCore {
    if let core { return core }
    let loop = try makeLoop("hapsim")
    do {
      let address = address
      let core = try loop.performAndWait { [disk] in
        let folder = try StateFolder.open(path: Self.folder, files: disk)
        return try SimulatorCore(
          on: loop, in: .running(scale: 1), keeping: folder,
          at: SimulatorNetwork(address: nil, interfaces: [], isAnnounced: true), seed: seed,
          tellsRequests: tellsRequests, backEnd: .embedded, shownAddress: address)
      }
      self.core = core
      return core
    } catch { throw SimulationFailure(error) }
  }

  /// Returns the app's loop. Starts it if it is not running.
  package func runningAppLoop() throws(SimulationFailure) -> EventLoop {
    if let appLoop { return appLoop }
    let loop = try makeLoop("app")
    appLoop = loop
    return loop
  }

  private func makeLoop(_ program: String) throws(SimulationFailure) -> EventLoop {
    if disk.isDown { disk.start() }
    guard let process = host.startProcess(program) else {
      throw SimulationFailure(.notPossible, "the host \"\(name)\" has no power: call restorePower()")
    }
    let loop = world.makeLoop("\(program) of \(name)", of: process)
    process.whenDead { [weak self] in self?.processDied(on: loop) }
    return loop
  }

  private func processDied(on loop: EventLoop) {
    if appLoop === loop { appLoop = nil }
    guard let core, core.loop === loop else { return }
    self.core = nil
    onAccessoriesDied()
    // Frees its resources. It has no effect outside of the process.
    loop.schedule { core.end() }
  }

  package func kill() {
    for process in host.processes { process.kill() }
    disk.kill()
  }

  package func losePower() {
    host.powerOff()
    disk.losePower()
  }

  package func restorePower() { host.start() }
  package func freeze() { for process in host.processes { process.freeze() } }
  package func thaw() { for process in host.processes { process.thaw() } }

  package func setAddress(_ address: IPAddress) { interface.setAddresses([.init(address, prefixLength: 16)]) }
}
