import HAPController
import HAPHome
import HAPModel

/// The part of a device's description whose change is news: all except for the values that are not names or texts of
/// Accessory Information.
struct DescriptionKey {
  private let configurationNumber: UInt32
  private let category: UInt8
  private let database: AttributeDatabase
  private let texts: [Value]

  /// Name, Manufacturer, Model, Serial Number and Firmware Revision.
  private static let types: Set<TypeID> = [0x23, 0x20, 0x21, 0x30, 0x52]

  /// - Parameter database: of the description.
  init(_ description: DeviceDescription, _ database: AttributeDatabase) {
    configurationNumber = description.configurationNumber
    category = description.category
    self.database = database
    texts = database.characteristics.filter { Self.types.contains($0.type) }.map(\.value)
  }

  /// Whether two descriptions have no difference that is news.
  func isSame(as other: DescriptionKey) -> Bool {
    configurationNumber == other.configurationNumber && category == other.category && texts == other.texts
      && database.services == other.database.services && database.hasStructure(of: other.database)
  }
}
