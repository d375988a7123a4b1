import Foundation

extension HMHomeManager {
  /// Refuses with the error 48: no manufacturer has an app here that only it can use.
  public func findVendorAccessory(
    hapPublicKey: Data, completionHandler completion: @escaping (HMAccessory?, (any Error)?) -> Void
  ) {
    let error = HMError(.operationNotSupported, "accessories of one manufacturer's app are not supported")
    AppSession.refuse(error) { completion(nil, $0.error) }
  }

  /// Refuses with the error 48.
  /// - Throws: as the form with a handler.
  public func findVendorAccessory(hapPublicKey: Data) async throws -> HMAccessory? {
    let found: HMAccessory = try await awaiting {
      findVendorAccessory(hapPublicKey: hapPublicKey, completionHandler: $0)
    }
    return found
  }
}
