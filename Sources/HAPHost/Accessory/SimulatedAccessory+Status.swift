import HAPModel
import HAPWire

extension SimulatedAccessory {
  /// The state of the accessory: identity, pairings, connections, and every value.
  package var status: AccessoryStatus {
    AccessoryStatus(
      head: head,
      running: run.map { run in
        let database = run.database
        return AccessoryStatus.Running(
          configurationNumber: run.configurationNumber, connections: run.connectionCount,
          faults: faults.active.map(\.text), pairings: run.pairings,
          matter: matter,
          characteristics: database.characteristics.indices.map { slot in
            let named = database.named(slot, database.characteristics[slot].value)
            return AccessoryStatus.Entry(
              id: named.characteristic.id, name: named.characteristic.name, value: named.value, word: named.word)
          })
      })
  }

  /// A short listing: the accessory's identity and, for a bridge, its bridged accessories.
  package var listing: AccessoryListing {
    let database = database
    return AccessoryListing(
      head: head, matter: matter,
      bridged: database.accessoryEntries.filter { database.accessoryEntries.count > 1 && $0.aid != 1 }.map { entry in
        AccessoryListing.Bridged(
          aid: entry.aid, name: database.accessoryName(entry.aid), isOnline: !offline.contains(entry.aid))
      })
  }

  package var introduction: AccessoryIntroduction {
    AccessoryIntroduction(
      name: name, deviceID: prepared.deviceID.text, setupCode: prepared.setupCode.text,
      setupPayload: prepared.setupPayload.uri, category: prepared.category.slug, port: port)
  }

  private var head: AccessoryHead {
    AccessoryHead(
      name: name, deviceID: prepared.deviceID.text, category: prepared.category.slug,
      running: run.map { AccessoryHead.Running(port: port, hasRadio: $0.hasRadio, isPaired: $0.isPaired) })
  }

  func writeHead(to json: inout JSONWriter) { head.write(to: &json) }
}
