import Dispatch
import Foundation
import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import HAPTestSupport

@testable import HAPHomeKit

/// A hub without accessories, network and files: it performs the commands of one app on a model.
final class ModelHub: AppPlace, HomeLink {
  private struct State: Sendable {
    var model: HomeModel
    var generator = SeededGenerator(seed: 7)
    var commands: [HomeCommand] = []
  }

  let replica = HomeReplica()
  let events = AsyncStream<HubEvent> { $0.finish() }
  private let state: Guarded<State>

  init(_ model: HomeModel = HomeModel()) { state = Guarded(State(model: model)) }

  var model: HomeModel { state.withLock { $0.model } }

  /// The commands since the last use.
  func takeCommands() -> [HomeCommand] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Changes the model as another app does.
  func performElsewhere(_ command: HomeCommand) throws {
    try state.withLock { state in
      let changes = try perform(command, &state)
      replica.receive(.changed(changes, app: "another"))
    }
  }

  /// Reports changes that the model did not make, as a hub with a mistake does.
  func report(_ changes: [HomeChange]) { state.withLock { _ in replica.receive(.changed(changes, app: "another")) } }

  private func perform(_ command: HomeCommand, _ state: inout State) throws(HomeError) -> [HomeChange] {
    let context = HomeContext(now: now) { $0.text == "Nowhere/City" ? nil : .utc }
    return try state.model.perform(command, in: context, using: &state.generator)
  }

  // MARK: HomeLink

  func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer { try result(of: request).get() }

  func send(_ request: HubRequest, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void) {
    reply(result(of: request))
  }

  private func result(of request: HubRequest) -> Result<HubAnswer, HomeError> {
    state.withLock { state in
      do throws(HomeError) {
        let answer: HubAnswer
        switch request {
        case .attach: answer = .attached(HubSnapshot(model: state.model, unreachable: [:], persons: []))
        case .perform(let command):
          state.commands.append(command)
          answer = .changed(try perform(command, &state))
        default: throw HomeError(.operationNotSupported, nil, "the hub of this test performs commands alone")
        }
        replica.receive(answer)
        return .success(answer)
      } catch { return .failure(error) }
    }
  }

  func close() async {}

  // MARK: AppPlace

  func start(_ body: nonisolated(nonsending) @escaping @Sendable () async -> Void) { Task { await body() } }
  func perform(_ work: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: work) }
  func whenEnded(_ body: @escaping @Sendable () -> Void) {}
  func connect() async throws(HomeError) -> any HomeLink { self }
  func pause() async -> Bool { false }
  func requestBegins() {}
  func requestEnds() {}
  func mainWorkBegins() {}
  var now: Instant { Instant(seconds: 1_780_000_000) }
  var zone: ZoneName { .utc }
}
