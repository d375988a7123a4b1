import HAPModel
import HAPWire

extension HomeModel {
  /// Reads a whole model: `{"homes": […], "primaryHome": "…"}`. A home is as in the change `home-added`.
  /// - Throws: the first mistake. It is also a mistake if an object breaks a rule or refers to an object that is not there.
  package init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["homes", "primaryHome"])
    let list = try node.required("homes")
    let homes = try list.elements { node throws(JSONProblem) in try Home(node) }
    let primary = try node.nullable("primaryHome") { node throws(JSONProblem) in try node.identifier(of: .home) }
    guard homes.isEmpty ? primary == nil : homes.contains(where: { $0.id == primary }) else {
      throw try node.required("primaryHome").problem("the primary home is one of the homes, and null without homes")
    }
    do throws(HomeRowProblem) {
      try self.init(checking: homes, primary: primary)
    } catch {
      // After the semicolon, a reason says what the reader of the store does instead.
      throw list.problem("the homes are not valid: \(error.row): \(error.reason.prefix { $0 != ";" })")
    }
  }

  /// The whole model.
  package var node: JSONNode {
    .object([("homes", .list(homes.map(\.node))), ("primaryHome", primaryHome.map { .id($0) } ?? JSONNode(.null))])
  }
}
