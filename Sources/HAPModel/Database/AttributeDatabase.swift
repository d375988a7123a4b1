/// Everything a server serves, laid out flat: a characteristic is found by its address in one look-up, and from then on by its *slot*.
///
/// A slot is a characteristic's position in the order of `/accessories`, 0..<`characteristics.count`. Slots do not move while the
/// database lives; a change of structure is a new database. Values change in place.
public struct AttributeDatabase: Sendable {
  /// Where one accessory lies.
  public struct AccessoryEntry: Hashable, Sendable {
    /// Accessory instance ID.
    public let aid: UInt64
    /// Its services, as positions in `services`.
    public let services: Range<Int>
    /// Its characteristics, as slots.
    public let slots: Range<Int>
  }

  /// A service without its characteristics, and where they lie.
  public struct ServiceEntry: Hashable, Sendable {
    /// Its accessory, as a position in `accessoryEntries`.
    public let accessory: Int
    /// Instance ID.
    public let iid: UInt64
    /// What it is.
    public let type: TypeID
    /// Whether it is the accessory's main function.
    public let isPrimary: Bool
    /// Whether it is not shown to a person.
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
  /// All characteristics, by slot. Change only values: ids and types are indexed.
  public package(set) var characteristics: ContiguousArray<Characteristic>

  private let ids: ContiguousArray<AttributeID>
  private let serviceOfSlot: ContiguousArray<Int>
  private let slots: [AttributeID: Int]

  /// Lays out the accessories.
  /// - Throws: `DatabaseError` for the first id that is 0 or used twice. Nothing else is judged here: the rules of a good database are
  ///   the profile's to check.
  public init(_ accessories: [Accessory]) throws(DatabaseError) {
    var accessoryEntries: [AccessoryEntry] = []
    var services: [ServiceEntry] = []
    var characteristics: ContiguousArray<Characteristic> = []
    var ids: ContiguousArray<AttributeID> = []
    var serviceOfSlot: ContiguousArray<Int> = []
    var slots: [AttributeID: Int] = [:]
    var aids: Set<UInt64> = []
    // Exactly: these arrays stay, and growing leaves up to half of them empty.
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
  /// Of nothing.
  package static let empty = try! AttributeDatabase([])

  /// The slot of a characteristic; nil for an unknown id, and for a service's.
  public func slot(of id: AttributeID) -> Int? { slots[id] }

  /// The address of a slot.
  public func id(ofSlot slot: Int) -> AttributeID { ids[slot] }

  /// The service that a slot belongs to.
  public func service(ofSlot slot: Int) -> ServiceEntry { services[serviceOfSlot[slot]] }

  /// Whether the server has an accessory of this aid.
  public func hasAccessory(_ aid: UInt64) -> Bool { accessoryEntries.contains { $0.aid == aid } }

  /// The value in a slot, changed in place.
  public subscript(slot slot: Int) -> Value {
    get { characteristics[slot].value }
    set { characteristics[slot].value = newValue }
  }

  /// The value of a characteristic; nil when there is none of this id. Assigning to an unknown id is our own mistake and traps, as is
  /// assigning nil.
  public subscript(id: AttributeID) -> Value? {
    get { slots[id].map { characteristics[$0].value } }
    set {
      guard let slot: Int = slots[id], let newValue: Value = newValue else {
        preconditionFailure("no characteristic \(id) to set")
      }
      characteristics[slot].value = newValue
    }
  }

  /// The accessories as a tree, with the values of now.
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

/// Why accessories can't be laid out.
public enum DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An aid is 0.
  case zeroAccessoryID
  /// Two accessories have this aid.
  case duplicateAccessoryID(UInt64)
  /// An iid in this accessory is 0.
  case zeroInstanceID(aid: UInt64)
  /// Two services or characteristics of one accessory have this id.
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
