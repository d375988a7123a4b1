import HAPModel
import HAPWire

extension ProfileReader {
  /// Nil when its type can't be read.
  mutating func service(_ node: JSONNode) -> ServiceDraft? {
    refuseUnknownMembers(node, except: ProfileMembers.service)
    require("type", of: node)
    let text = string("type", of: node)
    let characteristics = objects("characteristics", of: node).compactMap { characteristic($0) }
    guard let text, let typeNode = node["type"] else { return nil }
    let definition = Catalogue.service(named: text)
    guard let type = definition?.type ?? TypeID(text) else {
      let names = Catalogue.services.filter { !$0.isWithdrawn }.map(\.identifier)
      reportUnknownType(text, "service", names, typeNode)
      return nil
    }
    var draft = ServiceDraft(node: node, type: type, definition: definition ?? Catalogue.service(type))
    if draft.definition?.isWithdrawn == true {
      report(.typeWithdrawn, typeNode, "Apple has withdrawn the service \(draft.definition?.name ?? text)")
    }
    draft.name = string("name", of: node)
    draft.isPrimary = bool("primary", of: node) ?? false
    draft.isHidden = bool("hidden", of: node) ?? false
    draft.label = string("id", of: node)
    draft.iid = id("iid", of: node)
    draft.behaviour = node["behaviour"]
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

  mutating func reportUnknownType(_ text: String, _ what: String, _ names: [String], _ node: JSONNode) {
    let hint =
      nearestName(to: text, in: names).map { ": did you mean \"\($0)\"?" }
      ?? " (an identifier of the catalogue, a short UUID, or a full one)"
    report(.typeUnknown, node, "there is no \(what) \"\(text)\"\(hint)")
  }
}
