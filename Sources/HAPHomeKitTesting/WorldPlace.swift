import Foundation
import HAPAlmanac
import HAPHome
import HAPHomeKit
import HAPHub
import HAPHubLink
import HAPLoop
import HAPWorld

/// The surroundings of one app of a simulated world: a process of its own on the machine of the hub.
final class WorldPlace: AppPlace {
  private let thread: WorldThread
  private let machine: HubMachine
  private let loop = Guarded<EventLoop?>(nil)
  let zone: ZoneName

  init(_ thread: WorldThread, _ machine: HubMachine, _ zone: ZoneName) {
    (self.thread, self.machine, self.zone) = (thread, machine, zone)
  }

  func start(_ body: @escaping @Sendable () async -> Void) { thread.start(body) }
  func perform(_ work: @escaping @Sendable () -> Void) { thread.perform(work) }
  func whenEnded(_ body: @escaping @Sendable () -> Void) { thread.whenEnded(body) }

  func connect() async throws(HomeError) -> any HomeLink {
    if thread.hasEnded { throw HomeError(.noHomeHub, nil, "the simulated world has ended") }
    guard let loop = runningLoop() else { throw HomeError(.noHomeHub, nil, "the machine of the hub has no power") }
    return try await machine.connect(on: loop)
  }

  private func runningLoop() -> EventLoop? {
    if let loop = loop.withLock({ $0 }) { return loop }
    let new = machine.startApp()
    loop.withLock { $0 = new }
    return new
  }

  func pause() async -> Bool {
    guard !thread.hasEnded, let loop = loop.withLock({ $0 }) else { return false }
    return (try? await loop.sleep(for: .seconds(1))) != nil
  }

  func requestBegins() { thread.beginRequest() }
  func requestEnds() { thread.endRequest() }
  func mainWorkBegins() { thread.mainWorkBegins() }
}

/// The surroundings of a manager that a test makes outside of its world. It has no hub, and says why.
final class NoPlace: AppPlace {
  static let shared = NoPlace()
  private static let advice =
    "this manager belongs to no simulated world: make it in world.perform { … }, or call world.makeCurrent() first"

  private let loop = ServedHub.makeLoop("no simulated world")

  func start(_ body: @escaping @Sendable () async -> Void) { loop.startTask { await body() } }
  func perform(_ work: @escaping @Sendable () -> Void) { loop.schedule(work) }
  func whenEnded(_ body: @escaping @Sendable () -> Void) {}

  func connect() async throws(HomeError) -> any HomeLink {
    // A test that only waits for homes gets no error.
    FileHandle.standardError.write(Data("HMHomeManager: \(Self.advice)\n".utf8))
    throw HomeError(.noHomeHub, nil, Self.advice)
  }

  func pause() async -> Bool { false }
  func requestBegins() {}
  func requestEnds() {}
  func mainWorkBegins() {}
  var zone: ZoneName { .utc }
}
