import Foundation
import HAPHome
import HAPModel

extension HMHome {
  /// Lets the person add an accessory: its setup code, the accessory, and a name and a room for each of its services.
  /// `HMSetupUI.shared` asks.
  /// - Throws: 23 if the person cancels; then the pairing is removed. 4 if it can't be removed: the accessory stays.
  @available(*, deprecated, message: "Use HMAccessorySetupManager.")
  public func addAndSetupAccessories(completionHandler completion: @escaping ((any Error)?) -> Void) {
    addAccessories(nil) { completion($0.error) }
  }

  /// Lets the person add an accessory.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use HMAccessorySetupManager.")
  public func addAndSetUpAccessories() async throws {
    try await awaiting { done in addAccessories(nil) { done($0.error) } }
  }

  /// Adds the accessory with a setup payload. The person gives a name and a room for each of its services.
  ///
  /// If the payload has no setup ID, the person chooses the accessory. The handler gets the accessories, a bridge before
  /// its bridged ones.
  /// - Throws: 18 if the code in the payload is wrong, and the person has no other one; 23 if the person cancels; 48 for
  ///   a payload with an ownership token; 57 if the accessory is not on the network.
  @available(*, deprecated, message: "Use HMAccessorySetupManager.")
  public func addAndSetupAccessories(
    with payload: HMAccessorySetupPayload,
    completionHandler completion: @escaping ([HMAccessory]?, (any Error)?) -> Void
  ) {
    addAccessories(payload) { completion(try? $0.get(), $0.error) }
  }

  /// Adds the accessory with a setup payload.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use HMAccessorySetupManager.")
  public func addAndSetUpAccessories(payload: HMAccessorySetupPayload) async throws -> [HMAccessory] {
    try await awaiting { done in addAccessories(payload) { done(try? $0.get(), $0.error) } }
  }

  private func addAccessories(
    _ payload: HMAccessorySetupPayload?, _ done: @escaping (Result<[HMAccessory], HMError>) -> Void
  ) {
    let (prompt, request) = (HMSetupUI.shared, SetupRunner.Request(home: handle.id, payload: payload?.content))
    let problem: HMError? = handle.isGone ? .removedObject : payload?.problem
    guard let session, problem == nil else {
      let error = problem ?? .sessionEnded
      return AppSession.refuse(error) { _ in done(.failure(error)) }
    }
    session.place.begin {
      let added = try await SetupRunner(session, prompt, request).run()
      guard let home = session.homeRecord(added.home) else { return [] }
      return added.accessories.compactMap { session.accessory($0, in: home) }
    } then: {
      done($0)
    }
  }
}
