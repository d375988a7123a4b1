import Foundation
import HAPHomeKit

/// Members that Apple deprecated, and that apps still use. Tests call them through protocols, without a warning.
struct Old<Object> {
  let object: Object
  init(_ object: Object) { self.object = object }
}

/// The calls, whose implementations are deprecated themselves.
private protocol OldManager {
  var oldPrimaryHome: HMHome? { get }
  func oldUpdatePrimaryHome(_ home: HMHome) async throws
}
private protocol OldHome {
  var oldUsers: [HMUser] { get }
  func oldRemoveUser(_ user: HMUser) async throws
  func oldAddAndSetUp(_ payload: HMAccessorySetupPayload) async throws -> [HMAccessory]
}
private protocol OldTrigger { var oldLastFireDate: Date? { get } }

extension HMHomeManager: OldManager {
  @available(*, deprecated) var oldPrimaryHome: HMHome? { primaryHome }
  @available(*, deprecated) func oldUpdatePrimaryHome(_ home: HMHome) async throws { try await updatePrimaryHome(home) }
}
extension HMHome: OldHome {
  @available(*, deprecated) var oldUsers: [HMUser] { users }
  @available(*, deprecated) func oldRemoveUser(_ user: HMUser) async throws { try await removeUser(user) }
  @available(*, deprecated) func oldAddAndSetUp(_ payload: HMAccessorySetupPayload) async throws -> [HMAccessory] {
    try await addAndSetUpAccessories(payload: payload)
  }
}
extension HMTrigger: OldTrigger {
  @available(*, deprecated) var oldLastFireDate: Date? { lastFireDate }
}

extension Old<HMHomeManager> {
  var primaryHome: HMHome? { (object as any OldManager).oldPrimaryHome }
  func updatePrimaryHome(_ home: HMHome) async throws {
    try await (object as any OldManager).oldUpdatePrimaryHome(home)
  }
}
extension Old<HMHome> {
  var users: [HMUser] { (object as any OldHome).oldUsers }
  func removeUser(_ user: HMUser) async throws { try await (object as any OldHome).oldRemoveUser(user) }
  func addAndSetUpAccessories(payload: HMAccessorySetupPayload) async throws -> [HMAccessory] {
    try await (object as any OldHome).oldAddAndSetUp(payload)
  }
}
extension Old where Object: HMTrigger {
  var lastFireDate: Date? { (object as any OldTrigger).oldLastFireDate }
}
