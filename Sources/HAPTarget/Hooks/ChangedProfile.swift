import HAPProfile
import HAPWire

/// The profile that a hapsim serves, with accessories, or services, more or less: what makes `add-accessory` and `remove-accessory` of it.
///
/// On a bridge an accessory is added, anywhere else a service. What is added is another thing each time, so that it has no right to the ids
/// of one before. What is removed is what was added last, or else the last of the profile's own that nothing refers to.
struct ChangedProfile {
  /// The text as it is to be served now.
  private(set) var json: [UInt8]
  /// How many things were ever added.
  private var count = 0

  /// Types of what is added, in turn, with the categories and words for them.
  private static let kinds = [("Switch", "switch"), ("Outlet", "outlet"), ("LightBulb", "lightbulb")]

  init(json: [UInt8]) { self.json = json }

  private func refused(_ message: String) -> HookFailure { HookFailure(.unavailable, message) }

  private func document() throws(HookFailure) -> JSONDocument {
    do throws(JSONError) { return try JSONDocument(json) } catch {
      throw refused("the profile is no JSON: \(error.message)")
    }
  }

  /// Adds something.
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
        _ = try editor.add(try ServiceWish(type), name: name)
        json = editor.json
      }
    } catch let problem as JSONProblem { throw refused("\(name) can't be added: \(problem.message)") } catch {
      throw refused("\(name) can't be added: \(error)")
    }
  }

  /// Removes something.
  mutating func remove() throws(HookFailure) {
    var document = try document()
    if let bridged = document.root["bridgedAccessories"]?.elements {
      guard bridged.count > 1, let last = bridged.last else { throw refused("the bridge would have nothing behind it") }
      document.remove(last.path)
    } else {
      let services = document.root["services"]?.elements ?? []
      let linked = services.flatMap { $0["linked"]?.elements ?? [] }.compactMap(\.stringValue)
      let free = services.dropFirst().last { service in
        service["primary"]?.boolValue != true && service["linked"] == nil
          && service["id"]?.stringValue.map { !linked.contains($0) } ?? true
      }
      guard let free else { throw refused("the accessory has no service that it could do without") }
      document.remove(free.path)
    }
    json = document.bytes
  }
}
