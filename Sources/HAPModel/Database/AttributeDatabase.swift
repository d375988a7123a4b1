/// All attributes of a server, stored flat: one look-up finds a characteristic by its address, and after that it is
/// addressed by its *slot*.
///
/// A slot is a characteristic's position in the order of `/accessories`, 0..<`characteristics.count`. Slots never
/// change during the lifetime of the database; a change of structure creates a new database. Values change in place.
public struct AttributeDatabase: Sendable {
  /// The position of one accessory.
  public struct AccessoryEntry: Hashable, Sendable {
    /// Accessory instance ID.
    public let aid: UInt64
    /// Its services, as positions in `services`.
    public let services: Range<Int>
    /// Its characteristics, as slots.
    public let slots: Range<Int>
  }

  /// A service without its characteristics, and their position.
  public struct ServiceEntry: Hashable, Sendable {
    /// Its accessory, as a position in `accessoryEntries`.
    public let accessory: Int
    /// Instance ID.
    public let iid: UInt64
    /// The service type.
    public let type: TypeID
    /// Whether it is the accessory's main function.
    public let isPrimary: Bool
    /// Whether it is hidden from users.
    public let isHidden: Bool
    /// Instance IDs of the services linked from this one.
    public let linked: [UInt64]
    /// Its characteristics, as slots.
    public let slots: Range<Int>
  }

  /// The accessories in order.
  public let accessoryEntries: [AccessoryEntry]
  /// All services, accessory by accessory.
  public let services: [ServiceEntry]
  /// All characteristics, by slot. Only values may be changed: IDs and types are indexed.
  public package(set) var characteristics: ContiguousArray<Characteristic>

  private let ids: ContiguousArray<AttributeID>
  private let serviceOfSlot: ContiguousArray<Int>
  private let slots: [AttributeID: Int]

  /// Stores the accessories.
  /// - Throws: `DatabaseError` for the first ID that is 0 or used twice. No other rules are checked here; the profile
  ///   checks them.
  public init(_ accessories: [Accessory]) throws(DatabaseError) {
    var accessoryEntries: [AccessoryEntry] = []
    var services: [ServiceEntry] = []
    var characteristics: ContiguousArray<Characteristic> = []
    var ids: ContiguousArray<AttributeID> = []
    var serviceOfSlot: ContiguousArray<Int> = []
    var slots: [AttributeID: Int] = [:]
    var aids: Set<UInt64> = []
    // Exact capacities: these arrays are permanent, and growth would leave up to half of them empty.
    let serviceCount: Int = accessories.reduce(0) { $0 + $1.services.count }
    let slotCount: Int = accessories.reduce(0) { $1.services.reduce($0) { $0 + $1.characteristics.count } }
    accessoryEntries.reserveCapacity(accessories.count)
    services.reserveCapacity(serviceCount)
    characteristics.reserveCapacity(slotCount)
    ids.reserveCapacity(slotCount)
    serviceOfSlot.reserveCapacity(slotCount)
    slots.reserveCapacity(slotCount)
    for accessory: Accessory in accessories {
      guard accessory.aid > 0 else { throw .zeroAccessoryID }
      guard aids.insert(accessory.aid).inserted else { throw .duplicateAccessoryID(accessory.aid) }
      var iids: Set<UInt64> = []
      let firstService: Int = services.count
      let firstSlot: Int = characteristics.count
      for service: Service in accessory.services {
        try Self.claim(service.iid, of: accessory.aid, in: &iids)
        let start: Int = characteristics.count
        for characteristic: Characteristic in service.characteristics {
          try Self.claim(characteristic.iid, of: accessory.aid, in: &iids)
          let id: AttributeID = AttributeID(aid: accessory.aid, iid: characteristic.iid)
          slots[id] = characteristics.count
          ids.append(id)
          serviceOfSlot.append(services.count)
          characteristics.append(characteristic)
        }
        services.append(
          ServiceEntry(
            accessory: accessoryEntries.count, iid: service.iid, type: service.type, isPrimary: service.isPrimary,
            isHidden: service.isHidden, linked: service.linked, slots: start..<characteristics.count))
      }
      accessoryEntries.append(
        AccessoryEntry(
          aid: accessory.aid, services: firstService..<services.count, slots: firstSlot..<characteristics.count))
    }
    self.accessoryEntries = accessoryEntries
    self.services = services
    self.characteristics = characteristics
    self.ids = ids
    self.serviceOfSlot = serviceOfSlot
    self.slots = slots
  }

  private static func claim(_ iid: UInt64, of aid: UInt64, in iids: inout Set<UInt64>) throws(DatabaseError) {
    guard iid > 0 else { throw .zeroInstanceID(aid: aid) }
    guard iids.insert(iid).inserted else { throw .duplicateInstanceID(AttributeID(aid: aid, iid: iid)) }
  }
}

extension AttributeDatabase {
  /// A database without accessories.
  package static let empty = try! AttributeDatabase([])

  /// Returns the slot of a characteristic; nil for an unknown ID and for the ID of a service.
  public func slot(of id: AttributeID) -> Int? { slots[id] }

  /// Returns the address of a slot.
  public func id(ofSlot slot: Int) -> AttributeID { ids[slot] }

  /// Returns the service that contains a slot.
  public func service(ofSlot slot: Int) -> ServiceEntry { services[serviceOfSlot[slot]] }

  /// Returns whether the server has an accessory with this aid.
  public func hasAccessory(_ aid: UInt64) -> Bool { accessoryEntries.contains { $0.aid == aid } }

  /// The value in a slot, changed in place.
  public subscript(slot slot: Int) -> Value {
    get { characteristics[slot].value }
    set { characteristics[slot].value = newValue }
  }

  /// The value of a characteristic; nil if the ID is unknown. Setting an unknown ID or nil is a programming error and
  /// traps.
  public subscript(id: AttributeID) -> Value? {
    get { slots[id].map { characteristics[$0].value } }
    set {
      guard let slot: Int = slots[id], let newValue: Value = newValue else {
        preconditionFailure("no characteristic \(id) to set")
      }
      characteristics[slot].value = newValue
    }
  }

  /// The accessories as a tree, with the current values.
  public var accessories: [Accessory] {
    accessoryEntries.map { (entry: AccessoryEntry) -> Accessory in
      Accessory(
        aid: entry.aid,
        services: services[entry.services].map { (service: ServiceEntry) -> Service in
          Service(
            iid: service.iid, type: service.type, isPrimary: service.isPrimary, isHidden: service.isHidden,
            linked: service.linked, characteristics: Array(characteristics[service.slots]))
        })
    }
  }
}

/// The reason why accessories can't form a database.
public enum DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An aid is 0.
  case zeroAccessoryID
  /// Two accessories have this aid.
  case duplicateAccessoryID(UInt64)
  /// An iid in this accessory is 0.
  case zeroInstanceID(aid: UInt64)
  /// Two services or characteristics of one accessory have this ID.
  case duplicateInstanceID(AttributeID)

  /// One sentence for people.
  public var description: String {
    switch self {
    case .zeroAccessoryID: "an accessory has aid 0; aids start at 1"
    case .duplicateAccessoryID(let aid): "two accessories have aid \(aid)"
    case .zeroInstanceID(let aid): "a service or characteristic of accessory \(aid) has iid 0; iids start at 1"
    case .duplicateInstanceID(let id): "two services or characteristics of accessory \(id.aid) have iid \(id.iid)"
    }
  }
}
