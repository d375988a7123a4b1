import HAPModel
import HAPWire

extension ProfileReader {
  /// Reads a service. A service of unknown type is read, too, so that one run reports all its errors.
  mutating func service(_ node: JSONNode) -> ServiceDraft {
    refuseUnknownMembers(node, except: ProfileMembers.service)
    require("type", of: node)
    let text = string("type", of: node)
    let characteristics = objects("characteristics", of: node).compactMap { characteristic($0) }
    let definition = text.flatMap { Catalogue.service(named: $0) }
    let type = definition?.type ?? text.flatMap { TypeID($0) }
    var draft = ServiceDraft(
      node: node, type: type ?? placeholderType(), definition: definition ?? type.flatMap { Catalogue.service($0) })
    draft.isOfUnknownType = type == nil
    if let text, let typeNode = node["type"] {
      if type == nil {
        reportUnknownType(text, "service", Catalogue.services.filter { !$0.isWithdrawn }.map(\.identifier), typeNode)
      } else if draft.definition?.isWithdrawn == true {
        report(.typeWithdrawn, typeNode, "Apple has withdrawn the service \(draft.definition?.name ?? text)")
      }
    }
    draft.name = string("name", of: node)
    draft.isPrimary = bool("primary", of: node) ?? false
    draft.isHidden = bool("hidden", of: node) ?? false
    draft.label = string("id", of: node)
    draft.iid = id("iid", of: node)
    draft.behaviour = node["behaviour"]
    draft.matter = node["matter"]
    for element in member("linked", of: node, { (node) throws(JSONProblem) in try node.asList() }) ?? [] {
      if let label = element.stringValue {
        draft.linked.append((label, element))
      } else {
        report(.memberKind, element, "the \"id\" of a service is expected, not \(element.kindName)")
      }
    }
    draft.characteristics = characteristics
    return draft
  }

  /// Returns a unique type to replace one that can't be parsed.
  mutating func placeholderType() -> TypeID {
    placeholderCount += 1
    let digits = String(placeholderCount, radix: 16)
    let text = "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
    guard let type = TypeID(text) else { preconditionFailure("\(text) is a UUID") }
    return type
  }

  mutating func reportUnknownType(_ text: String, _ what: String, _ names: [String], _ node: JSONNode) {
    let hint =
      nearestName(to: text, in: names).map { ": did you mean \"\($0)\"?" }
      ?? ". A type of your own is a full UUID: 'uuidgen' prints a new one. An Apple type is an identifier of the catalogue or a short UUID"
    report(.typeUnknown, node, "there is no \(what) \"\(text)\"\(hint)")
  }
}
