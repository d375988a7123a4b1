/// All operations of the control API; the names are the `operationId`s of the OpenAPI document.
package enum ControlOperation: String, CaseIterable, Sendable {
  case showIndex, showDescription
  case listAccessories, addAccessory, showAccessory, changeAccessory, removeAccessory, restartAccessory, identify
  case makeProfile, showProfile, replaceProfile, showSetupImage
  case showQuirks, setQuirks, listQuirksPresets
  case showCharacteristic, setCharacteristic, stallCharacteristic, act, changeBridged
  case listPairings, removePairings, removePairing
  case listConnections, closeConnections, closeConnection
  case listActiveFaults, switchFaultOn, switchFaultOff
  case listFaults, showCatalogue
  case showClock, advanceClock
  case showScenario, startScenario, stopScenario
  case showLog, followEvents
  case performCommand

  package enum Body: Sendable {
    case none, optional, required
    /// Required, and parsed as a profile.
    case profile
  }

  /// Method, path and parameters of the request.
  package struct Form: Sendable {
    package var method: String
    /// Parts in braces are placeholders: "/v1/accessories/{accessory}".
    package var path: String
    package var query: [String]
    package var body: Body

    init(_ method: String, _ path: String, query: [String] = [], body: Body = .none) {
      self.method = method
      self.path = "/v1" + path
      self.query = query
      self.body = body
    }

    var parts: [Substring] { path.dropFirst().split(separator: "/") }
  }

  package var form: Form {
    let accessory = "/accessories/{accessory}"
    return switch self {
    case .showIndex: Form("GET", "")
    case .showDescription: Form("GET", "/openapi.json")
    case .listAccessories: Form("GET", "/accessories", query: ["types"])
    case .addAccessory: Form("POST", "/accessories", body: .profile)
    case .showAccessory: Form("GET", accessory)
    case .changeAccessory: Form("PATCH", accessory, body: .required)
    case .removeAccessory: Form("DELETE", accessory)
    case .restartAccessory: Form("POST", accessory + "/restart", body: .required)
    case .identify: Form("POST", accessory + "/identify", body: .optional)
    case .makeProfile: Form("POST", "/profiles", body: .required)
    case .showProfile: Form("GET", accessory + "/profile")
    case .replaceProfile: Form("PUT", accessory + "/profile", body: .profile)
    case .showSetupImage: Form("GET", accessory + "/setup.svg")
    case .showQuirks: Form("GET", accessory + "/quirks")
    case .setQuirks: Form("PUT", accessory + "/quirks", body: .required)
    case .listQuirksPresets: Form("GET", "/quirks")
    case .showCharacteristic:
      Form("GET", accessory + "/characteristics/{characteristic}", query: ["aid", "service"])
    case .setCharacteristic:
      Form("PUT", accessory + "/characteristics/{characteristic}", query: ["aid", "service"], body: .required)
    case .stallCharacteristic:
      Form("PATCH", accessory + "/characteristics/{characteristic}", query: ["aid", "service"], body: .required)
    case .act: Form("POST", accessory + "/actions", body: .required)
    case .changeBridged: Form("PATCH", accessory + "/bridged/{aid}", body: .required)
    case .listPairings: Form("GET", accessory + "/pairings")
    case .removePairings: Form("DELETE", accessory + "/pairings")
    case .removePairing: Form("DELETE", accessory + "/pairings/{controller}")
    case .listConnections: Form("GET", accessory + "/connections")
    case .closeConnections: Form("DELETE", accessory + "/connections", query: ["controller"])
    case .closeConnection: Form("DELETE", accessory + "/connections/{connection}")
    case .listActiveFaults: Form("GET", accessory + "/faults")
    case .switchFaultOn: Form("PUT", accessory + "/faults/{fault}", body: .optional)
    case .switchFaultOff: Form("DELETE", accessory + "/faults/{fault}")
    case .listFaults: Form("GET", "/faults")
    case .showCatalogue: Form("GET", "/catalogue")
    case .showClock: Form("GET", "/clock")
    case .advanceClock: Form("POST", "/clock/advance", body: .required)
    case .showScenario: Form("GET", "/scenario")
    case .startScenario: Form("PUT", "/scenario", body: .required)
    case .stopScenario: Form("DELETE", "/scenario")
    case .showLog: Form("GET", "/log", query: ["after", "limit", "accessory", "event"])
    case .followEvents: Form("GET", "/events", query: ["after", "accessory", "event"])
    case .performCommand: Form("POST", "/commands", body: .required)
    }
  }
}
