import HAPHome
import HAPHub
import HAPHubLink
import HAPModel
import HAPWorld

// A second hub, with which the home is shared.
extension HomeRun {
  /// Changes the users of the home.
  func changeUsers(_ operation: HomeOperation, _ app: LabApp, _ random: inout WorldRandom) async {
    let user = app.home.users.first { $0.controller != nil }
    let role: HomeUser.Role = random.chance(0.5) ? .guest : .administrator
    switch operation {
    case .share: await share(app, role)
    case .renewShare:
      guard let user, case .success(.document(let text))? = await ask(app, .renewShare(user: user.id)) else { return }
      await accept(text)
    case .changeRole: if let user { _ = await ask(app, .perform(.setRole(user: user.id, role))) }
    default: if let user { _ = await ask(app, .perform(.removeUser(user.id))) }
    }
  }

  func share(_ app: LabApp, _ role: HomeUser.Role) async {
    guard let hub = await runningVisitor(),
      case .document(let request)? = await ask(hub, .requestShare(name: "Visitor"))
    else { return }
    guard
      case .success(.shared(let shared))? = await ask(
        app, .share(HomeSharing(home: plan.home, request: request, role: role)))
    else { return }
    await accept(shared.document ?? "")
  }

  private func accept(_ text: String) async {
    guard let hub = await runningVisitor() else { return }
    if await ask(hub, .acceptShare(text)) == nil { note("the visitor did not accept the share") }
  }

  func visitorWrites() async {
    guard let hub = await runningVisitor() else { return }
    let (value, slot) = (ledger.newToken(), plan.own[0])
    ledger.writes.append(HomeLedger.TokenWrite(value: value, slot: slot, start: now))
    let place = ledger.writes.count - 1
    let answer = await ask(hub, .write(home: plan.home, [HomeAction(slot.token, .integer(Int128(value)))]))
    if case .executed(let result)? = answer {
      ledger.writes[place].outcome = result.actions.first?.outcome
    } else if answer == nil, lab.visitor.isUp {
      // The home was not accepted yet, or was refused.
      ledger.writes[place].outcome = .notSent
    }
    ledger.writes[place].isEnded = true
  }

  func restartVisitor() async {
    lab.visitor.kill()
    _ = await runningVisitor()
  }

  // MARK: The second hub

  private func runningVisitor() async -> HomeHub? {
    if !lab.visitor.isUp, let why = await lab.visitor.start() {
      report(.storeOpens, "the hub of the visitor does not start: \(why)")
    }
    return lab.visitor.hub
  }

  /// - Returns: nil if it is refused, or the hub is killed.
  private func ask(_ hub: HomeHub, _ request: HubRequest) async -> HubAnswer? {
    let answer = await lab.limited(.seconds(120)) { () async -> Result<HubAnswer, HomeError> in
      do throws(HomeError) {
        let link = try await hub.attach(app: "visitor")
        let answer = await Self.answer(link, request)
        await link.close()
        return answer
      } catch { return .failure(error) }
    }
    switch answer {
    case .success(let answer)?: return answer
    case .failure(let error)?:
      note("visitor: refused: \(error)")
      return nil
    case nil: return nil
    }
  }

  private static func answer(_ link: InProcessLink, _ request: HubRequest) async -> Result<HubAnswer, HomeError> {
    do throws(HomeError) { return .success(try await link.ask(request)) } catch { return .failure(error) }
  }

  // MARK: At rest

  /// Compares the pairings of all accessories with the users of the home.
  func checkUsers(_ home: Home) {
    for device in lab.devices where device.isUp {
      let pairings = device.pairings
      let isMember = home.accessories.contains { $0.deviceID == device.deviceID }
      // An accessory that was reset knows no controller until it is added again.
      if pairings.isEmpty { continue }
      let expected = isMember ? home.users.filter { $0.controller != nil } : []
      coverage.add(.users, expected.count)
      let rights = Dictionary(
        uniqueKeysWithValues: expected.map { ($0.controller!.identifier, $0.role == .administrator) })
      let found = pairings.filter { rights[String(decoding: $0.identifier, as: UTF8.self)] == $0.isAdmin }
      if found.count != expected.count || pairings.count > expected.count + 1 {
        let text = pairings.map { "\(String(decoding: $0.identifier, as: UTF8.self)) \($0.isAdmin)" }
        report(.usersHavePairings, "\(device.name) has the pairings \(text), and the home has the users \(rights)")
      }
    }
  }
}
