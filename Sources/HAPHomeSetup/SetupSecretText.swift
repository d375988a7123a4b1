import HAPHome
import HAPModel

/// A setup code or a setup payload as a person enters it.
struct SetupSecretText: Hashable, Sendable {
  /// The code "031-45-154", or the payload.
  let text: String
  /// Whether the payload has the setup ID of the accessory, so that the hub finds it.
  let findsAccessory: Bool

  /// - Throws: 3 for a text that is neither, 48 for an accessory that can't be added.
  init(_ entered: String) throws(HomeError) {
    let words = entered.unicodeScalars.split { $0.properties.isWhitespace }
    let text = words.map { String(String.UnicodeScalarView($0)) }.joined()
    if text.uppercased().hasPrefix("MT:") {
      throw HomeError(
        .operationNotSupported, nil, "this is the code of a Matter accessory: enter the code of a HomeKit accessory")
    }
    guard SetupPayload.isMeant(by: text) else {
      do throws(SetupCodeError) { self.text = try SetupCode(typed: text).text } catch {
        throw HomeError(.invalidParameter, nil, "this is not a setup code: \(error)")
      }
      findsAccessory = false
      return
    }
    let payload: SetupPayload
    do throws(SetupPayloadError) { payload = try SetupPayload(uri: text) } catch {
      throw HomeError(.invalidParameter, nil, "this is not a setup payload: \(error)")
    }
    guard let code = payload.code else {
      throw HomeError(.invalidParameter, nil, "the payload has no setup code: enter the code of the accessory")
    }
    guard payload.supportsIP else {
      throw HomeError(.operationNotSupported, nil, "the accessory supports only Bluetooth LE: add one that supports IP")
    }
    findsAccessory = payload.setupID != nil
    self.text = findsAccessory ? text : code.text
  }
}
