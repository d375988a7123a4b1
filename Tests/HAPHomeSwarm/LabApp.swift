import HAPHome
import HAPHubLink
import HAPLoop
import HAPWorld

/// A process on the machine of the hub that is attached through the hub's socket. Confined to the world's thread.
package final class LabApp: @unchecked Sendable {  // see above
  package let name: String
  package private(set) var process: SimulatedProcess?
  private var loop: EventLoop?
  package private(set) var link: HubSocketLink?
  /// The events since the last start that `keepsEvents` accepts.
  package private(set) var events: [HubEvent] = []
  package var keepsEvents: (HubEvent) -> Bool = { _ in true }
  /// Whether it lost events and has to attach again.
  private(set) var hasMissed = false
  /// The requests that end with the process.
  private var open: [Int: () -> Void] = [:]
  private var lastRequest = 0
  private unowned let lab: HomeLab

  init(_ name: String, in lab: HomeLab) { (self.name, self.lab) = (name, lab) }

  package var isUp: Bool { process?.isAlive == true }
  package var isAttached: Bool { isUp && link?.replica.snapshot != nil }
  package var snapshot: HubSnapshot? { link?.replica.snapshot }
  package var model: HomeModel { snapshot?.model ?? HomeModel() }
  /// The first home; while the app is not attached, as it was before.
  package var home: Home {
    if let home = model.homes.first { lastHome = home }
    guard let lastHome else { preconditionFailure("the app has seen no home") }
    return lastHome
  }
  private var lastHome: Home?

  /// Starts the process if necessary, and attaches it.
  /// - Returns: whether it is attached.
  @discardableResult
  package func attach() async -> Bool {
    if !isUp { start() }
    guard let loop else { return false }
    // A link that lost events is used again. It may have ended without having noticed.
    if link != nil, hasMissed || snapshot != nil, await attachLink() { return true }
    await connect(loop)
    return await attachLink()
  }

  private func attachLink() async -> Bool {
    guard link != nil else { return false }
    hasMissed = false
    if case .success(.attached) = await ask(.attach(app: name)) {
      lastHome = model.homes.first ?? lastHome
      return true
    }
    link = nil
    return false
  }

  private func start() {
    guard let process = lab.hub.host.startProcess(name) else { return }
    self.process = process
    events = []
    loop = lab.world.makeLoop(name, of: process)
    process.whenDead { [weak self] in self?.died() }
  }

  private func connect(_ loop: EventLoop) async {
    link = nil
    let connected = await asking { () -> Result<HubSocketLink, HomeError> in
      do throws(HomeError) {
        return .success(try await HubSocketLink.connect(to: LabHub.socket, on: loop))
      } catch { return .failure(error) }
    }
    guard case .success(let link) = connected else { return }
    self.link = link
    let events = link.events
    Task(executorPreference: lab.world) { [weak self] in
      for await event in events {
        guard let self else { return }
        self.take(event, of: link)
      }
    }
  }

  private func take(_ event: HubEvent, of link: HubSocketLink) {
    guard link === self.link else { return }
    if case .missed = event { hasMissed = true }
    if keepsEvents(event) { events.append(event) }
  }

  package func forgetEvents() { events = [] }

  /// Sends a request.
  /// - Returns: nil if there is no answer within two minutes, or the app was killed.
  package func ask(_ request: HubRequest) async -> Result<HubAnswer, HomeError>? {
    guard let link else { return .failure(HomeError(.noHomeHub, nil, "not attached")) }
    return await asking {
      do throws(HomeError) { return .success(try await link.ask(request)) } catch { return .failure(error) }
    }
  }

  private func asking<T: Sendable>(_ body: @escaping @Sendable () async -> T) async -> T? {
    let gate = HomeGate<T>()
    lastRequest += 1
    let number = lastRequest
    open[number] = { gate.open(nil) }
    defer { open[number] = nil }
    return await lab.limited(.seconds(120), gate, body)
  }

  /// Kills the process.
  package func kill() { process?.kill() }

  private func died() {
    link = nil
    loop = nil
    let all = open
    open = [:]
    for (_, end) in all.sorted(by: { $0.key < $1.key }) { end() }
  }
}
