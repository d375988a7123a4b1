import Foundation
import HAPHome
import HAPModel

/// A service of an accessory, such as a light. HMService
public final class HMService: NSObject, HomeKitObject {
  let handle: Handle<HomeService>
  init(_ handle: Handle<HomeService>) { self.handle = handle }

  /// The name in the home.
  public var name: String { handle.record.name.text }
  /// The identifier, which stays the same after renames and relaunches.
  public var uniqueIdentifier: UUID { handle.uuid }
  /// The type: a UUID in upper case, such as `HMServiceTypeLightbulb`.
  public var serviceType: String { handle.record.type.uuid }
  /// The name of the type for people, in English; for a type that is not Apple's, the UUID.
  public var localizedDescription: String { Catalogue.service(handle.record.type)?.name ?? serviceType }
  /// The type of the device that a switch or an outlet controls; nil: not set.
  public var associatedServiceType: String? { handle.record.associatedType?.uuid }
  /// Whether apps show it to people: not Accessory Information, for example.
  public var isUserInteractive: Bool { handle.record.isUserInteractive }
  /// Whether it is the main function of its accessory.
  public var isPrimaryService: Bool { handle.record.isPrimary }
  /// Nil: it is not on a Matter accessory.
  public var matterEndpointID: UInt16? { nil }

  /// The accessory; nil after the end of the manager.
  public var accessory: HMAccessory? {
    guard let session = handle.session, let id = handle.path.accessory else { return nil }
    return session.known(HMAccessory.self, id) ?? handle.homeRecord.flatMap { session.accessory(id, in: $0) }
  }

  /// The characteristics, in the order of the accessory.
  public var characteristics: [HMCharacteristic] {
    guard let session = handle.session else { return [] }
    return handle.record.characteristics.map { session.characteristic($0, handle.path) }
  }

  /// The linked services; nil without one.
  public var linkedServices: [HMService]? {
    let linked = handle.record.linked
    guard !linked.isEmpty, let services = accessory?.services else { return nil }
    return linked.compactMap { iid in services.first { $0.handle.record.iid == iid } }
  }

  /// Renames the service in the home. The accessory keeps its own name of it.
  /// - Throws: 31, 35, 36, 60 for the name.
  public func updateName(_ name: String, completionHandler completion: @escaping ((any Error)?) -> Void) {
    handle.perform(.rename(handle.id, name), completion)
  }

  /// Renames the service in the home.
  /// - Throws: as the form with a handler.
  public func updateName(_ name: String) async throws { try await awaiting { updateName(name, completionHandler: $0) } }

  /// Sets the type of the device that a switch or an outlet controls, such as `HMServiceTypeFan`; nil: none.
  /// - Throws: 62 for a service that is neither a switch nor an outlet, and for a type that is not possible.
  public func updateAssociatedServiceType(
    _ serviceType: String?, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    let type = serviceType.map { TypeID($0) }
    if case .some(.none) = type {
      let error = HMError(.invalidAssociatedServiceType, "\"\(serviceType ?? "")\" is not a UUID of a service type")
      return AppSession.refuse(error) { completion($0.error) }
    }
    handle.perform(.setAssociatedType(service: handle.id, type ?? nil), completion)
  }

  /// Sets the type of the device that a switch or an outlet controls.
  /// - Throws: as the form with a handler.
  public func updateAssociatedServiceType(_ serviceType: String?) async throws {
    try await awaiting { updateAssociatedServiceType(serviceType, completionHandler: $0) }
  }
}
