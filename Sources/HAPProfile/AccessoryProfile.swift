import HAPModel
import HAPWire

/// A `.hasaccessory` profile, format 1: what an accessory, or a bridge with its accessories, is.
///
/// ```swift
/// let profile = try AccessoryProfile(json: bytes, fileName: "garage.hasaccessory")
/// for problem in profile.problems { print("\(profile.fileName):\(problem)") }
/// var ids = IDMap()
/// let built = try profile.build(ids: &ids, deviceID: DeviceID("AA:BB:CC:DD:EE:FF")!)
/// ```
public struct AccessoryProfile: Sendable {
  /// The name it was read under, for messages.
  public let fileName: String
  /// The document as it was read.
  public let text: [UInt8]
  /// All that is wrong with it, in the order of the document. With an error among them it can't be built.
  public let problems: [ProfileProblem]
  /// The category of the one accessory, or of the bridge.
  public let category: HAPModel.Category
  /// The code to pair with, where the profile fixes it.
  public let setupCode: SetupCode?
  /// The setup ID, where the profile fixes it.
  public let setupID: SetupID?
  /// The device ID, where the profile fixes it.
  public let deviceID: DeviceID?
  /// What makes it the same accessory over restarts and edits: `deviceID` if given, else `id`, else manufacturer, model and serial
  /// number as written, else the name.
  public let key: String
  /// The protocol's manners, where the profile has them.
  public let conduct: Conduct?
  /// Switched on at start, raw.
  package let faults: JSONNode?

  /// Whether it says everything, and nothing is added: so are the copies of devices.
  public let isExact: Bool

  /// The sole accessory or bridge first, then the bridged ones; copies not yet made.
  var accessories: [AccessoryDraft]

  /// Reads a document and judges it.
  ///
  /// - Throws: when it is no profile at all: no JSON, no object, or another format. Everything else is told by `problems`.
  public init(json: [UInt8], fileName: String) throws(ProfileErrors) {
    var reader = ProfileReader()
    let document: JSONNode
    do {
      document = try JSONNode.parse(json)
    } catch {
      let problem = ProfileProblem(.json, path: "", place: error.place, error.message)
      throw ProfileErrors(fileName: fileName, problems: [problem])
    }
    guard reader.isFormat1(document) else { throw ProfileErrors(fileName: fileName, problems: reader.problems) }
    let root = reader.profile(document)
    var judge = ProfileJudge(problems: reader.problems, isExact: root.isExact)
    judge.judge(root)
    var conducts = ConductReader()
    self.conduct = document["conduct"].map { conducts.read($0) }

    self.fileName = fileName
    self.text = json
    self.problems = Self.ordered(judge.problems + conducts.problems)
    self.isExact = root.isExact
    self.category = root.category
    self.setupCode = root.setupCode
    self.setupID = root.setupID
    self.deviceID = root.deviceID
    self.key = root.deviceID.map { "device:\($0.text)" } ?? root.accessories[0].key
    self.faults = document["faults"]
    self.accessories = root.accessories
  }

  /// The name of the one accessory, or of the bridge.
  public var name: String { accessories[0].name }

  /// The model of the one accessory, or of the bridge: `md` of the Bonjour record.
  public var model: String { accessories[0].model ?? category.name }

  /// Whether there are bridged accessories.
  public var isBridge: Bool { accessories.count > 1 || category == .bridge }

  /// Whether nothing keeps it from being served.
  public var isServable: Bool { !problems.contains { $0.severity == .error } }

  /// Gives the accessory another name, and leaves it the same accessory. The name is the caller's to have judged.
  public mutating func rename(_ name: String) {
    accessories[0].name = name
    for service in accessories[0].services.indices where accessories[0].services[service].type == .accessoryInformation
    {
      for index in accessories[0].services[service].characteristics.indices
      where accessories[0].services[service].characteristics[index].characteristic.type == .name {
        accessories[0].services[service].characteristics[index].characteristic.value = .string(name)
      }
    }
  }

  /// What is wrong with `name` as the name of an accessory; for names from elsewhere. Nil when nothing is.
  public static func problem(withName name: String) -> String? { NameRules.error(name) }

  /// Every `behaviour` member, with the type and the characteristics of its service, each once however many copies there are.
  package var behaviourNodes: [(serviceType: TypeID, node: JSONNode, characteristics: [Characteristic])] {
    accessories.flatMap(\.services).filter { !$0.isOfUnknownType }.compactMap { service in
      service.behaviour.map { (service.type, $0, service.characteristics.map(\.characteristic)) }
    }
  }

  /// By place, each once.
  private static func ordered(_ problems: [ProfileProblem]) -> [ProfileProblem] {
    var seen: Set<ProfileProblem> = []
    return problems.filter { seen.insert($0).inserted }.enumerated().sorted {
      ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
    }.map(\.element)
  }
}

/// What a reader makes of a document.
struct ProfileRoot {
  var isExact: Bool
  var category: HAPModel.Category
  var setupCode: SetupCode?
  var setupID: SetupID?
  var deviceID: DeviceID?
  var node: JSONNode
  var accessories: [AccessoryDraft]
}
