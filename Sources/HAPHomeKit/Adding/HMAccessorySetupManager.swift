import Foundation
import HAPHome

/// The addition of accessories without an `HMHomeManager`. HMAccessorySetupManager
public final class HMAccessorySetupManager: NSObject, Sendable {
  private let place: any AppPlace

  /// Creates a manager.
  public override convenience init() { self.init(AppPlaces.found) }

  package init(_ place: any AppPlace) { self.place = place }

  /// True: all programs can add accessories.
  public class var isSupported: Bool { true }

  /// Lets the person add an accessory. `HMSetupUI.shared` asks for what the request does not answer.
  ///
  /// An `HMHomeManager` of the same program is notified, as if another app had added the accessory.
  /// - Throws: 2 for an unknown home, and without a home; 18 for a wrong code; 23 if the person cancels: then the pairing
  ///   is removed; 48 for a payload with an ownership token; 91 without a hub.
  public func performAccessorySetup(
    using request: HMAccessorySetupRequest,
    completionHandler completion: @escaping (HMAccessorySetupResult?, (any Error)?) -> Void
  ) {
    // The app can change the request during the operation.
    let (place, prompt, values) = (place, HMSetupUI.shared, request.values)
    place.begin {
      if let problem = values.payload?.problem { throw problem }
      let session = AppSession(place)
      defer { session.close() }
      session.open()
      // The homes are known before the first answer.
      _ = try await session.answer(to: .endSearch)
      let added = try await SetupRunner(session, prompt, SetupRunner.Request(values)).run()
      return HMAccessorySetupResult(home: UUID(added.home), accessories: added.accessories.map { UUID($0) })
    } then: {
      completion(try? $0.get(), $0.error)
    }
  }

  /// Lets the person add an accessory.
  /// - Throws: as the form with a handler.
  public func performAccessorySetup(using request: HMAccessorySetupRequest) async throws -> HMAccessorySetupResult {
    try await awaiting { performAccessorySetup(using: request, completionHandler: $0) }
  }
}

extension SetupRunner.Request {
  fileprivate init(_ values: HMAccessorySetupRequest.Values) {
    self.init(
      home: values.home.map { HomeObjectID($0) }, payload: values.payload?.content, name: values.name,
      room: values.room.map { HomeObjectID($0) })
  }
}
