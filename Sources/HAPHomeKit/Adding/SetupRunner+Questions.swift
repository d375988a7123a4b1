import Foundation
import HAPHome
import HAPHomeSetup
import HAPModel

extension SetupRunner {
  func askHome() async {
    let homes = flow.model.homes.compactMap { session.home($0.id) }
    let candidates = HMSetupUI.Candidates(list, matching: request.payload)
    guard let home = await ask({ try await $0.home(among: homes, for: candidates) }) else { return }
    let id = home.handle.id
    if id == lastHome, flow.model.home(id) == nil {
      return await fail(HMError(.notFound, "the hub has no home \"\(home.name)\": choose another one"))
    }
    lastHome = id
    await enter(.home(id))
  }

  /// Asks for the code. The first one can be a payload of the app.
  func askCode(_ problem: HomeError?) async {
    let code: String
    if let untried {
      (code, self.untried) = (untried.uri, nil)
    } else {
      guard let home = flow.home.flatMap({ session.home($0) }) else { return await fail(.removedObject) }
      let question = HMSetupUI.CodeRequest(home: home, accessory: accessory, problem: problem.map { HMError($0) })
      guard let answer = await ask({ try await $0.setupCode(for: question) }) else { return }
      code = answer
    }
    if let problem, code == lastCode { return await fail(HMError(problem)) }
    lastCode = code
    await enter(.code(code))
  }

  /// The accessory, if it is known before the code: the person chose it, or the payload belongs to it.
  private var accessory: HMSetupUI.Candidate? {
    if let chosen { return chosen }
    guard let payload = request.payload, payload.setupID != nil else { return nil }
    return HMSetupUI.Candidates(list, matching: payload).found.first
  }

  func askAccessory(_ problem: HomeError?) async {
    // The app chose the accessory, so the person can't choose another one.
    if let problem, request.accessory != nil { return await fail(HMError(problem)) }
    chosen = nil
    let candidates = HMSetupUI.Candidates(list, problem: problem.map { HMError($0) })
    guard let candidate = await ask({ try await $0.accessory(among: candidates) }) else { return }
    if let problem, candidate.device == lastAccessory { return await fail(HMError(problem)) }
    (chosen, lastAccessory) = (candidate, candidate.device)
    await enter(.choose(candidate.device))
  }

  // MARK: Pages

  func ask(_ page: SetupPage, _ problem: HomeError?) async {
    guard let question = question(page, problem.map { HMError($0) }) else { return await fail(.removedObject) }
    guard let answer = await ask({ try await $0.nameAndRoom(for: question) }) else { return }
    if let problem, answer == lastAnswer { return await fail(HMError(problem)) }
    lastAnswer = answer
    await enter(.answer(name: answer.name, room: room(answer.room, of: question)))
  }

  private func question(_ page: SetupPage, _ problem: HMError?) -> HMSetupUI.Page? {
    guard let home = flow.home.flatMap({ session.homeRecord($0) }), let record = home.accessories.find(page.accessory),
      let service = record.services.find(page.service), let present = session.room(page.room, in: home)
    else { return nil }
    let rooms = ([home.roomForEntireHome] + home.rooms).map { session.room($0, in: home.id) }
    var (name, room) = (page.name, present)
    if let wanted = request.room.flatMap({ session.room($0, in: home) }), page.asksRoom { room = wanted }
    // On a bridge, the suggested name would be that of one of the bridged accessories.
    if let wanted = request.name, !hasSuggested, record.bridge == nil { (name, hasSuggested) = (wanted, true) }
    return HMSetupUI.Page(
      accessory: session.accessory(record, in: home.id), service: session.service(service, of: record.id, in: home.id),
      name: name, room: room, rooms: rooms, problem: problem)
  }

  /// The room with a name, or a new one.
  private func room(_ name: String, of page: HMSetupUI.Page) -> SetupRoom {
    let key = HomeName(name).key
    let room = ([page.suggestedRoom] + page.rooms).first { HomeName($0.name).key == key }
    return room.map { .existing($0.handle.id) } ?? .new(name)
  }
}
