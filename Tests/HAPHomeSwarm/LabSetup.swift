import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel

/// A lamp of an accessory in the home.
package struct LabSlot: Hashable, Sendable {
  package let device: Int
  package let accessory: HomeObjectID
  package let on: HomeObjectID
  package let brightness: HomeObjectID
  package let token: HomeObjectID
  /// The characteristics in requests to the accessory.
  package let onID: AttributeID
  package let brightnessID: AttributeID
  package let tokenID: AttributeID
}

/// A request that a test needs was refused.
package struct LabRefusal: Error, CustomStringConvertible {
  package let description: String
}

extension Home {
  /// The accessories of a device, the device itself first.
  package func accessories(of device: LabDevice) -> [HomeAccessory] {
    accessories.filter { $0.deviceID == device.deviceID }.sorted { $0.aid < $1.aid }
  }

  /// The lamps of a device, in the order of the profile.
  package func slots(of device: LabDevice) -> [LabSlot] {
    accessories(of: device).flatMap { accessory in
      accessory.services.filter { $0.type == .lightbulb }.compactMap { service in
        func find(_ type: TypeID) -> HomeCharacteristic? { service.characteristics.first { $0.type == type } }
        guard let on = find(.on), let brightness = find(.brightness), let token = find(.token) else { return nil }
        func id(_ characteristic: HomeCharacteristic) -> AttributeID {
          AttributeID(aid: accessory.aid, iid: characteristic.iid)
        }
        return LabSlot(
          device: device.number, accessory: accessory.id, on: on.id, brightness: brightness.id, token: token.id,
          onID: id(on), brightnessID: id(brightness), tokenID: id(token))
      }
    }
  }

  /// The motion sensor of a device.
  package func motion(of device: LabDevice) -> HomeObjectID? {
    accessories(of: device).lazy.flatMap(\.services).flatMap(\.characteristics).first { $0.type == .motion }?.id
  }

  package func actionSet(_ name: String) -> ActionSet? { actionSets.first { $0.name.text == name } }
  package func trigger(_ name: String) -> Trigger? { triggers.first { $0.name.text == name } }
}

extension TypeID {
  fileprivate static let lightbulb: TypeID = 0x43
  fileprivate static let on: TypeID = 0x25
  fileprivate static let brightness: TypeID = 0x08
  fileprivate static let motion: TypeID = 0x22
  fileprivate static let token: TypeID = {
    guard let type = TypeID(LabProfile.token) else { preconditionFailure("the text is a UUID") }
    return type
  }()
}

extension LabApp {
  /// Sends a request that has to succeed.
  @discardableResult
  package func must(_ request: HubRequest) async throws -> HubAnswer {
    switch await ask(request) {
    case .success(let answer): return answer
    case .failure(let error): throw LabRefusal(description: "\(request): \(error)")
    case nil: throw LabRefusal(description: "\(request): no answer")
    }
  }

  @discardableResult
  package func perform(_ command: HomeCommand) async throws -> HubAnswer { try await must(.perform(command)) }

  /// Executes action sets. A refusal of the whole request is an error.
  package func execute(_ sets: [String]) async throws -> ExecutionResult {
    let ids = sets.compactMap { home.actionSet($0)?.id }
    guard case .executed(let result) = try await must(.execute(ids)) else {
      throw LabRefusal(description: "another answer")
    }
    return result
  }

  /// Adds a home, and the devices.
  package func setUp(_ devices: [LabDevice]) async throws {
    try await perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
    for device in devices { try await add(device) }
  }

  package func add(_ device: LabDevice) async throws {
    try await must(.add(AccessoryAddition(home: home.id, device: device.deviceID, code: LabProfile.code)))
  }

  package func addSet(_ name: String, _ actions: [HomeAction]) async throws {
    try await perform(.addActionSet(home: home.id, name: name))
    guard let set = home.actionSet(name)?.id else { throw LabRefusal(description: "no set \(name)") }
    for action in actions { try await perform(.addAction(actionSet: set, action)) }
  }

  /// Adds a trigger with a set, and enables it.
  package func addTrigger(_ name: String, _ kind: Trigger.Kind, runs set: String) async throws {
    try await perform(.addTrigger(home: home.id, name: name, kind))
    guard let trigger = home.trigger(name)?.id, let set = home.actionSet(set)?.id else {
      throw LabRefusal(description: "no trigger \(name)")
    }
    try await perform(.addActionSetToTrigger(actionSet: set, trigger: trigger))
    try await perform(.enableTrigger(trigger))
  }

  /// The outcomes of the evaluations of a trigger.
  package func outcomes(of trigger: String) async throws -> [String] {
    guard let id = home.trigger(trigger)?.id, case .explained(let reports) = try await must(.explain(id)) else {
      return []
    }
    return reports.map(\.outcome)
  }
}
