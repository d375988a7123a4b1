/// The data that a controller needs to find an accessory and to pair with it.
package struct AccessoryIntroduction: Equatable, Sendable {
  package let name: String
  package let deviceID: String
  package let setupCode: String
  package let setupPayload: String
  package let category: String
  package let port: UInt16
}
