import Foundation
import HAPHome
import HAPHomeSetup
import HAPHubLink
import HAPModel

/// Performs a `SetupFlow` with a prompt: the questions of the flow go to the prompt, and its actions to the hub.
///
/// Searches have a session of their own; all other actions use the session of the home, so its objects change before
/// the next question.
@MainActor final class SetupRunner {
  /// The known answers.
  struct Request: Sendable {
    /// Nil: the person chooses, if there are several.
    var home: HomeObjectID?
    /// Nil: the person chooses, or the code shows it.
    var accessory: HMSetupUI.Candidate?
    /// The payload that is tried before the person is asked for a code.
    var payload: SetupPayload?
    /// The suggested name of the first service of the accessory.
    var name: String?
    /// The suggested room of the accessory.
    var room: HomeObjectID?
    /// Whether the person names the services and chooses rooms.
    var asksPages = true
  }

  /// The accessories that were added, a bridge first.
  struct Added: Sendable {
    let home: HomeObjectID
    let accessories: [HomeObjectID]
  }

  let session: AppSession
  let prompt: any HMSetupPrompt
  let request: Request
  /// The accessories that the search has found.
  let list: CandidateList
  var flow: SetupFlow
  /// The payload, until it was tried.
  var untried: SetupPayload?
  /// The accessory that the person chose.
  var chosen: HMSetupUI.Candidate?
  /// The last answers: if the same one comes again after it was refused, the person can't correct the problem.
  var lastHome: HomeObjectID?
  var lastCode: String?
  var lastAccessory: DeviceID?
  var lastAnswer: HMSetupUI.PageAnswer?
  /// Whether the suggested name was shown.
  var hasSuggested = false
  private var added: [HomeObjectID] = []
  /// The reason of the cancellation, if the person did not cancel.
  private var failure: HMError?
  private var search: AccessorySearch?

  /// - Throws: 2 if there is no home, or not this one.
  init(_ session: AppSession, _ prompt: any HMSetupPrompt, _ request: Request) throws(HMError) {
    (self.session, self.prompt, self.request) = (session, prompt, request)
    (list, untried, chosen) = (CandidateList(session.place), request.payload, request.accessory)
    do throws(HomeError) {
      flow = try SetupFlow(session.model, home: request.home, device: request.accessory?.device)
    } catch { throw HMError(error) }
  }

  /// Runs the flow to its end.
  /// - Throws: 23 if the person cancels; then the pairing is removed. The error of a prompt does the same.
  func run() async throws(HMError) -> Added {
    defer { list.end() }
    await perform(flow.start())
    while true {
      await takeChanges()
      switch flow.step {
      case .home: await askHome()
      case .code(let problem): await askCode(problem)
      case .choose(let problem): await askAccessory(problem)
      case .page(let page, let problem):
        if !request.asksPages { return result(added) }
        await ask(page, problem)
      // The flow ignored the answer, because it belongs to another request.
      case .verifying, .saving, .cancelling: throw .wrongAnswer
      case .done(let accessories): return result(accessories)
      case .cancelled: throw failure ?? .personCancelled
      case .failed(let error): throw HMError(error)
      }
    }
  }

  private func result(_ accessories: [HomeObjectID]) -> Added {
    guard let home = flow.home else { preconditionFailure("the home was chosen before") }
    return Added(home: home, accessories: accessories)
  }

  // MARK: Inputs

  func enter(_ input: SetupFlow.Input) async {
    let present = list.present
    for accessory in present { _ = flow.receive(.found(SetupCandidate(accessory))) }
    for candidate in flow.candidates where !present.contains(where: { $0.device == candidate.device }) {
      _ = flow.receive(.gone(candidate.device))
    }
    await perform(flow.receive(input))
  }

  /// Ends the flow because of an error. A pairing is removed.
  func fail(_ error: HMError) async {
    failure = error
    await enter(.cancel)
  }

  /// Asks the prompt. Without an answer, the flow is cancelled.
  func ask<Answer>(_ question: (any HMSetupPrompt) async throws -> Answer?) async -> Answer? {
    do {
      if let answer = try await question(prompt) { return answer }
      await enter(.cancel)
    } catch { await fail(HMError(ofPrompt: error)) }
    return nil
  }

  /// Gives the flow the changes that other apps made meanwhile.
  private func takeChanges() async {
    let changes = flow.model.changes(to: session.model)
    if !changes.isEmpty { await perform(flow.receive(.changed(changes))) }
  }

  // MARK: Actions

  private func perform(_ actions: [SetupFlow.Action]) async {
    var actions = actions[...]
    while let action = actions.popFirst() {
      switch action {
      case .search: beginSearch()
      case .endSearch: search?.stop()
      case .pair(let home, let device, let code):
        actions += await send(.add(AccessoryAddition(home: home, device: device, code: code)))
      case .perform(let command): actions += await send(.perform(command))
      case .remove(let accessory): actions += await send(.remove(accessory, forgets: false))
      }
    }
  }

  private func beginSearch() {
    let search = search ?? AccessorySearch(session.place)
    if self.search == nil {
      search.observe { [list, weak search] _ in if let search { list.set(search.list) } }
      self.search = search
    }
    list.set([])
    search.start()
  }

  private func send(_ request: HubRequest) async -> [SetupFlow.Action] {
    do throws(HMError) {
      switch try await session.answer(to: request) {
      case .added(let ids, let changes):
        added = ids
        return flow.receive(.paired(ids, changes))
      case .changed(let changes): return flow.receive(.performed(changes))
      default: throw .wrongAnswer
      }
    } catch { return flow.receive(.refused(HomeError(error))) }
  }
}

extension HMError {
  fileprivate static let wrongAnswer = HMError(
    .unexpectedError, "the hub gave an answer of another request: restart the hub, it may have another version")
}

extension SetupCandidate {
  init(_ news: NewAccessory) {
    self.init(device: news.device, name: news.name, model: news.model, category: news.category)
  }
}

extension HomeError {
  /// The error of a session, for a flow.
  init(_ error: HMError) {
    self.init(Code(rawValue: error.code.rawValue) ?? .unexpectedError, nil, error.localizedDescription)
  }
}
