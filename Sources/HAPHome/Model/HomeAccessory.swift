import HAPModel

/// An accessory of a home, with its services. Values of characteristics are not part of the model.
public struct HomeAccessory: Hashable, Sendable {
  /// How the accessory is reached. Matter and Bluetooth LE add cases.
  public enum Transport: Hashable, Sendable {
    /// HAP: the identifier of the paired device, and the accessory in it. A bridge has aid 1.
    case hap(DeviceID, aid: UInt64)
  }

  /// The persistent identifier.
  public let id: HomeObjectID
  /// The name in this home. It is never written to the accessory.
  public internal(set) var name: HomeName
  /// The accessory's room.
  public internal(set) var room: HomeObjectID
  /// The number of the category, as in the Bonjour record (HAP R2 §13).
  public internal(set) var category: UInt8
  /// How the accessory is reached.
  public let transport: Transport
  /// The bridge of a bridged accessory; nil for any other accessory.
  public let bridge: HomeObjectID?
  /// The services, in the order of the accessory's database.
  public internal(set) var services: [HomeService]
  /// Whether the hub refuses requests because the accessory broke the protocol several times (home.md §10).
  public internal(set) var isBlocked = false
  /// The texts of Accessory Information.
  public internal(set) var information: AccessoryInformation
  /// `c#` of the database from which the services were taken; HAP R2 §6.4.
  public internal(set) var configurationNumber: UInt32

  /// The device ID of the paired device: of the bridge, if there is one.
  public var deviceID: DeviceID {
    switch transport {
    case .hap(let device, aid: _): device
    }
  }

  /// The accessory instance ID. 1 is the paired device itself.
  public var aid: UInt64 {
    switch transport {
    case .hap(_, let aid): aid
    }
  }
}

/// The texts of the Accessory Information service; nil if the accessory has no such characteristic.
public struct AccessoryInformation: Hashable, Sendable {
  /// Manufacturer.
  public var manufacturer: String?
  /// Model.
  public var model: String?
  /// Serial Number.
  public var serialNumber: String?
  /// Firmware Revision.
  public var firmware: String?

  /// Creates the texts.
  public init(
    manufacturer: String? = nil, model: String? = nil, serialNumber: String? = nil, firmware: String? = nil
  ) {
    (self.manufacturer, self.model) = (manufacturer, model)
    (self.serialNumber, self.firmware) = (serialNumber, firmware)
  }
}

/// A service of an accessory.
public struct HomeService: Hashable, Sendable {
  /// The identifier: `HomeObjectID.part(iid:)` of the accessory.
  public let id: HomeObjectID
  /// The instance ID in the accessory.
  public let iid: UInt64
  /// The type.
  public let type: TypeID
  /// The name in this home. It is never written to the accessory.
  public internal(set) var name: HomeName
  /// The type of the device that a switch or an outlet controls, such as a fan; nil: not set.
  public internal(set) var associatedType: TypeID?
  /// Whether it is the accessory's main function.
  public let isPrimary: Bool
  /// Whether an app shows the service to people: false for Accessory Information and other services without a function.
  public let isUserInteractive: Bool
  /// The iids of the linked services.
  public let linked: [UInt64]
  /// The characteristics, in the order of the accessory's database.
  public let characteristics: [HomeCharacteristic]
}

/// A characteristic of a service, without its value.
public struct HomeCharacteristic: Hashable, Sendable {
  /// The identifier: `HomeObjectID.part(iid:)` of the accessory.
  public let id: HomeObjectID
  /// The instance ID in the accessory.
  public let iid: UInt64
  /// The type.
  public let type: TypeID
  /// The permitted operations.
  public let permissions: Permissions
  /// The format and the limits of the value.
  public let rules: ValueRules
  /// The unit; nil if there is none.
  public let unit: Unit?
  /// The manufacturer's description.
  public let description: String?

  /// The unit that people see: of the accessory, or else of Apple's catalogue. Nil for values without a unit.
  package var shownUnit: Unit? { unit ?? Catalogue.characteristic(type)?.unit }
}
