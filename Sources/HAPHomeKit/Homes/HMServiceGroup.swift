import Foundation
import HAPHome

/// A group of services of a home, such as all night lights. HMServiceGroup
public final class HMServiceGroup: NSObject, HomeKitObject {
  let handle: Handle<ServiceGroup>
  init(_ handle: Handle<ServiceGroup>) { self.handle = handle }

  /// The name, unique in the home.
  public var name: String { handle.record.name.text }
  /// The identifier, which stays the same after renames and relaunches.
  public var uniqueIdentifier: UUID { handle.uuid }

  /// The services, in the order in which they were added.
  public var services: [HMService] {
    guard let session = handle.liveSession, let home = handle.homeRecord else { return [] }
    return handle.record.services.compactMap { session.service($0, in: home) }
  }

  /// Renames the group.
  /// - Throws: 31, 35, 36, 60 for the name.
  public func updateName(_ name: String, completionHandler completion: @escaping ((any Error)?) -> Void) {
    handle.perform(.rename(handle.id, name), completion)
  }

  /// Renames the group.
  /// - Throws: as the form with a handler.
  public func updateName(_ name: String) async throws { try await awaiting { updateName(name, completionHandler: $0) } }

  /// Adds a service, which can be in several groups.
  /// - Throws: 1 for a service that is in the group; 11 for a service of another home.
  public func addService(_ service: HMService, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform(.addServiceToGroup(service: service.handle.id, group: handle.id), with: service, completion)
  }

  /// Adds a service.
  /// - Throws: as the form with a handler.
  public func addService(_ service: HMService) async throws {
    try await awaiting { addService(service, completionHandler: $0) }
  }

  /// Removes a service from the group. It stays in its accessory.
  /// - Throws: 2 for a service that is not in the group.
  public func removeService(_ service: HMService, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform(.removeServiceFromGroup(service: service.handle.id, group: handle.id), with: service, completion)
  }

  /// Removes a service from the group.
  /// - Throws: as the form with a handler.
  public func removeService(_ service: HMService) async throws {
    try await awaiting { removeService(service, completionHandler: $0) }
  }

  private func perform(_ command: HomeCommand, with service: HMService, _ done: @escaping ((any Error)?) -> Void) {
    if let problem = handle.home?.problem(with: service.handle) { return AppSession.refuse(problem) { done($0.error) } }
    handle.perform(command, done)
  }
}
