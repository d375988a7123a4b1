import HAPSuite
import HAPWire

/// Runs hooks as commands of `hapsim run --commands` in the accessory's process.
package struct SimulatorHooks: HookRunner {
  private let process: AccessoryProcess
  /// The name of the accessory for the commands, if the process serves several accessories.
  private let accessory: String?
  /// Writes the changed profile for `add-accessory` and `remove-accessory`, and returns its path. nil: these hooks are unavailable.
  private let profile: (@Sendable (HookName) throws(HookFailure) -> String)?

  /// - Parameter profile: writes the profile to serve after `add-accessory` or `remove-accessory`, and returns its path. Called on the
  ///   executor of the hook.
  package init(
    _ process: AccessoryProcess, accessory: String? = nil,
    profile: (@Sendable (HookName) throws(HookFailure) -> String)? = nil
  ) {
    self.process = process
    self.accessory = accessory
    self.profile = profile
  }

  package func isAvailable(_ name: HookName) -> Bool {
    switch name {
    case .addAccessory, .removeAccessory: profile != nil
    default: true
    }
  }

  package func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? {
    if hook.name == .identified { return try await identified() }
    let (name, members) = try command(for: hook)
    do throws(HookFailure) {
      return try await process.perform(name, members)
    } catch {
      // If the profile can't be changed, the suite is not at fault.
      let isProfile = hook.name == .addAccessory || hook.name == .removeAccessory
      let code = isProfile && error.code == .refused ? .unavailable : error.code
      throw HookFailure(code, "hook \"\(hook.name.rawValue)\": \(error.message)")
    }
  }

  /// Reads the `identify` events. Events that were written before a command's answer are read before it.
  private func identified() async throws(HookFailure) -> JSONNode {
    _ = try await process.perform("status")
    let events = await process.takeEvents("identify").filter { event in
      accessory == nil || event["accessory"]?.stringValue == accessory
    }
    let seconds = events.last?["seconds"].map { [("seconds", $0)] } ?? []
    return .object([("aids", .list(events.compactMap { $0["aid"] }))] + seconds)
  }

  /// Returns the hapsim command for the hook, and its members.
  func command(for hook: HookCall) throws(HookFailure) -> (name: String, members: [(name: String, value: JSONNode)]) {
    let server = accessory.map { [("accessory", JSONNode.text($0))] } ?? []
    let one = hook.aid.map { [("accessory", JSONNode.integer($0))] } ?? server
    let service: [(String, JSONNode)] =
      switch hook.service {
      case .name(let name): [("service", .text(name))]
      case .iid(let iid): [("service", .integer(iid))]
      case nil: []
      }
    let value = hook.value.map { [("value", $0)] } ?? []
    switch hook.name {
    case .reboot, .powerCut, .factoryReset: return (hook.name.rawValue, server)
    case .press: return ("press", (hook.kind.map { [("kind", .text($0))] } ?? []) + service + one)
    case .trigger: return ("trigger", service + one)
    case .obstruct, .jam: return (hook.name.rawValue, value + service + one)
    case .battery: return ("battery", [("value", try needed(hook))] + service + one)
    case .offline, .online: return (hook.name.rawValue, one)
    case .radio: return ("radio", [("value", try needed(hook))] + server)
    // hapsim's own `stop` ends the process, and no command restarts it. `radio` looks the same from outside: a goodbye, then no listener.
    case .stop: return ("radio", [("value", JSONNode(.bool(false)))] + server)
    case .start: return ("radio", [("value", JSONNode(.bool(true)))] + server)
    case .set: return try set(hook, service, one, server)
    case .addAccessory, .removeAccessory:
      guard let profile else {
        throw unavailable(hook, "hapsim changes its database by serving another profile, and no profile was found")
      }
      do throws(HookFailure) {
        return ("replace", [("profile", .text(try profile(hook.name)))] + server)
      } catch { throw HookFailure(error.code, "hook \"\(hook.name.rawValue)\": \(error.message)") }
    case .identified: throw unavailable(hook, "hapsim reports it with events, not with a command")
    case .stall:
      if let iid = hook.iid {
        return ("stall", [("characteristic", .text("\(hook.aid ?? 1).\(iid)"))] + value + server)
      }
      guard let characteristic = hook.characteristic else {
        throw unavailable(hook, "it needs a characteristic")
      }
      return ("stall", [("characteristic", .text(characteristic))] + value + service + one)
    }
  }

  private func set(
    _ hook: HookCall, _ service: [(String, JSONNode)], _ one: [(String, JSONNode)], _ server: [(String, JSONNode)]
  ) throws(HookFailure) -> (name: String, members: [(name: String, value: JSONNode)]) {
    let value = ("value", try needed(hook))
    // An address also identifies a bridged accessory.
    if let iid = hook.iid { return ("set", [("characteristic", .text("\(hook.aid ?? 1).\(iid)")), value] + server) }
    guard let characteristic = hook.characteristic else {
      throw unavailable(hook, "it needs a characteristic")
    }
    return ("set", [("characteristic", .text(characteristic)), value] + service + one)
  }

  private func needed(_ hook: HookCall) throws(HookFailure) -> JSONNode {
    guard let value = hook.value else { throw unavailable(hook, "it needs a value") }
    return value
  }

  private func unavailable(_ hook: HookCall, _ why: String) -> HookFailure {
    HookFailure(.unavailable, "hook \"\(hook.name.rawValue)\": \(why)")
  }
}
