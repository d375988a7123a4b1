import HAPModel
import HAPWire

/// Selects an accessory of a document.
package enum AccessoryChoice: Equatable, Sendable {
  /// Its position: 1 is the document itself, 2 the first bridged accessory.
  case number(Int)
  /// Its name, compared without case, spaces and hyphens.
  case name(String)

  package init(_ text: String) {
    self = Int(text).map { .number($0) } ?? .name(text)
  }
}

/// An accessory of a document.
struct AccessoryPlace {
  /// Its position, from 1.
  var number: Int
  var node: JSONNode

  var name: String { node["name"]?.stringValue ?? "" }
  /// "2 (Desk Lamp)"
  var label: String { "\(number) (\(name))" }
}

extension ProfileEditor {
  /// The document itself and its bridged accessories. Elements that aren't objects are skipped.
  var accessories: [AccessoryPlace] {
    let bridged = document.root["bridgedAccessories"]?.elements ?? []
    return ([document.root] + bridged.filter { $0.members != nil }).enumerated().map {
      AccessoryPlace(number: $0 + 1, node: $1)
    }
  }

  /// Returns the selected accessories, or all without a choice.
  func accessories(_ choice: AccessoryChoice?) throws(JSONProblem) -> [AccessoryPlace] {
    let all = accessories
    let found: [AccessoryPlace]
    switch choice {
    case nil: return all
    case .number(let number): found = all.filter { $0.number == number }
    case .name(let name): found = all.filter { foldedName($0.name) == foldedName(name) }
    }
    guard found.isEmpty else { return found }
    let place = document.root["bridgedAccessories"] ?? document.root
    switch choice {
    case .name(let name):
      let hint = nearestName(to: name, in: all.map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
      throw place.problem("there is no accessory \"\(name)\" here\(hint)")
    case .number(let number): throw place.problem("there is no accessory \(number) here: the last is \(all.count)")
    case nil: return all
    }
  }

  /// Returns the selected accessory.
  func accessory(_ choice: AccessoryChoice?) throws(JSONProblem) -> AccessoryPlace {
    let found = try accessories(choice)
    guard let first = found.first, found.count == 1 else {
      let list = found.map(\.label).joined(separator: ", ")
      throw document.root.problem("there are \(found.count) accessories, \(list): choose one by its number")
    }
    return first
  }

  /// Returns the selected accessory, or the document itself without a choice.
  func accessory(orDocument choice: AccessoryChoice?) throws(JSONProblem) -> AccessoryPlace {
    guard choice != nil else { return accessories[0] }
    return try accessory(choice)
  }
}
