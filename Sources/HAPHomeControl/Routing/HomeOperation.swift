import HAPHome
import HAPWeb
import HAPWire

/// All operations of the API of homes; the names are the `operationId`s of the OpenAPI document.
package enum HomeOperation: String, WebOperation {
  case showIndex, showDescription
  case listHomes, addHome, showHome, showFile, performCommand
  case readCharacteristic, writeCharacteristic, writeCharacteristics
  case executeScene, fireTrigger, listEvaluations
  case addAccessory, removeAccessory, identifyAccessory
  case listNewAccessories, identifyNewAccessory
  case startSetup, showSetup, answerSetup, cancelSetup
  case placeUser, shareHome, renewShare, showToken, requestShare, acceptShare
  case showStatus, showLog, followEvents

  /// Conditions may be as deep as in the store.
  package static var depthLimit: Int { JSONNode.homeDepthLimit }

  package var form: WebForm {
    let home = "/homes/{home}"
    return switch self {
    case .showIndex: WebForm("GET", "")
    case .showDescription: WebForm("GET", "/openapi.json")
    case .listHomes: WebForm("GET", "/homes")
    case .addHome: WebForm("POST", "/homes", body: .required)
    case .showHome: WebForm("GET", home)
    case .showFile: WebForm("GET", home + "/file")
    case .performCommand: WebForm("POST", "/homes/commands", body: .required)
    case .readCharacteristic: WebForm("GET", home + "/characteristics/{characteristic}")
    case .writeCharacteristic: WebForm("PUT", home + "/characteristics/{characteristic}", body: .required)
    case .writeCharacteristics: WebForm("POST", home + "/writes", body: .required)
    case .executeScene: WebForm("POST", home + "/scenes/{scene}/execute")
    case .fireTrigger: WebForm("POST", home + "/triggers/{trigger}/fire")
    case .listEvaluations: WebForm("GET", home + "/triggers/{trigger}/evaluations")
    case .addAccessory: WebForm("POST", home + "/accessories", body: .required)
    case .removeAccessory: WebForm("DELETE", home + "/accessories/{accessory}", query: ["forget"])
    case .identifyAccessory: WebForm("POST", home + "/accessories/{accessory}/identify")
    case .listNewAccessories: WebForm("GET", "/homes/new-accessories")
    case .identifyNewAccessory: WebForm("POST", "/homes/new-accessories/{device}/identify")
    case .startSetup: WebForm("POST", "/homes/setups", body: .required)
    case .showSetup: WebForm("GET", "/homes/setups/{setup}")
    case .answerSetup: WebForm("POST", "/homes/setups/{setup}/answers", body: .required)
    case .cancelSetup: WebForm("DELETE", "/homes/setups/{setup}")
    case .placeUser: WebForm("PUT", home + "/users/{user}/place", body: .required)
    case .shareHome: WebForm("POST", home + "/users", body: .required)
    case .renewShare: WebForm("POST", home + "/users/{user}/share")
    case .showToken: WebForm("POST", home + "/users/{user}/token", body: .required)
    case .requestShare: WebForm("POST", "/homes/share-requests", body: .required)
    case .acceptShare: WebForm("POST", "/homes/shares", body: .required)
    case .showStatus: WebForm("GET", "/homes/status")
    case .showLog: WebForm("GET", "/homes/log", query: ["after", "limit", "event"])
    case .followEvents: WebForm("GET", "/homes/events", query: ["after", "event"])
    }
  }
}
