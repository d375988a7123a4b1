import Foundation
import HAPHome
import HAPHubLink
import HAPModel

extension HMHome {
  /// The accessories, each bridged one after its bridge.
  public var accessories: [HMAccessory] { objects(record.accessories) { $0.accessory($1, in: $2) } }

  /// Adds an accessory that a browser found. `HMSetupUI.shared` asks for the setup code.
  ///
  /// Afterwards, the object belongs to this home.
  /// - Throws: 13 for an accessory of a home; 18 for a wrong code; 23 if the person cancels; 57 if it has disappeared.
  public func addAccessory(_ accessory: HMAccessory, completionHandler completion: @escaping ((any Error)?) -> Void) {
    accessory.add(to: self, completion)
  }

  /// Adds an accessory that a browser found.
  /// - Throws: as the form with a handler.
  public func addAccessory(_ accessory: HMAccessory) async throws {
    try await awaiting { addAccessory(accessory, completionHandler: $0) }
  }

  /// Removes an accessory, or a bridge with its bridged accessories. If it can't be reached, it loses its pairing later.
  /// - Throws: 34 for a bridged accessory.
  public func removeAccessory(_ accessory: HMAccessory, completionHandler completion: @escaping ((any Error)?) -> Void)
  {
    guard let handle = handle(of: accessory, completion) else { return }
    self.handle.ask(.remove(handle.id, forgets: true)) { completion($0.error) }
  }

  /// Removes an accessory, or a bridge with its bridged accessories.
  /// - Throws: as the form with a handler.
  public func removeAccessory(_ accessory: HMAccessory) async throws {
    try await awaiting { removeAccessory(accessory, completionHandler: $0) }
  }

  /// Moves an accessory to a room.
  /// - Throws: 11 for a room or an accessory of another home.
  public func assignAccessory(
    _ accessory: HMAccessory, to room: HMRoom, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    guard let handle = handle(of: accessory, completion) else { return }
    perform(.moveAccessory(handle.id, room: room.handle.id), with: room.handle, completion)
  }

  /// Moves an accessory to a room.
  /// - Throws: as the form with a handler.
  public func assignAccessory(_ accessory: HMAccessory, to room: HMRoom) async throws {
    try await awaiting { assignAccessory(accessory, to: room, completionHandler: $0) }
  }

  /// Returns the services of these types in all accessories; nil without one.
  /// - Parameter serviceTypes: such as `HMServiceTypeLightbulb`.
  public func servicesWithTypes(_ serviceTypes: [String]) -> [HMService]? {
    let services = accessories.flatMap(\.services).filter { serviceTypes.contains($0.serviceType) }
    return services.isEmpty ? nil : services
  }

  /// Lets the hub use a blocked accessory again.
  /// - Throws: 81 for a bridged accessory.
  public func unblockAccessory(_ accessory: HMAccessory, completionHandler completion: @escaping ((any Error)?) -> Void)
  {
    guard let handle = handle(of: accessory, completion) else { return }
    self.handle.perform(.unblockAccessory(handle.id), completion)
  }

  /// Lets the hub use a blocked accessory again.
  /// - Throws: as the form with a handler.
  public func unblockAccessory(_ accessory: HMAccessory) async throws {
    try await awaiting { unblockAccessory(accessory, completionHandler: $0) }
  }

  /// The handle of an accessory of this home. Otherwise, the handler gets the error.
  private func handle(
    of accessory: HMAccessory, _ completion: @escaping ((any Error)?) -> Void
  ) -> Handle<HomeAccessory>? {
    guard let handle = accessory.handle else {
      AppSession.refuse(.notInHome) { completion($0.error) }
      return nil
    }
    if let problem = problem(with: handle) {
      AppSession.refuse(problem) { completion($0.error) }
      return nil
    }
    return handle
  }
}

extension HMError {
  static let notInHome = HMError(
    .objectNotAssociatedToAnyHome, "the object is in no home: add it to one with HMHome first")
}
