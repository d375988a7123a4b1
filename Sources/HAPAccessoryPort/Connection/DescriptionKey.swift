import HAPController
import HAPHome
import HAPModel

/// The part of a device's description whose change is news: all except for the values that are not names or texts of
/// Accessory Information.
struct DescriptionKey: Equatable {
  private let configurationNumber: UInt32
  private let category: UInt8
  private let structure: String
  private let services: [AttributeDatabase.ServiceEntry]
  private let texts: [Value]

  /// Name, Manufacturer, Model, Serial Number and Firmware Revision.
  private static let types: Set<TypeID> = [0x23, 0x20, 0x21, 0x30, 0x52]

  /// - Parameter database: of the description.
  init(_ description: DeviceDescription, _ database: AttributeDatabase) {
    configurationNumber = description.configurationNumber
    category = description.category
    structure = database.structure
    services = database.services
    texts = database.characteristics.filter { Self.types.contains($0.type) }.map(\.value)
  }
}
