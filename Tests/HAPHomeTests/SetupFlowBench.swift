import HAPModel
import HAPTestSupport

@testable import HAPHome
@testable import HAPHomeSetup

/// A flow with a hub that answers: devices with their codes, and the homes.
struct SetupFlowBench {
  var homes = HomeBench()
  var flow: SetupFlow
  /// The devices that can be paired, with their codes.
  var devices: [DeviceID: (code: String, description: DeviceDescription)] = [:]
  /// The actions so far.
  var actions: [SetupFlow.Action] = []
  /// The actions without an answer.
  var open: [SetupFlow.Action] = []

  static let code = "031-45-154"
  static let lamp = DeviceDescription.light(1, "Lamp")
  static let bridge = DeviceDescription.bridge(2, lights: ["Left", "Right"])
  /// A device without services for people.
  static let bare = DeviceDescription.device(3, [.with(aid: 1, "Garage Door Demo 213", [])])

  /// - Parameter homes: the number of homes, each with the room "Kitchen N".
  init(homes count: Int = 1, home: Int? = nil, device: DeviceDescription? = nil) throws {
    for number in 1...count {
      let id = try homes.addHome("Home \(number)")
      _ = try homes.addRoom("Kitchen \(number)", to: id)
    }
    flow = try SetupFlow(homes.model, home: home.map { [homes] in homes.model.homes[$0].id }, device: device?.device)
    for description in [Self.lamp, Self.bridge, Self.bare] { devices[description.device] = (Self.code, description) }
    take(flow.start())
  }

  var home: Home { homes.model.homes[0] }
  var step: SetupFlow.Step { flow.step }

  mutating func take(_ new: [SetupFlow.Action]) {
    actions += new
    open += new.filter { $0 != .search && $0 != .endSearch }
  }

  /// Passes an input of the person or of the network.
  mutating func send(_ input: SetupFlow.Input) { take(flow.receive(input)) }

  /// Answers the oldest action without an answer as a hub does.
  /// - Parameter error: the error instead.
  mutating func answer(_ error: HomeError? = nil) throws {
    let action = open.removeFirst()
    do throws(HomeError) {
      if let error { throw error }
      send(try performed(action))
    } catch { send(.refused(error)) }
  }

  /// Answers all actions.
  mutating func settle() throws { while !open.isEmpty { try answer() } }

  private mutating func performed(_ action: SetupFlow.Action) throws(HomeError) -> SetupFlow.Input {
    switch action {
    case .search, .endSearch: preconditionFailure("these have no answer")
    case .pair(let home, let device, let code):
      let id = device ?? Self.lamp.device
      guard let known = devices[id] else { throw HomeError(.notFound, nil, "no such accessory") }
      guard code == known.code || code.hasPrefix("X-HM") else {
        throw HomeError(.accessoryPairingFailed, nil, "the code is wrong")
      }
      devices[id] = nil
      let changes = try homes.perform(.addDevice(home: home, known.description))
      let ids = changes.compactMap { if case .accessoryAdded(let accessory) = $0.detail { accessory.id } else { nil } }
      return .paired(ids, changes)
    case .perform(let command): return .performed(try homes.perform(command))
    case .remove(let id): return .performed(try homes.perform(.removeAccessory(id)))
    }
  }

  /// Goes to the first page of a device.
  static func atPage(_ device: DeviceDescription = lamp) throws -> SetupFlowBench {
    var bench = try SetupFlowBench()
    bench.send(.found(SetupCandidate(device: device.device, name: "New")))
    bench.send(.code(code))
    bench.send(.choose(device.device))
    try bench.settle()
    return bench
  }

  /// The page of the present step.
  var page: SetupPage? {
    switch step {
    case .page(let page, problem: _): page
    case .saving(let page): page
    default: nil
    }
  }

  var problem: HomeError? {
    switch step {
    case .code(let problem), .choose(let problem), .page(_, let problem): problem
    default: nil
    }
  }

  func service(_ page: SetupPage?) -> HomeService? { page.flatMap { home.service($0.service)?.service } }
  func accessory(_ page: SetupPage?) -> HomeAccessory? { page.flatMap { home.accessories.find($0.accessory) } }
}
