import HAPCommandLine
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel
import HAPWire

extension HomeSession {
  /// Prints events until the hub ends.
  func watch(_ paths: [String], atMost limit: Int?) async throws -> ExitCode {
    var watch = HomeWatch(home: try home.id, snapshot: try snapshot, isJSON: isJSON)
    let lookup = try lookup
    let chosen =
      try paths.isEmpty ? nil : paths.flatMap { try lookup.targets($0, for: .events).map(\.characteristic.id) }
    var subscribed: Set<HomeObjectID> = []
    func subscribe() async throws {
      let ids = (chosen ?? watch.watchable).filter { subscribed.insert($0).inserted }
      if !ids.isEmpty { _ = try await link.ask(.subscribe(ids)) }
    }
    try await subscribe()
    if !isJSON { complain("watching \(subscribed.count.of("characteristic")) of \(lookup.home.name.text.quoted)") }
    var printed = 0
    for await event in link.events {
      if event == .missed { watch.restart(try await attachAgain()) }
      for line in watch.lines(event) {
        print(line)
        printed += 1
        if printed == limit { return .well }
      }
      if event == .stopping { break }
      if chosen == nil, case .changed = event { try await subscribe() }
    }
    throw HomeFailure(.cannotRun, "the hub has ended")
  }

  private func attachAgain() async throws -> HubSnapshot {
    guard case .attached(let snapshot) = try await link.ask(.attach(app: "hapctl home watch")) else {
      throw wrongAnswer
    }
    return snapshot
  }
}

/// Writes the events of one home as lines. It applies each event to its own copy of the homes, because the link's copy can
/// already have later changes.
private struct HomeWatch {
  let home: HomeObjectID
  private var snapshot: HubSnapshot
  let isJSON: Bool
  /// The home with its names; nil: made again at the next use.
  private var text: ResultText?

  init(home: HomeObjectID, snapshot: HubSnapshot, isJSON: Bool) {
    (self.home, self.snapshot, self.isJSON) = (home, snapshot, isJSON)
  }

  mutating func restart(_ snapshot: HubSnapshot) { (self.snapshot, text) = (snapshot, nil) }

  /// The characteristics with events of the services that apps show.
  var watchable: [HomeObjectID] {
    (snapshot.model.home(home)?.accessories ?? []).flatMap(\.services).filter(\.isUserInteractive)
      .flatMap(\.characteristics).filter { $0.permissions.contains(.events) }.map(\.id)
  }

  /// Nil if the home was removed.
  private mutating func names() -> ResultText? {
    if text == nil { text = snapshot.model.home(home).map { ResultText($0) } }
    return text
  }

  mutating func lines(_ event: HubEvent) -> [String] {
    if case .changed(let changes, app: let app) = event { return changed(changes, app) }
    snapshot.apply(event)
    guard let names = names() else { return [] }
    return isJSON ? nodes(event, names).map(\.compactText) : texts(event, names)
  }

  private mutating func changed(_ all: [HomeChange], _ app: String?) -> [String] {
    let changes = all.filter { $0.home == home }
    var writer = ChangeText(snapshot.model)
    let phrases = changes.flatMap { writer.lines($0) }
    snapshot.apply(all)
    text = nil
    if changes.isEmpty { return [] }
    if isJSON {
      return [
        JSONNode.object([
          ("event", .text("changed")), ("app", app.map { .text($0) } ?? JSONNode(.null)),
          ("changes", .list(changes.map(\.node))),
        ]).compactText
      ]
    }
    return phrases.map { "\(app ?? "hub"): \($0)" }
  }

  // MARK: Text

  private func texts(_ event: HubEvent, _ names: ResultText) -> [String] {
    switch event {
    case .values(let readings, let isCatchUp):
      return readings.filter { names.has($0.characteristic) }.map {
        names.line($0) + (isCatchUp ? "  (present value)" : "")
      }
    case .reachability(let id, let isReachable, let why):
      guard let accessory = names.lookup.home.accessories.find(id) else { return [] }
      if isReachable { return ["\(accessory.name) can be reached"] }
      return ["\(accessory.name) can't be reached\(why.map { ": \($0)" } ?? "")"]
    case .evaluated(let report):
      guard names.lookup.home.triggers.find(report.trigger) != nil else { return [] }
      return report.text.split(separator: "\n").map(String.init)
    case .executed(let result, let sets, let trigger, let app):
      guard names.has(result, sets, trigger) else { return [] }
      let by = app ?? trigger.flatMap { names.lookup.home.triggers.find($0)?.name.text.quoted } ?? "a trigger"
      let scenes = sets.compactMap { names.lookup.home.actionSets.find($0) }.filter { $0.kind != .triggerOwned }
      let what = scenes.map(\.name.text).joined(separator: ", ")
      let end = result.error.map { ": \($0)" } ?? ""
      return ["\(by) \(what.isEmpty ? "wrote \(result.actions.count.of("value"))" : "ran \(what)")\(end)"]
        + names.lines(result).map { "  \($0)" }
    case .person(let person):
      guard let user = names.lookup.home.users.find(person.user) else { return [] }
      return ["\(user.name) is \(person.place.text)"]
    case .missed: return ["some events were lost, because they were read too slowly"]
    case .stopping: return ["the hub ends"]
    case .changed, .found, .gone: return []
    }
  }

  // MARK: JSON

  private func nodes(_ event: HubEvent, _ names: ResultText) -> [JSONNode] {
    let home = names.lookup.home
    func line(_ name: String, _ members: [JSONMember]) -> JSONNode { .object([("event", .text(name))] + members) }
    switch event {
    case .values(let readings, let isCatchUp):
      return readings.filter { names.has($0.characteristic) }.map {
        line("value", names.members($0) + [("catchUp", .flag(isCatchUp))])
      }
    case .reachability(let id, let isReachable, let why):
      guard let accessory = home.accessories.find(id) else { return [] }
      return [
        line(
          "reachability",
          [
            ("accessory", .id(id)), ("name", .text(accessory.name.text)), ("reachable", .flag(isReachable)),
            ("why", why.map { .text($0) } ?? JSONNode(.null)),
          ])
      ]
    case .evaluated(let report):
      return home.triggers.find(report.trigger) == nil ? [] : [line("evaluated", names.members(report))]
    case .executed(let result, let sets, let trigger, let app):
      guard names.has(result, sets, trigger) else { return [] }
      return [
        line(
          "executed",
          [
            ("scenes", .list(sets.map { .object([("id", .id($0)), ("name", .text(names.name(ofSet: $0)))]) })),
            ("trigger", trigger.map { .id($0) } ?? JSONNode(.null)), ("app", app.map { .text($0) } ?? JSONNode(.null)),
          ] + names.members(result))
      ]
    case .person(let person):
      guard let user = home.users.find(person.user) else { return [] }
      return [
        line("person", [("user", .id(user.id)), ("name", .text(user.name)), ("place", person.place.shortNode)])
      ]
    case .missed: return [line("missed", [])]
    case .stopping: return [line("stopping", [])]
    case .changed, .found, .gone: return []
    }
  }
}

extension ResultText {
  fileprivate func has(_ characteristic: HomeObjectID) -> Bool { lookup.home.characteristic(characteristic) != nil }

  /// Whether an execution belongs to this home.
  fileprivate func has(_ result: ExecutionResult, _ sets: [HomeObjectID], _ trigger: HomeObjectID?) -> Bool {
    if let trigger { return lookup.home.triggers.find(trigger) != nil }
    if let set = sets.first { return lookup.home.actionSets.find(set) != nil }
    return result.actions.contains { has($0.action.characteristic) }
  }
}
