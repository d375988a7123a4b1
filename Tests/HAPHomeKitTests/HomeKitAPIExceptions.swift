/// Where the facade differs from Apple's API on purpose, each with the reason. The tests report entries that the facade
/// does not need.
///
/// A name is that of a type ("HMZone": the type with its members) or of a member ("HMHome.rooms").
struct HomeKitAPIExceptions {
  /// Declarations that the facade has, but which answer with the error 48 (operation not supported).
  var withoutFunction: [String: String] = [:]
  /// Declarations of the list that the facade lacks or has in another form.
  var absent: [String: String] = [:]
  /// Public declarations of the facade that Apple's framework does not have. Of an added type, only the type is listed.
  var additions: [String: String] = [:]

  static let ofFacade = HomeKitAPIExceptions(
    withoutFunction: [
      "HMCameraStream": "the facade does not show video",
      "HMCameraStreamControl": "the facade does not show video",
      "HMCameraStreamControlDelegate": "the facade does not show video",
      "HMNetworkConfigurationProfile": "the hub does not configure routers",
      "HMNetworkConfigurationProfileDelegate": "the hub does not configure routers",
      "HMAccessoryOwnershipToken": "only Apple can verify a token",
    ],
    absent: [
      "CameraView": "a view of SwiftUI",
      "HMCameraView": "a view of UIKit",
      "HMHome.matterControllerXPCConnectBlock": "NSXPCConnection exists only on Apple's systems",
      "HMHome.matterStartupParametersXPCConnectBlock": "NSXPCConnection exists only on Apple's systems",
      "HMAccessorySetupRequest.matterPayload": "MTRSetupPayload is a class of Apple's framework Matter",
      "HMMatterRequestHandler": "NSExtensionRequestHandling exists only on Apple's systems",
      "HMHome.matterControllerID": "the hub has no Matter controller",
      "HMAddAccessoryRequest.init()": "deprecated: Apple's system alone makes requests, and never does",
      "HMEventTrigger.predicateForEvaluatingTrigger(_:relatedBy:toValue:)":
        "the same: HMComparisonPredicate is another name of NSComparisonPredicate",
      "HMAction.new()": "allocation in Objective-C",
      "HMEvent.new()": "allocation in Objective-C",
      "HMAccessory.init()": deprecatedSinceFirst,
      "HMService.init()": deprecatedSinceFirst,
      "HMCharacteristic.init()": deprecatedSinceFirst,
      "HMCameraControl.init()": deprecatedSinceFirst,
      "HMCameraSnapshot.init()": deprecatedSinceFirst,
      "HMCameraSnapshotControl.init()": deprecatedSinceFirst,
      "HMCameraSource.init()": deprecatedSinceFirst,
      "HMCameraStream.init()": deprecatedSinceFirst,
      "HMCameraStreamControl.init()": deprecatedSinceFirst,
      "HMAction.init()": "deprecated: an action without a characteristic does nothing",
      "HMEvent.init()": "deprecated: an event without a kind never happens",
    ],
    additions: [
      "HMError.init(_:userInfo:)": "Swift adds it to each error of Apple's frameworks",
      "HMError.userInfo": "Swift adds it to each error of Apple's frameworks",
      "NSNotification.Name.HMCharacteristicPropertySupportsEvent":
        "Swift makes it of each text constant whose name ends with Notification",
      "HMSetupUI": prompt,
      "HMSetupPrompt": prompt,
      "HMSetupAnswers": prompt,
      "HMUserInvitation": prompt,
      "HMMatterHome.encode(with:)": coding, "HMMatterHome.init(coder:)": coding,
      "HMMatterHome.supportsSecureCoding": coding, "HMMatterRoom.encode(with:)": coding,
      "HMMatterRoom.init(coder:)": coding, "HMMatterRoom.supportsSecureCoding": coding,
      "HMMatterTopology.encode(with:)": coding, "HMMatterTopology.init(coder:)": coding,
      "HMMatterTopology.supportsSecureCoding": coding,
      "CLRegion": coreLocation,
      "CLCircularRegion": coreLocation,
      "CLLocationCoordinate2D": coreLocation,
      "CLLocationDegrees": coreLocation,
      "CLLocationDistance": coreLocation,
      "CLLocationCoordinate2DMake(_:_:)": coreLocation,
      "CLLocationCoordinate2DIsValid(_:)": coreLocation,
      "NSExpression": predicates,
      "NSComparisonPredicate": predicates,
      "HMExpression": predicates,
      "HMComparisonPredicate": predicates,
    ])

  private static let coding = "NSSecureCoding demands it"
  private static let prompt = "asks what Apple's system asks on its screens"
  private static let deprecatedSinceFirst = "deprecated since its first version: an app cannot make such an object"
  private static let coreLocation = "Linux has no framework CoreLocation"
  private static let predicates = "Foundation for Linux has no NSExpression"

  /// The reason why the facade lacks a declaration, or its type; nil without an exception.
  func reason(toLack name: String) -> String? { Self.entry(of: name, in: absent) }

  /// Whether a declaration, or its type, answers with the error 48.
  func isWithoutFunction(_ name: String) -> Bool { Self.entry(of: name, in: withoutFunction) != nil }

  private static func entry(of name: String, in entries: [String: String]) -> String? {
    entries[name] ?? entries.first { name.hasPrefix("\($0.key).") }?.value
  }

  /// Whether Swift or Foundation demands a member of that name of types of a kind: of enumerations, option sets, errors,
  /// and classes that can be copied or compared. The list leaves these out.
  static func isOfLanguage(_ name: String) -> Bool {
    [
      "init(rawValue:)", "rawValue", "allCases", "hashValue", "hash(into:)", "==(_:_:)", "~=(_:_:)", "hash",
      "isEqual(_:)", "description", "debugDescription", "copy(with:)", "mutableCopy(with:)", "code", "errorCode",
      "errorUserInfo", "errorDescription",
    ].contains(name)
  }
}
