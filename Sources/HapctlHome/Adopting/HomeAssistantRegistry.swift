import HAPWire

/// The areas and names of Home Assistant's devices. Its files `.storage/core.device_registry` and `core.area_registry` have them:
/// `{"data": {"devices": [{"identifiers": [["homekit_controller:accessory-id", "AA:BB:CC:00:00:01:aid:2"]], "area_id",
/// "name_by_user"}]}}` and `{"data": {"areas": [{"id", "name"}]}}` (home-assistant/core, helpers/device_registry.py,
/// helpers/area_registry.py and components/homekit_controller/const.py).
struct HomeAssistantRegistry: Sendable {
  /// The rooms and the names of a device's accessories, by aid.
  struct Places: Equatable, Sendable {
    var rooms: [UInt64: String] = [:]
    var names: [UInt64: String] = [:]
  }

  private var places: [String: Places] = [:]

  /// The identifiers of accessories; the second one was written by releases before 2022.
  private static let kinds = ["homekit_controller:accessory-id", "accessory-id"]

  /// - Parameters:
  ///   - devices: the file of devices; nil: there is none.
  ///   - areas: the file of areas; nil: there is none.
  /// - Throws: if a file has another form.
  init(devices: JSONNode?, areas: JSONNode?) throws(HomeFailure) {
    do throws(JSONProblem) {
      var names: [String: String] = [:]
      for area in try areas?.required("data").list("areas") ?? [] {
        names[try area.string("id")] = try area.string("name")
      }
      for device in try devices?.required("data").list("devices") ?? [] { try take(device, names) }
    } catch {
      throw HomeFailure("the files of Home Assistant: \(error.path): \(error.message)")
    }
  }

  private mutating func take(_ device: JSONNode, _ areas: [String: String]) throws(JSONProblem) {
    for identifier in device["identifiers"]?.elements ?? [] {
      guard let pair = identifier.elements, pair.count == 2, let kind = pair[0].stringValue,
        Self.kinds.contains(kind), let text = pair[1].stringValue, let (id, aid) = Self.split(text)
      else { continue }
      if let name = device["name_by_user"]?.stringValue { places[id, default: Places()].names[aid] = name }
      if let area = device["area_id"]?.stringValue.flatMap({ areas[$0] }) {
        places[id, default: Places()].rooms[aid] = area
      }
    }
  }

  /// Parses "AA:BB:CC:00:00:01:aid:2".
  private static func split(_ text: String) -> (id: String, aid: UInt64)? {
    guard let range = text.firstRange(of: ":aid:"), let aid = UInt64(text[range.upperBound...]) else { return nil }
    return (text[..<range.lowerBound].uppercased(), aid)
  }

  /// The rooms and names of the accessories of a device.
  func places(of accessoryID: String) -> Places { places[accessoryID.uppercased()] ?? Places() }
}
