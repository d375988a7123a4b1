import HAPModel
import HAPWire

/// The reason why a selector matches no service or characteristic, or more than one.
package struct SelectionError: Error, Equatable, Sendable {
  package enum Code: Sendable { case noSuchService, noSuchCharacteristic, ambiguous }
  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// Selects a service by its type ("GarageDoorOpener", "41", a UUID), its Name, or its iid.
package enum ServiceSelector: Equatable, Sendable {
  case name(String)
  case iid(UInt64)

  /// Returns the matching services, in the order of the database.
  ///
  /// - Parameter aid: the accessory to search; `nil` for all.
  package func services(in database: AttributeDatabase, aid: UInt64?) -> [AttributeDatabase.ServiceEntry] {
    database.services(of: aid).filter { service in
      switch self {
      case .iid(let iid): return service.iid == iid
      case .name(let text):
        if let type = Catalogue.service(named: text)?.type ?? TypeID(text), type == service.type { return true }
        return database.name(of: service).map(foldedName) == foldedName(text)
      }
    }
  }

  /// Returns the only matching service.
  package func resolve(in database: AttributeDatabase, aid: UInt64?) throws(SelectionError) -> AttributeID {
    let found = services(in: database, aid: aid)
    guard let service = found.first else {
      throw notFound(among: database.list(database.services(of: aid)))
    }
    guard found.count == 1 else {
      throw SelectionError(
        .ambiguous, "\(found.count) services match \(self): \(database.list(found)); select one by its iid")
    }
    return database.id(of: service)
  }
}

extension ServiceSelector {
  fileprivate func notFound(among list: String) -> SelectionError {
    SelectionError(.noSuchService, "there is no service \(self) here" + (list.isEmpty ? "" : "; there are \(list)"))
  }
}

extension ServiceSelector: CustomStringConvertible {
  package var description: String {
    switch self {
    case .name(let name): "\"\(name)\""
    case .iid(let iid): "\(iid)"
    }
  }
}

/// Selects a characteristic by "1.10", by its type ("TargetDoorState", "32", a UUID), or by a vendor's description
/// ("Fade Rate"). A type or a description may also need the service.
package struct CharacteristicSelector: Equatable, Sendable {
  package var text: String
  package var service: ServiceSelector?

  package init(_ text: String, service: ServiceSelector? = nil) {
    self.text = text
    self.service = service
  }

  /// Returns the only matching characteristic.
  ///
  /// - Parameter aid: the accessory to search; `nil` for all.
  package func resolve(in database: AttributeDatabase, aid: UInt64? = nil) throws(SelectionError) -> AttributeID {
    var services = database.services(of: aid)
    if let service {
      let known = services
      services = service.services(in: database, aid: aid)
      guard !services.isEmpty else { throw service.notFound(among: database.list(known)) }
    }
    let slots = services.flatMap(\.slots)
    if let id = AttributeID(text) {
      guard let slot = database.slot(of: id), slots.contains(slot) else {
        throw SelectionError(.noSuchCharacteristic, "there is no characteristic \(id) here")
      }
      return id
    }
    let type = Catalogue.characteristic(named: text)?.type ?? TypeID(text)
    var found = slots.filter { database.characteristics[$0].type == type }
    if found.isEmpty {
      found = slots.filter { database.characteristics[$0].description.map(foldedName) == foldedName(text) }
    }
    guard let slot = found.first else {
      let names = slots.map { database.name(ofSlot: $0) }
      let hint = nearestName(to: text, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
      throw SelectionError(.noSuchCharacteristic, "there is no characteristic \"\(text)\" here\(hint)")
    }
    guard found.count == 1 else {
      let list = found.map { "\(database.id(ofSlot: $0)) (\(database.label(of: database.service(ofSlot: $0))))" }
      throw SelectionError(
        .ambiguous,
        "\(found.count) characteristics match \"\(text)\": \(list.joined(separator: ", ")); add \"service\" or use an address"
      )
    }
    return database.id(ofSlot: slot)
  }
}

extension AttributeDatabase {
  /// Returns the services of one accessory, or of all.
  fileprivate func services(of aid: UInt64?) -> [ServiceEntry] {
    services.filter { aid == nil || accessoryEntries[$0.accessory].aid == aid }
  }

  package func id(of service: ServiceEntry) -> AttributeID {
    AttributeID(aid: accessoryEntries[service.accessory].aid, iid: service.iid)
  }

  /// Returns the value of the service's Name.
  package func name(of service: ServiceEntry) -> String? {
    let slot = service.slots.first { characteristics[$0].type == CharacteristicDefinition.name.type }
    return slot.flatMap { characteristics[$0].value.stringValue }
  }

  package func label(of service: ServiceEntry) -> String {
    let type = Catalogue.service(service.type)?.identifier ?? service.type.description
    return name(of: service).map { "\(type) \"\($0)\"" } ?? type
  }

  fileprivate func list(_ services: [ServiceEntry]) -> String {
    services.map { "\(id(of: $0)) (\(label(of: $0)))" }.joined(separator: ", ")
  }

  /// Returns the catalogue's identifier, the vendor's description, or the type.
  package func name(ofSlot slot: Int) -> String {
    let characteristic = characteristics[slot]
    return Catalogue.characteristic(characteristic.type)?.identifier ?? characteristic.description
      ?? characteristic.type.description
  }
}
