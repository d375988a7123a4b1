import HAPFrontEnds
import HAPDevices
import HAPIP
import HAPModel
import HAPWire

extension SimulatedAccessory {
  /// Returns its front end of a type; nil: it has none, or does not run.
  package func frontEnd<Kind: FrontEnd>(_ kind: Kind.Type) -> Kind? { run?.frontEnd(kind) }

  /// Writes the visible state of the accessory as a JSON object, for pages and programs: its identity, connections and
  /// pairings, and its accessories, services and characteristics with constraints and values.
  package func writeDetail(to json: inout JSONWriter) {
    json.object { json in
      json.key("number")
      json.integer(number)
      writeHead(to: &json)
      json.key("setupCode")
      json.string(prepared.setupCode.text)
      json.key("setupPayload")
      json.string(prepared.setupPayload.uri)
      json.key("announced")
      json.bool(visibility.isAnnounced)
      json.key("defect")
      if let defect = prepared.defect { json.string(defect.id) } else { json.null() }
      json.key("faults")
      json.array { json in for fault in faults.active { json.string(fault.text) } }
      if let advertised = run?.ip?.advertisement {
        json.key("model")
        json.string(advertised.model)
        json.key("configurationNumber")
        json.integer(advertised.configurationNumber)
        json.key("stateNumber")
        json.integer(advertised.stateNumber)
        json.key("statusFlags")
        json.integer(advertised.statusFlags.rawValue)
      }
      json.member(matter)
      json.key("pairings")
      writePairings(to: &json)
      json.key("connections")
      writeConnections(to: &json)
      json.key("accessories")
      let database = database
      let actions = actions
      json.array { json in
        for entry in database.accessoryEntries {
          write(entry, of: database, to: &json) { json in
            for service in database.services[entry.services] {
              let id = AttributeID(aid: entry.aid, iid: service.iid)
              let actions = actions.filter { $0.places.contains(id) }.map(\.name)
              json.service(service, of: database, slots: Array(service.slots), actions: actions)
            }
          }
        }
      }
    }
  }

  /// Writes a short form of the accessory's identity as a JSON object.
  /// - Parameter types: the characteristics to include, with their services and accessories; empty: none.
  package func writeSummary(to json: inout JSONWriter, including types: Set<TypeID> = []) {
    json.object { json in
      json.key("number")
      json.integer(number)
      writeHead(to: &json)
      json.key("faults")
      json.integer(faults.active.count)
      json.key("connections")
      json.integer(run?.connectionCount ?? 0)
      json.key("bridged")
      json.integer(database.accessoryEntries.count - 1)
      guard !types.isEmpty else { return }
      json.key("accessories")
      let database = database
      json.array { json in
        for entry in database.accessoryEntries {
          write(entry, of: database, to: &json) { json in
            for service in database.services[entry.services] {
              let slots = service.slots.filter { types.contains(database.characteristics[$0].type) }
              if !slots.isEmpty { json.service(service, of: database, slots: slots, actions: []) }
            }
          }
        }
      }
    }
  }

  /// Writes a JSON array.
  package func writePairings(to json: inout JSONWriter) { json.pairings(run?.pairings ?? []) }

  /// Writes a JSON array, in the order in which the connections were made.
  package func writeConnections(to json: inout JSONWriter) {
    json.array { json in
      guard let run else { return }
      let database = run.database
      for connection in run.frontEnds.flatMap(\.connections) {
        json.object { json in
          json.key("id")
          json.integer(connection.number)
          json.key("peer")
          json.string(connection.peer)
          json.key("controller")
          if let controller = connection.controller { json.string(controller) } else { json.null() }
          json.key("subscriptions")
          json.array { json in
            guard let session = connection.session, session.isSubscribed else { return }
            for slot in database.characteristics.indices where session.isSubscribed(toSlot: slot) {
              json.string(database.id(ofSlot: slot).description)
            }
          }
        }
      }
    }
  }

  /// - Returns: false if there is no connection with this number.
  package func disconnect(connection number: UInt64) -> Bool {
    guard let run, run.frontEnds.contains(where: { $0.connections.contains { $0.number == number } }) else {
      return false
    }
    return run.disconnect { $0.number == number } > 0
  }

  /// Writes a characteristic with its constraints and value as a JSON object.
  package func write(characteristic id: AttributeID, to json: inout JSONWriter) {
    let database = database
    guard let slot = database.slot(of: id) else { return json.null() }
    json.characteristic(slot, of: database)
  }

  /// Returns the selected characteristic. On a bridge, `aid` names the bridged accessory; `nil`: any.
  package func characteristic(_ selector: CharacteristicSelector, aid: UInt64?) throws(CommandError) -> AttributeID {
    try CommandError.for { () throws(SelectionError) in try selector.resolve(in: database, aid: aid) }
  }

  /// Returns the name of the bridged accessory with this aid.
  package func bridgedName(ofAid aid: UInt64) -> String? {
    aid != 1 && database.hasAccessory(aid) ? database.accessoryName(aid) : nil
  }

  /// Writes the accessory's protocol quirks as a JSON object.
  package func writeQuirks(to json: inout JSONWriter) { prepared.quirks.write(to: &json) }

  private func write(
    _ entry: AttributeDatabase.AccessoryEntry, of database: AttributeDatabase, to json: inout JSONWriter,
    services: (inout JSONWriter) -> Void
  ) {
    json.object { json in
      json.key("aid")
      json.integer(entry.aid)
      json.key("name")
      json.string(database.accessoryName(entry.aid))
      json.key("online")
      json.bool(!offline.contains(entry.aid))
      json.key("services")
      json.array(services)
    }
  }

  /// The actions that the device supports, other than setting values, with their services.
  private var actions: [(name: String, places: Set<AttributeID>)] {
    guard let device = run?.device else { return [] }
    let commands: [(name: String, command: DeviceCommand)] = [
      ("obstruct", .obstruct(true, service: nil)), ("press", .physical(.press(.single), service: nil)),
      ("trigger", .physical(.trigger, service: nil)), ("jam", .physical(.jam(true), service: nil)),
      ("tamper", .physical(.tamper(true), service: nil)), ("battery", .physical(.battery(50), service: nil)),
    ]
    return commands.map { ($0.name, Set(device.services(for: $0.command))) }
  }
}

extension JSONWriter {
  fileprivate mutating func service(
    _ service: AttributeDatabase.ServiceEntry, of database: AttributeDatabase, slots: [Int], actions: [String]
  ) {
    object { json in
      json.key("iid")
      json.integer(service.iid)
      json.key("type")
      json.string(service.type.wireForm)
      let definition = Catalogue.service(service.type)
      json.key("name")
      json.string(definition?.name ?? service.type.wireForm)
      json.key("label")
      if let label = database.name(of: service) { json.string(label) } else { json.null() }
      json.key("primary")
      json.bool(service.isPrimary)
      json.key("hidden")
      json.bool(service.isHidden)
      json.key("linked")
      json.array { json in for iid in service.linked { json.integer(iid) } }
      json.key("actions")
      json.array { json in for action in actions { json.string(action) } }
      json.key("characteristics")
      json.array { json in for slot in slots { json.characteristic(slot, of: database) } }
    }
  }

  /// Writes a characteristic. Members without information are left out.
  fileprivate mutating func characteristic(_ slot: Int, of database: AttributeDatabase) {
    let characteristic = database.characteristics[slot]
    let definition = Catalogue.characteristic(characteristic.type)
    let id = database.id(ofSlot: slot)
    object { json in
      json.key("aid")
      json.integer(id.aid)
      json.key("iid")
      json.integer(id.iid)
      json.key("type")
      json.string(characteristic.type.wireForm)
      json.key("name")
      json.string(definition?.name ?? characteristic.description ?? characteristic.type.wireForm)
      if let description = characteristic.description {
        json.key("description")
        json.string(description)
      }
      json.key("format")
      json.string(characteristic.format.rawValue)
      json.key("perms")
      json.array { json in for name in characteristic.perms.names { json.string(name) } }
      json.key("value")
      json.value(characteristic.value)
      if let word = definition?.word(for: characteristic.value) {
        json.key("word")
        json.string(word)
      }
      if let unit = characteristic.unit {
        json.key("unit")
        json.string(unit.rawValue)
      }
      json.limits(characteristic.constraints)
      guard let definition, !definition.values.isEmpty else { return }
      json.key("words")
      json.object { json in
        let rules = ValueRules(format: definition.format, constraints: characteristic.constraints)
        let checks: ValueChecks = [.limits, .validValuesRange, .validValues]
        for value in definition.values {
          if rules.violation(of: .integer(Int128(value.value)), checking: checks) != nil { continue }
          json.key(value.word)
          json.integer(value.value)
        }
      }
    }
  }

  private mutating func limits(_ constraints: Constraints) {
    for (name, value) in [
      ("minValue", constraints.minValue), ("maxValue", constraints.maxValue), ("minStep", constraints.minStep),
    ] {
      guard let value else { continue }
      key(name)
      self.value(value)
    }
    for (name, length) in [("maxLen", constraints.maxLen), ("maxDataLen", constraints.maxDataLen)] {
      guard let length else { continue }
      key(name)
      integer(length)
    }
    if let values = constraints.validValues {
      key("valid-values")
      array { json in for value in values { json.integer(value) } }
    }
    if let range = constraints.validValuesRange {
      key("valid-values-range")
      array { json in
        json.integer(range.lowerBound)
        json.integer(range.upperBound)
      }
    }
  }
}
