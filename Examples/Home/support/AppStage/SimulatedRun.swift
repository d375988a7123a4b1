import Foundation
import HAPHomeKitTesting
import HAPModel
import HAPSimulator
import HomeKit
import TextScreens

/// Runs a script with an app in a simulated world.
@MainActor public final class SimulatedRun {
  /// Creates the app with the calendar of the person.
  public typealias MakeApp = @MainActor (Calendar) -> any TextApp

  /// The name of scripts in messages.
  private static let file = "taps"
  /// The time that passes after each line, as if the person read the screen.
  private static let pause = Duration.seconds(1)

  private let script: AppScript
  private let profiles: Profiles
  private let makeApp: MakeApp
  private let world: HomeWorld
  private let driver: AppDriver
  private let print: (String) -> Void

  private init(
    _ script: AppScript, _ profiles: Profiles, _ makeApp: @escaping MakeApp, _ world: HomeWorld,
    _ print: @escaping (String) -> Void
  ) {
    (self.script, self.profiles, self.makeApp, self.world, self.print) = (script, profiles, makeApp, world, print)
    driver = AppDriver(print: print)
  }

  /// Runs a script.
  /// - Parameters:
  ///   - script: the lines.
  ///   - folder: may have profiles of its own; the others are those of the project.
  ///   - print: called with each line of the transcript.
  ///   - atEnd: called before the world ends.
  ///   - makeApp: creates the app, once for each `start`.
  /// - Throws: ``AppScriptProblem`` for a line that can't be performed, or the error of the world.
  public static func run(
    _ script: AppScript, in folder: URL, print: @escaping (String) -> Void,
    atEnd: (HomeWorld) async throws -> Void = { _ in }, makeApp: @escaping MakeApp
  ) async throws {
    let profiles = Profiles(folder: folder)
    let world = try await script.startWorld(profiles)
    defer { world.end() }
    let run = SimulatedRun(script, profiles, makeApp, world, print)
    // The app finds the hub of this world, and the system's questions come to this person.
    try await HMSetupUI.withPrompt(run.driver.sheet) {
      try await world.perform {
        for line in script.lines { try await run.perform(line) }
      }
    }
    try await atEnd(world)
  }

  private func perform(_ line: AppScript.Line) async throws {
    let text = try replaced(line.text, line.number)
    print(text)
    let step = text == line.text ? line.step : try AppScript.step(text, line.number)
    switch step {
    // Lines about the start have had their effect.
    case .text, .clock, .home, .accessory: return
    case .serve(let name, let profile):
      let device = HomeWorld.Device(name, profiles.source(of: profile), isAdded: false)
      try await world.serve(device, file: Self.file, line: line.number)
    case .start:
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = script.zone
      driver.start(makeApp(calendar))
    case .tap(let label): try await driver.tap(label, line: line.number)
    case .type(let text, let field): try await driver.type(text, into: field, line: line.number)
    case .set(let name, let accessory, let value):
      try await world.accessory(accessory, file: Self.file, line: line.number)
        .set(CharacteristicName(path: name), to: Value(written: value), file: Self.file, line: line.number)
    case .show(let name, let accessory):
      print("\(name): \(try await value(of: CharacteristicName(path: name), accessory, line.number))")
    case .connect(let accessory, let isConnected):
      try await world.accessory(accessory, file: Self.file, line: line.number).setConnected(isConnected)
    case .wait(let duration): await world.advance(by: duration)
    case .until(let minute): await world.advance(by: await duration(until: minute))
    }
    await world.advance(by: Self.pause)
    driver.printScreen()
  }

  /// Returns the value that a device has, by its name if it has one.
  private func value(of name: CharacteristicName, _ accessory: String, _ line: Int) async throws -> String {
    let accessory = try world.accessory(accessory, file: Self.file, line: line)
    return try await accessory.run(file: Self.file, line: line) { accessory in
      if let word = try await accessory.word(of: name) { return word }
      return try await accessory.value(of: name).text
    }
  }

  private func duration(until minute: Int) async -> Duration {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = script.zone
    let date = world.date
    let time = DateComponents(hour: minute / 60, minute: minute % 60, second: 0)
    guard let end = calendar.nextDate(after: date, matching: time, matchingPolicy: .nextTime) else { return .zero }
    return .milliseconds(Int64((end.timeIntervalSince(date) * 1000).rounded(.up)))
  }

  /// Replaces "{code of Lamp}" and "{payload of Lamp}" by the setup code and the payload of the accessory "Lamp".
  private func replaced(_ text: String, _ line: Int) throws -> String {
    try text.split(separator: "{", omittingEmptySubsequences: false).enumerated().map { index, part in
      guard index > 0, let end = part.firstIndex(of: "}") else { return String(part) }
      let words = part[..<end].split(separator: " ", maxSplits: 2)
      guard words.count == 3, words[1] == "of", ["code", "payload"].contains(words[0]) else {
        throw AppScriptProblem("expected \"{code of NAME}\" or \"{payload of NAME}\"", line: line)
      }
      let accessory = try world.accessory(String(words[2]), file: Self.file, line: line)
      return (words[0] == "code" ? accessory.setupCode : accessory.setupPayload) + part[part.index(after: end)...]
    }.joined()
  }
}

extension AppScript {
  /// Starts a world with the home and the accessories that exist before the app.
  fileprivate func startWorld(_ profiles: Profiles) async throws -> HomeWorld {
    var options = HomeWorld.Options()
    (options.date, options.timeZone) = (date, zone == .gmt ? "UTC" : zone.identifier)
    var home: String?
    var devices: [HomeWorld.Device] = []
    for line in lines {
      switch line.step {
      case .home(let name, let latitude, let longitude):
        home = name
        if let latitude, let longitude { options.location = (latitude, longitude) }
      case .accessory(let name, let profile, let room):
        devices.append(.init(name, profiles.source(of: profile), room: room))
      default: break
      }
    }
    return try await HomeWorld.start(home: home, accessories: devices, options: options)
  }
}

/// The profiles that a script can name.
private struct Profiles {
  let folder: URL

  func source(of name: String) -> ProfileSource {
    let own = folder.appending(path: name + ".hasaccessory").path
    if FileManager.default.fileExists(atPath: own) { return .file(own) }
    return .file(AppProgram.profiles.appending(path: name + ".hasaccessory").path)
  }
}

extension CharacteristicName {
  /// "On", or "Kitchen Light/On" for a bridged accessory.
  fileprivate init(path: String) {
    let parts = path.split(separator: "/").map(String.init)
    self.init(parts.last ?? path, accessory: parts.count > 1 ? parts.first : nil)
  }
}

extension Value {
  /// The value of a text: a Boolean, a number, or a text.
  fileprivate init(written text: String) {
    if let bool = Bool(text) {
      self = .bool(bool)
    } else if let integer = Int128(text) {
      self = .integer(integer)
    } else if let number = Double(text) {
      self = .float(number)
    } else {
      self = .string(text)
    }
  }

  fileprivate var text: String {
    switch self {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .integer(let integer): "\(integer)"
    case .float(let number): "\(number)"
    case .string(let text): text
    case .data(let bytes): "\(bytes.count) bytes"
    }
  }
}
