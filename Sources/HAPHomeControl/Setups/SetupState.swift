import HAPHome
import HAPHomeFile
import HAPHomeSetup
import HAPModel
import HAPWire

/// A setup as pages and programs see it.
struct SetupState: Sendable {
  let id: Int
  let flow: SetupFlow

  /// The name of the step.
  var step: String {
    switch flow.step {
    case .home: "home"
    case .code: "code"
    case .choose: "choose"
    case .verifying: "verifying"
    case .page: "page"
    case .saving: "saving"
    case .cancelling: "cancelling"
    case .done: "done"
    case .cancelled: "cancelled"
    case .failed: "failed"
    }
  }

  private var problem: HomeError? {
    switch flow.step {
    case .code(let problem), .choose(let problem), .page(_, let problem): problem
    case .failed(let problem): problem
    case .home, .verifying, .saving, .cancelling, .done, .cancelled: nil
    }
  }

  /// `{"id":"1","step":"choose","candidates":[…],"canGoBack":true}`
  var node: JSONNode {
    var page: SetupPage?
    var accessories: [HomeObjectID]?
    switch flow.step {
    case .page(let shown, problem: _), .saving(.some(let shown)): page = shown
    case .done(let added): accessories = added
    default: break
    }
    return .members(
      ("id", .text("\(id)")), ("step", .text(step)), ("problem", problem?.node), ("home", flow.home.map { .id($0) }),
      ("candidates", .list(flow.candidates.map(\.node))), ("page", page.map(node)),
      ("accessories", accessories.map { .ids($0) }), ("canGoBack", .flag(flow.canGoBack)))
  }

  private func node(_ page: SetupPage) -> JSONNode {
    let found = flow.home.flatMap { flow.model.home($0) }?.service(page.service)
    return .members(
      ("accessory", .id(page.accessory)), ("accessoryName", found.map { .text($0.accessory.name.text) }),
      ("service", .id(page.service)), ("typeName", found.map { .text($0.service.typeText) }),
      ("name", .text(page.name)), ("room", .id(page.room)), ("asksRoom", .flag(page.asksRoom)))
  }
}

extension SetupCandidate {
  fileprivate var node: JSONNode {
    .members(
      ("device", .text(device.text)), ("name", .text(name)), ("model", model.map { .text($0) }),
      ("category", category.flatMap { Catalogue.category(number: $0) }.map { .text($0.slug) }))
  }
}
