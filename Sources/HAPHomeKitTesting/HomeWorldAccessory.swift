import Foundation
import HAPAlmanac
import HAPHome
import HAPHomeFile
import HAPHubLink
import HAPModel
import HAPSimulator

extension HomeWorld {
  /// An accessory for a world.
  public struct Device: Sendable {
    /// The name of the accessory on the network and in the home.
    public var name: String
    /// Its profile.
    public var profile: ProfileSource
    /// Its room, which is added if necessary; nil: the one for the entire home.
    public var room: String?
    /// Whether it is added to the home. Otherwise, it waits on the network until the app adds it.
    public var isAdded: Bool

    /// Creates an accessory for a world.
    public init(_ name: String, _ profile: ProfileSource, room: String? = nil, isAdded: Bool = true) {
      (self.name, self.profile, self.room, self.isAdded) = (name, profile, room, isAdded)
    }
  }
}

/// A simulated accessory: a person at the device, and expectations of a test.
///
/// An expectation waits in virtual time. Its error names the characteristic, the line of the test, and the seed.
public final class HomeWorldAccessory: Sendable {
  private let world: HomeWorld
  private let host: World.Host
  /// The accessory itself. Its methods may only be called in ``HomeWorld/run(_:)`` or ``run(file:line:_:)``.
  public let running: RunningAccessory

  init(_ running: RunningAccessory, on host: World.Host, in world: HomeWorld) {
    (self.running, self.host, self.world) = (running, host, world)
  }

  /// The name.
  public var name: String { running.name }
  /// The setup code, such as "031-45-154".
  public var setupCode: String { running.setupCode }
  /// The content of its QR code, such as "X-HM://0071WK4SM7OSX".
  public var setupPayload: String { running.setupPayload }

  /// Runs code with the accessory in the world.
  public func run<T: Sendable>(
    file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable (RunningAccessory) async throws -> T
  ) async throws -> T {
    do { return try await world.run { [running] in try await body(running) } } catch {
      let place = "\(file):\(line)"
      // The message of an expectation begins with its place.
      let message = "\(error)".hasPrefix("\(place): ") ? String("\(error)".dropFirst(place.count + 2)) : "\(error)"
      throw HomeWorldError("\"\(name)\": \(message)", seed: world.seed, at: place)
    }
  }

  /// Sets a value by hand, like a person at the device: `set("On", to: true)`.
  public func set(
    _ characteristic: CharacteristicName, to value: Value, file: String = #fileID, line: Int = #line
  ) async throws {
    try await run(file: file, line: line) { try await $0.set(characteristic, to: value) }
  }

  /// Presses a button.
  public func press(
    _ press: ButtonPress = .single, service: String? = nil, file: String = #fileID, line: Int = #line
  ) async throws {
    try await run(file: file, line: line) { try await $0.press(press, service: service) }
  }

  /// Returns the value that the device has.
  public func value(
    of characteristic: CharacteristicName, file: String = #fileID, line: Int = #line
  ) async throws -> Value {
    try await run(file: file, line: line) { try await $0.value(of: characteristic) }
  }

  /// Expects that the app or the hub writes a value, or has written it. The limit is in virtual time.
  @discardableResult
  public func written(
    _ characteristic: CharacteristicName, _ value: Value? = nil, within limit: Duration = .seconds(5),
    file: String = #fileID, line: Int = #line
  ) async throws -> AccessoryEvent {
    try await run(file: file, line: line) {
      try await $0.written(characteristic, value, within: limit, file: file, line: line)
    }
  }

  /// Expects that neither an app nor the hub writes a value within a virtual time, or has written it since
  /// ``forgetEvents()``.
  public func notWritten(
    _ characteristic: CharacteristicName, _ value: Value? = nil, within time: Duration = .seconds(5),
    file: String = #fileID, line: Int = #line
  ) async throws {
    try await run(file: file, line: line) {
      try await $0.notWritten(characteristic, value, within: time, file: file, line: line)
    }
  }

  /// Expects that the device has a value now or within a virtual time.
  public func becomes(
    _ characteristic: CharacteristicName, _ value: Value, within limit: Duration = .seconds(5), file: String = #fileID,
    line: Int = #line
  ) async throws {
    try await run(file: file, line: line) {
      try await $0.becomes(characteristic, value, within: limit, file: file, line: line)
    }
  }

  /// Forgets all events so far: later expectations need new ones.
  public func forgetEvents() { running.forgetEvents() }

  /// Switches a fault on, such as "latency:by=2s". `hapsim faults` lists the faults.
  public func switchOn(fault: String, file: String = #fileID, line: Int = #line) async throws {
    try await run(file: file, line: line) { try await $0.switchOn(fault: fault) }
  }

  /// Switches a fault off.
  public func switchOff(fault: String, file: String = #fileID, line: Int = #line) async throws {
    try await run(file: file, line: line) { try await $0.switchOff(fault: fault) }
  }

  /// Disconnects the accessory from the network, or connects it again.
  public func setConnected(_ isConnected: Bool) async throws {
    try await world.run { [host] in host.setConnected(isConnected) }
  }
}

// MARK: Serving and adding

extension HomeWorld {
  /// Serves an accessory that the app can find and add.
  @discardableResult
  public func serve(_ device: Device, file: String = #fileID, line: Int = #line) async throws -> HomeWorldAccessory {
    do { return try await served(device) } catch { throw explained(error, at: "\(file):\(line)") }
  }

  func served(_ device: Device) async throws -> HomeWorldAccessory {
    let (running, host) = try await run { world in
      let host = world.addHost(device.name)
      return (try await host.start(device.profile, name: device.name), host)
    }
    let accessory = HomeWorldAccessory(running, on: host, in: self)
    devices.withLock { $0[device.name] = accessory }
    return accessory
  }

  func add(_ accessory: HomeWorldAccessory, _ device: Device, to home: HomeObjectID) async throws {
    // The hub finds the accessory by its announcement.
    let id = DeviceID(accessory.running.deviceID)
    let answer = try await ask(
      .add(AccessoryAddition(home: home, device: id, code: accessory.setupCode)))
    guard case .added(let ids, _) = answer, let first = ids.first else { return }
    if let record = model.home(home)?.accessories.find(first), record.name.text != device.name {
      _ = try await perform(.rename(first, device.name))
    }
    guard let room = device.room else { return }
    for id in ids { _ = try await perform(.moveAccessory(id, room: try await self.room(room, in: home))) }
  }

  private func room(_ name: String, in home: HomeObjectID) async throws -> HomeObjectID {
    if let room = model.home(home)?.rooms.first(where: { $0.name.text == name }) { return room.id }
    for change in try await perform(.addRoom(home: home, name: name)) {
      if case .roomAdded(let room) = change.detail { return room.id }
    }
    preconditionFailure("a room that was added is a change")
  }
}

extension HomeWorld {
  /// Makes a home match a `.hashome` file. The accessories of the file are found by name.
  func apply(_ path: String, to home: HomeObjectID) async throws {
    guard let data = FileManager.default.contents(atPath: path) else { throw InputProblem("\(path) can't be read") }
    let now = machine.now
    let plan: HomeFilePlan
    do throws(HomeFileProblems) {
      var file = try HomeFile.read(Array(data))
      // The simulated accessories have other device IDs than those of the file.
      file.accessories = file.accessories?.map { entry in
        var entry = entry
        entry.device = nil
        return entry
      }
      var options = HomeFile.PlanOptions()
      options.home = home
      var random = world.randomNumbers("home file")
      let context = HomeContext(now: now, zoneRules: { [zones] in zones.rules(of: $0) })
      plan = try file.plan(for: model, options, in: context, using: &random)
    } catch {
      throw InputProblem(error.problems.map { "\(path):\($0)" }.joined(separator: "\n"))
    }
    try await plan.perform { try await perform($0) }
  }
}

/// A mistake in the input of a test.
struct InputProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
