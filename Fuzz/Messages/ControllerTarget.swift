import FuzzSupport
import HAPIP
import HAPModel
import HAPWire

/// The first byte selects the form of the rest: a database at once, or messages in pieces.
package func fuzzController(_ bytes: UnsafeRawBufferPointer) {
  guard let kind = bytes.first else { return }
  let rest = [UInt8](bytes.dropFirst())
  if kind & 1 == 0 { readDatabase(rest) } else { readMessages(rest, piece: Int(kind >> 1)) }
}

private func readDatabase(_ body: [UInt8]) {
  let (repaired, mends) = LenientJSON.repaired(body)
  if (try? JSONNode.parse(body)) != nil {
    require(mends.isEmpty, "strict JSON was repaired")
    require((try? JSONNode.parse(repaired)) != nil, "the repair broke it")
  }
  guard var mirror = try? AccessoryMirror(body) else { return }
  // In a valid database, ids are found at their slots, and links have targets.
  for slot in mirror.database.characteristics.indices {
    require(mirror.database.slot(of: mirror.database.id(ofSlot: slot)) == slot, "an id has another slot")
  }
  for accessory in mirror.database.accessories {
    let iids = Set(accessory.services.map(\.iid))
    for service in accessory.services { require(service.linked.allSatisfy(iids.contains), "a link has no target") }
  }
  var reader = AttributeReader()
  if let entries = try? CharacteristicEntry.list(body, &reader) { _ = mirror.take(entries, of: "fuzz") }
}

/// Divided at any bytes, the stream has the same messages, and ends for the same reason.
private func readMessages(_ bytes: [UInt8], piece: Int) {
  func read(_ piece: Int) -> ([LinkMessage], LinkFailure?) {
    let link = ControllerLink(host: "fuzz")
    var messages: [LinkMessage] = []
    do throws(LinkFailure) {
      for start in stride(from: 0, to: bytes.count, by: piece) {
        link.incoming.append(Array(bytes[start..<min(start + piece, bytes.count)]))
        messages += try link.received()
      }
      if let last = try link.ended() { messages.append(last) }
    } catch { return (messages, error) }
    return (messages, nil)
  }
  let whole = read(max(bytes.count, 1))
  let cut = read(piece + 1)
  require(whole.0 == cut.0, "the division of the stream changes the messages")
  require(
    (whole.1 == nil) == (cut.1 == nil),
    "the division of the stream changes whether it fails: \(String(describing: whole.1)), \(String(describing: cut.1))")
}
