import HAPHome
import HAPHomeFile
import HAPHubLink
import HAPLoop
import HAPModel
import HAPWeb
import HAPWire

extension HomeAPI {
  // MARK: Requests

  func readCharacteristic(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let (_, characteristic) = try characteristic(call)
    let before = values[characteristic.id]
    guard case .values(let readings) = try await ask(.read([characteristic.id]), for: call),
      let reading = readings.first
    else {
      wrongAnswer
    }
    if let error = reading.error { throw WebProblem(error) }
    // An event that arrived meanwhile is newer.
    if values[characteristic.id] == before { learn(reading) }
    return .json { json in json.reading(reading) }
  }

  func writeCharacteristic(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let (home, characteristic) = try characteristic(call)
    let value = try call.reading { (node) throws(JSONProblem) -> Value in
      try node.refuseUnknownMembers(exactly: ["value"])
      return try characteristic.value(sent: node.required("value"))
    }
    let action = HomeAction(characteristic.id, value)
    guard case .executed(let result) = try await ask(.write(home: home.id, [action]), for: call) else { wrongAnswer }
    if let error = result.actions.first?.error ?? result.error { throw WebProblem(error) }
    let reading = CharacteristicReading(characteristic.id, value: value)
    // An event reports it if it is subscribed.
    if characteristic.permissions.contains(.pairedRead), !subscribed.contains(characteristic.id) { learn(reading) }
    return .json { json in json.reading(reading) }
  }

  /// Writes several characteristics together, as one execution.
  func writeCharacteristics(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let home = try home(call)
    lazy var directory = HomeDirectory(home)
    let actions = try call.reading { (node) throws(JSONProblem) -> [HomeAction] in
      try node.refuseUnknownMembers(exactly: ["actions"])
      let list = try node.required("actions")
      guard try list.asList().count <= HubLimits.list else {
        throw list.problem("at most \(HubLimits.list) actions are expected")
      }
      var seen: Set<HomeObjectID> = []
      return try list.elements { node throws(JSONProblem) in
        try node.refuseUnknownMembers(exactly: ["characteristic", "value"])
        let name = try node.required("characteristic")
        let text = try name.asString()
        let found: HomeCharacteristic
        do throws(WebProblem) { found = try characteristic(text, in: home, directory) } catch {
          throw name.problem(error.message)
        }
        guard seen.insert(found.id).inserted else { throw name.problem("the characteristic occurs twice") }
        return HomeAction(found.id, try found.value(sent: node.required("value")))
      }
    }
    return try await execution(.write(home: home.id, actions), for: call)
  }

  func executeScene(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let home = try home(call)
    let set = try find(call.parameter("scene"), "scene", in: home.listedActionSets, \.id, \.name.text)
    return try await execution(.execute([set.id]), for: call)
  }

  private func execution(_ request: HubRequest, for call: HomeCall) async throws(WebProblem) -> WebAnswer {
    guard case .executed(let result) = try await ask(request, for: call) else { wrongAnswer }
    return .json { json in json.object { result.write(to: &$0) } }
  }

  // MARK: Characteristics

  /// Returns the characteristic of the path: by its identifier, or by its path, such as "Lamp/On" with an encoded slash.
  private func characteristic(_ call: HomeCall) throws(WebProblem) -> (Home, HomeCharacteristic) {
    let home = try home(call)
    return (home, try characteristic(call.parameter("characteristic"), in: home, HomeDirectory(home)))
  }

  private nonisolated func characteristic(
    _ text: String, in home: Home, _ directory: @autoclosure () -> HomeDirectory
  ) throws(WebProblem) -> HomeCharacteristic {
    if let id = HomeObjectID(text), let found = home.characteristic(id) { return found.characteristic }
    do { return try directory().characteristic(HomeFilePath(text)) } catch {
      let message = (error as? HomeDirectory.NotFound)?.message ?? (error as? HomeFilePath.Malformed)?.message
      throw WebProblem(404, "not-found", message ?? "there is no characteristic \"\(text.prefix(100))\"")
    }
  }

  // MARK: Values

  /// Takes a value that no event reports.
  private func learn(_ reading: CharacteristicReading) {
    guard journal.hasReader, values[reading.characteristic] != reading else { return }
    values[reading.characteristic] = reading
    journal.append(
      .hub(.values([reading], isCatchUp: false), home: homeOfCharacteristic[reading.characteristic])
    )
  }

  /// Subscribes to the values of all homes, because a client reads them.
  func followValues() async {
    let timer = readerTimer ?? LoopTimer(loop) { [weak self] in self?.assumeIsolated { $0.endIfUnread() } }
    readerTimer = timer
    timer.start(after: readerPatience)
    if !journal.hasReader {
      journal.hasReader = true
      await subscribe()
    }
  }

  /// Subscribes to the values of new accessories while there is a reader.
  func followChangedValues() {
    guard journal.hasReader else { return }
    loop.startTask { await self.subscribe() }
  }

  private func subscribe() async {
    guard journal.hasReader, let model = replica.snapshot?.model else { return }
    var (wanted, unreported): (Set<HomeObjectID>, [HomeObjectID]) = ([], [])
    homeOfCharacteristic = [:]
    for home in model.homes {
      for characteristic in home.accessories.lazy.flatMap(\.services).filter(\.hasLiveValues).flatMap(\.characteristics)
      {
        homeOfCharacteristic[characteristic.id] = home.id
        if characteristic.permissions.contains(.events) {
          wanted.insert(characteristic.id)
        } else if characteristic.permissions.contains(.pairedRead), values[characteristic.id] == nil {
          unreported.append(characteristic.id)
        }
      }
    }
    let (added, removed) = (wanted.subtracting(subscribed), subscribed.subtracting(wanted))
    subscribed = wanted
    values = values.filter { homeOfCharacteristic[$0.key] != nil }
    if !removed.isEmpty {
      await askAsListener(.unsubscribe(removed.sorted()))
    }
    if !added.isEmpty { loop.startTask { await self.subscribe(to: added) } }
    if !unreported.isEmpty { loop.startTask { await self.read(unreported) } }
  }

  /// The hub refuses the subscription to all of them if an accessory was removed meanwhile. The event about the removal
  /// repeats it. If that came earlier, it is repeated here.
  private func subscribe(to added: Set<HomeObjectID>) async {
    if await askAsListener(.subscribe(added.sorted())) != nil { return }
    subscribed.subtract(added)
    if !added.allSatisfy({ homeOfCharacteristic[$0] != nil }) { await subscribe() }
  }

  private func read(_ ids: [HomeObjectID]) async {
    guard case .values(let readings)? = await askAsListener(.read(ids)) else { return }
    for reading in readings where reading.value != nil { learn(reading) }
  }

  /// Ends the subscriptions, unless an event stream is open.
  func endIfUnread() {
    guard !journal.hasListeners else {
      readerTimer?.start(after: readerPatience)
      return
    }
    readerTimer?.close()
    readerTimer = nil
    journal.hasReader = false
    let ids = subscribed.sorted()
    (subscribed, values, found) = ([], [:], nil)
    loop.startTask {
      await self.askAsListener(.unsubscribe(ids))
      if !self.journal.hasReader { await self.askAsListener(.endSearch) }
    }
  }
}

extension HomeService {
  /// Whether its values can change while people watch: not Accessory Information or HAP Protocol Information.
  fileprivate var hasLiveValues: Bool { isUserInteractive || type == 0x96 }
}

extension HomeCharacteristic {
  /// Reads a value: as in HAP, or the name of a value, such as "unsecured".
  fileprivate func value(sent node: JSONNode) throws(JSONProblem) -> Value {
    let written = try Value(exact: node)
    do throws(HomeDirectory.NotFound) { return try meaning(of: written) } catch { throw node.problem(error.message) }
  }
}
