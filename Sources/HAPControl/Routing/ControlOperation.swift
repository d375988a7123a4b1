import HAPWeb

/// A valid request to the control API.
package typealias ControlCall = WebCall<ControlOperation>

/// All operations of the control API; the names are the `operationId`s of the OpenAPI document.
package enum ControlOperation: String, WebOperation {
  case showIndex, showDescription
  case listAccessories, addAccessory, showAccessory, changeAccessory, removeAccessory, restartAccessory, identify
  case makeProfile, showProfile, replaceProfile, showSetupImage
  case showQuirks, setQuirks, listQuirksPresets
  case showCharacteristic, setCharacteristic, stallCharacteristic, act, changeBridged
  case listPairings, removePairings, removePairing
  case listConnections, closeConnections, closeConnection
  case showMatter, showMatterImage, openWindow, closeWindow, showWindowImage, removeFabric
  case listActiveFaults, switchFaultOn, switchFaultOff
  case listFaults, showCatalogue
  case showClock, advanceClock
  case showScenario, startScenario, stopScenario
  case showLog, followEvents
  case performCommand

  package var form: WebForm {
    let accessory = "/accessories/{accessory}"
    return switch self {
    case .showIndex: WebForm("GET", "")
    case .showDescription: WebForm("GET", "/openapi.json")
    case .listAccessories: WebForm("GET", "/accessories", query: ["types"])
    case .addAccessory: WebForm("POST", "/accessories", body: .unparsed)
    case .showAccessory: WebForm("GET", accessory)
    case .changeAccessory: WebForm("PATCH", accessory, body: .required)
    case .removeAccessory: WebForm("DELETE", accessory)
    case .restartAccessory: WebForm("POST", accessory + "/restart", body: .required)
    case .identify: WebForm("POST", accessory + "/identify", body: .optional)
    case .makeProfile: WebForm("POST", "/profiles", body: .required)
    case .showProfile: WebForm("GET", accessory + "/profile")
    case .replaceProfile: WebForm("PUT", accessory + "/profile", body: .unparsed)
    case .showSetupImage: WebForm("GET", accessory + "/setup.svg")
    case .showQuirks: WebForm("GET", accessory + "/quirks")
    case .setQuirks: WebForm("PUT", accessory + "/quirks", body: .required)
    case .listQuirksPresets: WebForm("GET", "/quirks")
    case .showCharacteristic:
      WebForm("GET", accessory + "/characteristics/{characteristic}", query: ["aid", "service"])
    case .setCharacteristic:
      WebForm("PUT", accessory + "/characteristics/{characteristic}", query: ["aid", "service"], body: .required)
    case .stallCharacteristic:
      WebForm("PATCH", accessory + "/characteristics/{characteristic}", query: ["aid", "service"], body: .required)
    case .act: WebForm("POST", accessory + "/actions", body: .required)
    case .changeBridged: WebForm("PATCH", accessory + "/bridged/{aid}", body: .required)
    case .listPairings: WebForm("GET", accessory + "/pairings")
    case .removePairings: WebForm("DELETE", accessory + "/pairings")
    case .removePairing: WebForm("DELETE", accessory + "/pairings/{controller}")
    case .listConnections: WebForm("GET", accessory + "/connections")
    case .closeConnections: WebForm("DELETE", accessory + "/connections", query: ["controller"])
    case .closeConnection: WebForm("DELETE", accessory + "/connections/{connection}")
    case .showMatter: WebForm("GET", accessory + "/matter")
    case .showMatterImage: WebForm("GET", accessory + "/matter/setup.svg")
    case .openWindow: WebForm("POST", accessory + "/matter/window", body: .optional)
    case .closeWindow: WebForm("DELETE", accessory + "/matter/window")
    case .showWindowImage: WebForm("GET", accessory + "/matter/window/setup.svg")
    case .removeFabric: WebForm("DELETE", accessory + "/matter/fabrics/{fabric}")
    case .listActiveFaults: WebForm("GET", accessory + "/faults")
    case .switchFaultOn: WebForm("PUT", accessory + "/faults/{fault}", body: .optional)
    case .switchFaultOff: WebForm("DELETE", accessory + "/faults/{fault}")
    case .listFaults: WebForm("GET", "/faults")
    case .showCatalogue: WebForm("GET", "/catalogue")
    case .showClock: WebForm("GET", "/clock")
    case .advanceClock: WebForm("POST", "/clock/advance", body: .required)
    case .showScenario: WebForm("GET", "/scenario")
    case .startScenario: WebForm("PUT", "/scenario", body: .required)
    case .stopScenario: WebForm("DELETE", "/scenario")
    case .showLog: WebForm("GET", "/log", query: ["after", "limit", "accessory", "event"])
    case .followEvents: WebForm("GET", "/events", query: ["after", "accessory", "event"])
    case .performCommand: WebForm("POST", "/commands", body: .required)
    }
  }
}
