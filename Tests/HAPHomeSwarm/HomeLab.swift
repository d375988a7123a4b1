import HAPCrypto
import HAPLoop
import HAPWorld

/// A simulated world with one hub, its apps and its accessories. Confined to the world's thread.
package final class HomeLab: @unchecked Sendable {  // see above
  package let world: SimulatedWorld
  package let link: SimulatedLink
  /// The loop of a process without faults.
  package let loop: EventLoop
  package private(set) var hub: LabHub!
  /// The hub of a user with whom the home is shared.
  package private(set) var visitor: LabHub!
  package private(set) var devices: [LabDevice] = []
  package private(set) var apps: [LabApp] = []
  private let log: ((String) -> Void)?

  /// - Parameter log: receives a line for each event.
  package init(_ world: SimulatedWorld, log: ((String) -> Void)? = nil) {
    PowerTable.use()
    self.world = world
    self.log = log
    link = world.network.addLink("lan")
    guard let process = world.network.addHost("person").startProcess("person") else {
      preconditionFailure("a new host is on")
    }
    loop = world.makeLoop("person", of: process)
    hub = LabHub("hub", 1, in: self)
    visitor = LabHub("visitor", 2, in: self)
  }

  package func addDevice(_ name: String, _ profile: String) -> LabDevice {
    let device = LabDevice(devices.count, name, profile, in: self)
    devices.append(device)
    return device
  }

  package func addApp(_ name: String) -> LabApp {
    let app = LabApp(name, in: self)
    apps.append(app)
    return app
  }

  /// Adds an app for a moment, which is not one of `apps`.
  func addLateApp() -> LabApp { LabApp("late app", in: self) }

  /// Ends all programs, and breaks the cycles of references.
  package func end() {
    for app in apps { app.kill() }
    hub.kill()
    visitor.kill()
    for device in devices { device.kill() }
    apps = []
    devices = []
  }

  // MARK: Time

  /// The time since the start of the world.
  package var now: Duration { world.now }

  package func sleep(_ duration: Duration) async { try? await loop.sleep(for: duration) }

  /// Waits until something is true.
  /// - Returns: whether it was within the limit.
  package func wait(atMost limit: Duration, _ isTrue: () -> Bool) async -> Bool {
    let end = now + limit
    while !isTrue() {
      if now >= end { return false }
      await sleep(.milliseconds(100))
    }
    return true
  }

  /// Runs a part whose process can die.
  /// - Returns: nil without a result within the limit.
  func limited<T: Sendable>(
    _ limit: Duration, _ gate: HomeGate<T> = HomeGate(), _ body: @escaping @Sendable () async -> T
  ) async -> T? {
    let alarm = world.agenda.schedule(after: UInt64(limit / .nanoseconds(1))) { gate.open(nil) }
    Task(executorPreference: world) { gate.open(await body()) }
    let value = await gate.value()
    world.agenda.cancel(alarm)
    return value
  }

  func note(_ text: @autoclosure () -> String) { log?("\(now) \(text())") }
}
