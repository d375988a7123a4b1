import HAPHome
import HAPHubLink
import HAPModel
import HAPWeb
import HAPWire

extension HomeAPI {
  /// Pairs with an accessory: `{"code": "031-45-154", "device": "AA:BB:CC:00:00:01"}`. The device may be missing if the code is a payload
  /// with a setup ID.
  func addAccessory(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let home = try home(call)
    let addition = try call.reading { (node) throws(JSONProblem) -> AccessoryAddition in
      try node.refuseUnknownMembers(exactly: ["code", "device"])
      return AccessoryAddition(
        home: home.id, device: try node["device"].map { device throws(JSONProblem) in try JSONNode.deviceID(device) },
        code: try node.required("code").asString())
    }
    guard case .added(let accessories, let changes) = try await ask(.add(addition), for: call) else { wrongAnswer }
    return .node(
      .members(("accessories", .ids(accessories)), ("changes", .list(changes.map(\.node)))), 201)
  }

  /// With `forget=true`, an accessory that can't be reached is removed too. The hub removes its pairing when it returns.
  func removeAccessory(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let accessory = try accessory(call, in: home(call))
    let forgets = call.query("forget") ?? "false"
    guard let forgets = Bool(forgets) else {
      throw WebProblem(400, "bad-query", "\"forget\" must be true or false, not \"\(forgets.prefix(50))\"")
    }
    return try await changes(.remove(accessory.id, forgets: forgets), for: call)
  }

  func identifyAccessory(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    _ = try await ask(.identify(accessory(call, in: home(call)).id), for: call)
    return .done
  }

  /// Begins to search, and returns the accessories that are known now. The events `found` and `gone` report others.
  func listNewAccessories(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    try checkMayAdd(call)
    await followValues()
    if found == nil {
      guard case .found(let present)? = await askAsListener(.search) else { throw WebProblem(.hubEnds) }
      found = Dictionary(present.map { ($0.device, $0) }) { $1 }
    }
    let accessories = (found ?? [:]).values.sorted { $0.device < $1.device }
    return .node(.object([("accessories", .list(accessories.map(\.shownNode)))]))
  }

  /// Refuses guests.
  func checkMayAdd(_ call: HomeCall) throws(WebProblem) {
    guard let user = call.user, try homes(call).first?.users.find(user)?.role != .administrator else { return }
    var problem = WebProblem(
      403, HomeError.Code.insufficientPrivileges.word, "only administrators of a home add accessories: ask its owner")
    problem.number = HomeError.Code.insufficientPrivileges.rawValue
    throw problem
  }

  func identifyNewAccessory(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let text = call.parameter("device")
    guard let device = DeviceID(text.uppercased()) else {
      throw WebProblem(422, "invalid-value", "\"\(text.prefix(50))\" is not a device ID such as AA:BB:CC:00:00:01")
    }
    _ = try await ask(.identifyNew(device), for: call)
    return .done
  }
}
