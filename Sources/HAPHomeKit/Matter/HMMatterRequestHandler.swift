import Foundation

/// The requests to the Matter extension of an app, which overrides the methods. No system makes such requests here.
/// HMMatterRequestHandler
open class HMMatterRequestHandler: NSObject {
  /// Returns the rooms of a home. This implementation refuses with the error 48.
  open func fetchRooms(in home: HMMatterHome, completion: @escaping ([HMMatterRoom]?, (any Error)?) -> Void) {
    AppSession.refuse(.noMatter) { completion(nil, $0.error) }
  }

  /// Returns the rooms of a home.
  open func rooms(in home: HMMatterHome) async throws -> [HMMatterRoom] {
    try await awaiting { fetchRooms(in: home, completion: $0) }
  }

  /// Pairs with an accessory. This implementation refuses with the error 48.
  open func pairAccessory(
    in home: HMMatterHome, onboardingPayload: String, completion: @escaping ((any Error)?) -> Void
  ) {
    AppSession.refuse(.noMatter) { completion($0.error) }
  }

  /// Pairs with an accessory.
  open func pairAccessory(in home: HMMatterHome, onboardingPayload: String) async throws {
    try await awaiting { pairAccessory(in: home, onboardingPayload: onboardingPayload, completion: $0) }
  }

  /// Names an accessory and moves it to a room. This implementation refuses with the error 48.
  open func configureAccessory(
    named accessoryName: String, room accessoryRoom: HMMatterRoom, completion: @escaping ((any Error)?) -> Void
  ) {
    AppSession.refuse(.noMatter) { completion($0.error) }
  }

  /// Names an accessory and moves it to a room.
  open func configureAccessory(named accessoryName: String, room accessoryRoom: HMMatterRoom) async throws {
    try await awaiting { configureAccessory(named: accessoryName, room: accessoryRoom, completion: $0) }
  }
}

extension HMError {
  static let noMatter = HMError(.operationNotSupported, "the hub does not support Matter: use a HomeKit accessory")
}
