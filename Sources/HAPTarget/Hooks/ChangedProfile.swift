import HAPProfile
import HAPWire

/// The profile that hapsim serves, as changed by the hooks `add-accessory` and `remove-accessory`.
///
/// On a bridge, `add` adds an accessory; on any other accessory it adds a service. Each addition has a new name and serial number, so that
/// it doesn't get the IDs of an earlier one. `remove` removes the latest addition, or else the profile's last item that nothing refers to.
struct ChangedProfile {
  /// The profile's text in its current state.
  private(set) var json: [UInt8]
  /// Number of additions so far, removed ones included.
  private var count = 0

  /// Types of additions, used in turn, with their category names.
  private static let kinds = [("Switch", "switch"), ("Outlet", "outlet"), ("LightBulb", "lightbulb")]

  init(json: [UInt8]) { self.json = json }

  private func refused(_ message: String) -> HookFailure { HookFailure(.unavailable, message) }

  private func document() throws(HookFailure) -> JSONDocument {
    do throws(JSONError) { return try JSONDocument(json) } catch {
      throw refused("the profile isn't valid JSON: \(error.message)")
    }
  }

  /// Adds an accessory or a service.
  mutating func add() throws(HookFailure) {
    count += 1
    let (type, category) = Self.kinds[(count - 1) % Self.kinds.count]
    let name = "Added \(count)"
    var document = try document()
    do {
      if document.root["bridgedAccessories"]?.elements != nil {
        let accessory = JSONNode.object([
          ("name", .text(name)), ("category", .text(category)), ("manufacturer", .text("haptest")),
          ("model", .text(type)), ("serialNumber", .text("ADDED-\(count)")), ("firmwareRevision", .text("1.0.0")),
          ("services", .list([.object([("type", .text(type)), ("name", .text(name))])])),
        ])
        try document.append(accessory, to: .member(of: document.root.path, "bridgedAccessories"))
        json = document.bytes
      } else {
        var editor = try ProfileEditor(json: json)
        _ = try editor.add(try ServiceRequest(type), name: name)
        json = editor.json
      }
    } catch let problem as JSONProblem { throw refused("\(name) can't be added: \(problem.message)") } catch {
      throw refused("\(name) can't be added: \(error)")
    }
  }

  /// Removes an accessory or a service.
  mutating func remove() throws(HookFailure) {
    var document = try document()
    if let bridged = document.root["bridgedAccessories"]?.elements {
      guard bridged.count > 1, let last = bridged.last else { throw refused("it is the last bridged accessory") }
      document.remove(last.path)
    } else {
      let services = document.root["services"]?.elements ?? []
      let linked = services.flatMap { $0["linked"]?.elements ?? [] }.compactMap(\.stringValue)
      let free = services.dropFirst().last { service in
        service["primary"]?.boolValue != true && service["linked"] == nil
          && service["id"]?.stringValue.map { !linked.contains($0) } ?? true
      }
      guard let free else { throw refused("the accessory has no service that can be removed") }
      document.remove(free.path)
    }
    json = document.bytes
  }
}
