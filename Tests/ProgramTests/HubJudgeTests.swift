import Foundation
import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import HAPWire
import Testing
import WorldPrograms

/// `hapsim judge` with its whole trial against `hapctl hub run`, in a simulated world. home.md §19.
@Suite("hapctl hub against hapsim judge, in a simulated world") struct HubJudgeTests {
  /// The rules that the trial and the actions of the app test. The others are about actions that a hub never performs.
  private static let tested: Set = [
    "reconnects", "no-reconnect-storm", "no-idle-connections", "patience", "one-request-at-a-time",
    "readable", "host-field", "body-type", "known-endpoints", "query-form", "write-form", "procedure-order",
    "fresh-keys", "same-bytes", "identifier-form", "verifies-first", "known-ids", "permissions", "values",
    "timed-writes", "prepared-writes", "no-polling", "gathers-reads", "resubscribes", "survives-events",
    "reads-new-database", "keeps-database",
  ]

  @Test("A hub with three accessories breaks no rule in the whole trial, while an app uses its home")
  func wholeTrial() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "hapsim-\(UUID().uuidString).hasaccessory")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.timedLamp.utf8).write(to: file)
    let profiles = ["lock", "bridge-two-lights"].map {
      Laboratory.profiles.appending(path: "\($0).hasaccessory").path
    }
    let laboratory = SimulatedLaboratory(seed: 1)
    defer { laboratory.world.end() }
    let program = try ServedProgram(["judge"] + profiles + [file.path], in: laboratory)
    try laboratory.world.run {
      let hub = HubProgram(laboratory.loop)
      try await hub.start()
      let app = try await JudgedApp(laboratory.loop, program)
      while program.exit == nil {
        await app.act()
        try await laboratory.loop.sleep(for: .seconds(2))
      }
      let verdict = try #require(program.said.last)
      func names(_ member: String) -> Set<String> {
        Set((verdict[member]?.elements ?? []).compactMap { $0.stringValue ?? $0["rule"]?.stringValue })
      }
      #expect(verdict["broken"]?.elements?.isEmpty == true, "\(verdict.compactText)")
      #expect(verdict["conclusion"]?.stringValue == "conforms" && program.exit == .code(0), "\(verdict.compactText)")
      #expect(Self.tested.subtracting(names("kept")).isEmpty, "\(Self.tested.subtracting(names("kept")).sorted())")
      #expect(app.doneCount > 10)
      try await hub.stop()
    }
    #expect(laboratory.world.foreignJobCount == 0)
  }

  /// A lamp with a characteristic that requires timed writes.
  private static let timedLamp = """
    { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb",
      "services": [ { "type": "LightBulb", "primary": true, "characteristics": [
        { "type": "On", "value": false }, { "type": "Brightness", "value": 50 },
        { "type": "8D930022-860E-4115-99CE-0CB5D9674D77", "description": "Descale", "format": "uint8",
          "perms": ["pr", "pw", "tw"], "minValue": 0, "maxValue": 1, "value": 0 } ] } ] }
    """
}

/// `hapctl hub run` as a process of the laboratory.
private final class HubProgram: @unchecked Sendable {  // confined to the world's thread
  static let folder = "/home"
  private let loop: EventLoop
  private var child: ChildProcess?
  private var lines: [String] = []
  private var hasEnded = false

  init(_ loop: EventLoop) { self.loop = loop }

  func start() async throws {
    let command = ["hapctl", "hub", "run", "--folder", Self.folder, "--interface", "lo"]
    let text = command.map { "'\($0)'" }.joined(separator: " ")
    try loop.performAndWait { [self] in
      child = try ChildProcess(loop, command: text) { [self] event in
        switch event {
        case .line(_, let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
        case .tooLong: break
        case .ended: hasEnded = true
        }
      }
    }
    for _ in 0..<1000 where !lines.contains(where: { $0.contains("Apps attach at") }) {
      try await loop.sleep(for: .milliseconds(10))
    }
    try #require(lines.contains { $0.contains("Apps attach at") }, "\(lines)")
  }

  func stop() async throws {
    try loop.performAndWait { [self] in child?.terminate(grace: .seconds(5)) }
    for _ in 0..<1000 where !hasEnded { try await loop.sleep(for: .milliseconds(10)) }
    try #require(hasEnded)
  }
}

/// An app that uses the home while its accessories are tried. Confined to the world's thread.
private final class JudgedApp: @unchecked Sendable {  // see above
  private let link: HubSocketLink
  private var turn = 0
  /// The number of requests that succeeded.
  private(set) var doneCount = 0

  /// Adds the accessories of a program to a home, with a scene and a trigger.
  init(_ loop: EventLoop, _ program: ServedProgram) async throws {
    link = try await HubSocketLink.connect(to: HubProgram.folder + "/" + HubSocketServer.fileName, on: loop)
    _ = try await link.ask(.attach(app: "app"))
    try await perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
    for accessory in program.said.first?["accessories"]?.elements ?? [] {
      let device = try #require(accessory["deviceID"]?.stringValue.flatMap { DeviceID($0) }, "\(accessory.compactText)")
      let code = try #require(accessory["setupCode"]?.stringValue)
      _ = try await link.ask(.add(AccessoryAddition(home: home.id, device: device, code: code)))
    }
    try #require(home.accessories.count == 5)
    let lock = try find(0x1E)
    try await perform(.addActionSet(home: home.id, name: "Evening"))
    let set = try #require(home.actionSets.first { $0.name.text == "Evening" }).id
    for characteristic in writable {
      try await perform(.addAction(actionSet: set, HomeAction(characteristic, .bool(true))))
    }
    try await perform(.addAction(actionSet: set, HomeAction(lock.id, .integer(1))))
    try await perform(.addAction(actionSet: set, HomeAction(try find(Self.descale).id, .integer(1))))
    let event = EventTrigger(
      events: [.characteristic(try find(0x1D).id, equals: .integer(1))],
      condition: .characteristic(writable[0], .equal, .bool(false)))
    try await perform(.addTrigger(home: home.id, name: "Locked", .event(event)))
    let trigger = try #require(home.triggers.first).id
    try await perform(.addActionSetToTrigger(actionSet: set, trigger: trigger))
    try await perform(.enableTrigger(trigger))
    _ = try await link.ask(.subscribe(all.filter { $0.permissions.contains(.events) }.map(\.id)))
  }

  private static let descale: TypeID = {
    guard let type = TypeID("8D930022-860E-4115-99CE-0CB5D9674D77") else { preconditionFailure("it is a UUID") }
    return type
  }()

  private var home: Home {
    guard let home = link.replica.snapshot?.model.homes.first else { preconditionFailure("the hub has a home") }
    return home
  }
  private var all: [HomeCharacteristic] { home.accessories.flatMap(\.services).flatMap(\.characteristics) }
  /// The switches of all lamps.
  private var writable: [HomeObjectID] { all.filter { $0.type == 0x25 }.map(\.id) }

  private func find(_ type: TypeID) throws -> HomeCharacteristic { try #require(all.first { $0.type == type }) }

  private func perform(_ command: HomeCommand) async throws { _ = try await link.ask(.perform(command)) }

  /// Makes the next request. It may fail, because the accessories have faults.
  func act() async {
    turn += 1
    let home = home
    let request: HubRequest =
      switch turn % 8 {
      case 0: .execute(home.actionSets.filter { $0.name.text == "Evening" }.map(\.id))
      case 1, 5, 7: .read(all.filter { $0.permissions.contains(.pairedRead) }.map(\.id))
      case 2: .write(home: home.id, writable.map { HomeAction($0, .bool(false)) })
      case 3: .identify(home.accessories[turn % home.accessories.count].id)
      case 4: .fire(home.triggers[0].id)
      default: .status
      }
    if (try? await link.ask(request)) != nil { doneCount += 1 }
  }
}
