import HAPModel
import HAPWire

/// A `.hasaccessory` profile, format 1. It describes an accessory, or a bridge with its accessories.
///
/// ```swift
/// let profile = try AccessoryProfile(json: bytes, fileName: "garage.hasaccessory")
/// for problem in profile.problems { print("\(profile.fileName):\(problem)") }
/// var ids = IDMap()
/// let built = try profile.build(ids: &ids, deviceID: DeviceID("AA:BB:CC:DD:EE:FF")!)
/// ```
public struct AccessoryProfile: Sendable {
  /// The file name for messages.
  public let fileName: String
  /// The document as it was read.
  public let text: [UInt8]
  /// All errors and warnings, in the order of the document. A profile with an error can't be built.
  public let problems: [ProfileProblem]
  /// The category of the accessory or the bridge.
  public let category: HAPModel.Category
  /// The setup code, if the profile sets one.
  public let setupCode: SetupCode?
  /// The setup ID, if the profile sets one.
  public let setupID: SetupID?
  /// The device ID, if the profile sets one.
  public let deviceID: DeviceID?
  /// Identifies the accessory across restarts and edits. It is `deviceID` if the profile has one, else `id`, else the stated
  /// manufacturer, model and serial number, else the name.
  public let key: String
  /// The quirks, if the profile has them.
  public let quirks: Quirks?
  /// Faults that are switched on at start, as raw JSON.
  package let faults: JSONNode?

  /// Whether the profile is complete, and nothing is added to it. Copies of devices are exact.
  public let isExact: Bool

  /// The accessory or bridge first, then the bridged accessories. `copies` is not yet applied.
  var accessories: [AccessoryDraft]

  /// Reads a document and checks it.
  ///
  /// - Throws: if the document is not JSON, is not an object, or has another format. All other errors are in `problems`.
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
    var quirksPresets = QuirksReader()
    self.quirks = document["quirks"].map { quirksPresets.read($0) }

    self.fileName = fileName
    self.text = json
    self.problems = Self.ordered(judge.problems + quirksPresets.problems)
    self.isExact = root.isExact
    self.category = root.category
    self.setupCode = root.setupCode
    self.setupID = root.setupID
    self.deviceID = root.deviceID
    self.key = root.deviceID.map { "device:\($0.text)" } ?? root.accessories[0].key
    self.faults = document["faults"]
    self.accessories = root.accessories
  }

  /// The name of the accessory or the bridge.
  public var name: String { accessories[0].name }

  /// The model of the accessory or the bridge: `md` of the Bonjour record.
  public var model: String { accessories[0].model ?? category.name }

  /// Whether the profile describes a bridge.
  public var isBridge: Bool { accessories.count > 1 || category == .bridge }

  /// Whether the profile can be served: it has no errors.
  public var isServable: Bool { !problems.contains { $0.severity == .error } }

  /// Renames the accessory without changing its identity. The caller must have checked the name.
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

  /// Returns the error in `name` as an accessory name, or nil if it is valid. Use it for names that don't come from a profile.
  public static func problem(withName name: String) -> String? { NameRules.error(name) }

  /// Every `behaviour` member, with the type and the characteristics of its service. Copies are not repeated.
  package var behaviourNodes: [(serviceType: TypeID, node: JSONNode, characteristics: [Characteristic])] {
    accessories.flatMap(\.services).filter { !$0.isOfUnknownType }.compactMap { service in
      service.behaviour.map { (service.type, $0, service.characteristics.map(\.characteristic)) }
    }
  }

  /// Every `matter` member, and whether it is that of a service. Copies are not repeated.
  package var matterNodes: [(node: JSONNode, isOfService: Bool)] {
    accessories.flatMap(\.services).flatMap { service in
      (service.matter.map { [($0, true)] } ?? [])
        + service.characteristics.compactMap { draft in
          draft.matter.map { ($0, false) }
        }
    }
  }

  /// The nodes of all services and characteristics of a built accessory; nil: an object that the profile does not mention.
  /// - Parameter database: of this profile.
  package func nodes(in database: AttributeDatabase) -> [AttributeID: JSONNode] {
    var nodes: [AttributeID: JSONNode] = [:]
    for (entry, accessory) in zip(database.accessoryEntries, accessories.flatMap(\.expanded).map(\.accessory)) {
      for (index, draft) in zip(entry.services, accessory.services) where !draft.isAdded {
        let service = database.services[index]
        nodes[AttributeID(aid: entry.aid, iid: service.iid)] = draft.node
        for (slot, draft) in zip(service.slots, draft.characteristics) where !draft.isAdded {
          nodes[database.id(ofSlot: slot)] = draft.node
        }
      }
    }
    return nodes
  }

  /// Sorts problems by their position and removes duplicates.
  private static func ordered(_ problems: [ProfileProblem]) -> [ProfileProblem] {
    var seen: Set<ProfileProblem> = []
    return problems.filter { seen.insert($0).inserted }.enumerated().sorted {
      ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
    }.map(\.element)
  }
}

/// The result of reading a document.
struct ProfileRoot {
  var isExact: Bool
  var category: HAPModel.Category
  var setupCode: SetupCode?
  var setupID: SetupID?
  var deviceID: DeviceID?
  var node: JSONNode
  var accessories: [AccessoryDraft]
}
