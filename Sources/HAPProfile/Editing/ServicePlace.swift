import HAPModel
import HAPWire

/// A service of a document.
struct ServicePlace {
  var accessory: AccessoryPlace
  var node: JSONNode
  /// `nil` if the document has no valid type here.
  var type: TypeID?
  /// Its position among the accessory's services of this type, from 1.
  var number: Int

  var definition: ServiceDefinition? { type.flatMap { Catalogue.service($0) } }
  var identifier: String { definition?.identifier ?? node["type"]?.stringValue ?? "" }
  var name: String? { node["name"]?.stringValue }
  var label: String? { node["id"]?.stringValue }
  /// A reference that is unique within the accessory.
  var reference: String { "\(identifier)#\(number)" }
}

extension AccessoryPlace {
  /// Elements that aren't objects are skipped.
  var services: [ServicePlace] {
    var numbers: [String: Int] = [:]
    return (node["services"]?.elements ?? []).filter { $0.members != nil }.map { node in
      let text = node["type"]?.stringValue ?? ""
      let type = Catalogue.service(named: text)?.type ?? TypeID(text)
      let key = type?.uuid ?? text
      numbers[key, default: 0] += 1
      return ServicePlace(accessory: self, node: node, type: type, number: numbers[key] ?? 1)
    }
  }
}

extension ProfileEditor {
  /// Finds exactly one service by its `id`, its type, its type and number (`LightBulb#2`), or its name.
  func service(_ words: String, in choice: AccessoryChoice?) throws(JSONProblem) -> ServicePlace {
    let accessories = try accessories(choice)
    let all = accessories.flatMap(\.services)
    let found = Self.services(words, among: all)
    if found.count == 1 { return found[0] }
    // With a single accessory, the error can point at it.
    let place = accessories.count == 1 ? accessories[0].node : document.root
    if found.isEmpty {
      let names = all.flatMap { [$0.label, $0.identifier, $0.name].compactMap { $0 } }
      let there = names.isEmpty ? "" : "; there are " + all.map(\.reference).joined(separator: ", ")
      let hint = nearestName(to: words, in: names).map { ": did you mean \"\($0)\"?" } ?? there
      throw (place["services"] ?? place).problem("there is no service \"\(words)\" here\(hint)")
    }
    let isWithinOne = found.allSatisfy { $0.accessory.number == found[0].accessory.number }
    let list = found.map { service in
      isWithinOne
        ? service.reference + (service.name.map { " (\($0))" } ?? "")
        : "\(service.reference) of \(service.accessory.label)"
    }
    let way = isWithinOne ? "use one of these names" : "choose one with --accessory"
    throw found[1].node.problem(
      "\(found.count) services match \"\(words)\", \(list.joined(separator: ", ")): \(way)")
  }

  /// A label takes precedence over a type or a name.
  private static func services(_ words: String, among all: [ServicePlace]) -> [ServicePlace] {
    let labelled = all.filter { $0.label == words }
    guard labelled.isEmpty else { return labelled }
    func of(_ text: String) -> (ServicePlace) -> Bool {
      let type = Catalogue.service(named: text)?.type ?? TypeID(text)
      return { $0.type != nil && $0.type == type }
    }
    let isOfType = of(words)
    let found = all.filter { isOfType($0) || $0.name.map(foldedName) == foldedName(words) }
    guard found.isEmpty, let mark = words.lastIndex(of: "#"), let number = Int(words[words.index(after: mark)...])
    else {
      return found
    }
    return all.filter(of(String(words[..<mark]))).filter { $0.number == number }
  }
}
