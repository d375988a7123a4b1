import HAPAccessoryPort
import HAPController
import HAPCrypto
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPStore
import HAPWire

/// What a hub reads from its store at the start. Rows that can't be used stay in the store, and are reported.
struct HubContents: Sendable {
  let store: HomeStore
  private let rows: HomeRows
  var model = HomeModel()
  var states: [TriggerState] = []
  var persons: [PersonState] = []
  var authorizations: [HomeObjectID: [UInt8]] = [:]
  var owed: [OwedPairing] = []
  var tokens: [String: String] = [:]
  private(set) var identity: ControllerIdentity?
  private(set) var pairings: [DevicePairing] = []
  /// Those that are to be removed at the accessory.
  private(set) var leaving: Set<DeviceID> = []
  private(set) var problems: [String] = []

  /// The ID of the row with the identity with which the hub pairs. Adopted pairings have identities of their own.
  static let ownIdentity = "owner"
  /// The copy of a store with rows that could not be used.
  static let copyName = "home.db.damaged"

  /// Reads all rows, and the pairings in them. Blocks.
  init(of store: HomeStore) throws(StoreError) {
    self.store = store
    rows = try store.load()
    readPairings()
  }

  /// Returns the contents with the model and everything else. Blocks.
  func withModel(folder: String) -> HubContents {
    var contents = self
    contents.problems = rows.damaged.map { "table \($0.table), row \($0.id): \($0.reason); the row is not used" }
    contents.readModel()
    contents.problems += problems
    if !contents.problems.isEmpty { contents.keepCopy(in: folder) }
    return contents
  }

  private mutating func readModel() {
    var rowProblems: [HomeRowProblem] = []
    model = HomeModel(
      rows: rows.objects.map { HomeRow(id: $0.id, home: $0.home, kind: $0.kind, name: $0.name, json: $0.json) },
      problems: &rowProblems)
    problems += rowProblems.map(\.description)
    states = parsed(rows.triggerStates, "trigger_states") { node throws(JSONProblem) in try TriggerState(node) }
    persons = parsed(rows.people, "people") { node throws(JSONProblem) in try PersonState(node) }
    let data = parsed(rows.authorizations, "authorizations") { node throws(JSONProblem) in
      (try node.identifier(.characteristic), try node.required("data").parsed("base64", Base64.decode))
    }
    authorizations = Dictionary(data) { $1 }
    owed = parsed(rows.owedPairings, "owed_pairings") { node throws(JSONProblem) in try OwedPairing(node) }
    let tokens = parsed(rows.pageTokens, "page_tokens") { node throws(JSONProblem) in
      (try node.string("id"), try node.string("token"))
    }
    self.tokens = Dictionary(tokens) { $1 }
  }

  private mutating func readPairings() {
    var identities: [String: ControllerIdentity] = [:]
    for row in rows.controllers {
      // Persons with another hub have only a public key.
      guard case .own(let key) = row.key else { continue }
      identities[row.id] = ControllerIdentity(identifier: String(decoding: row.identifier, as: UTF8.self), key: key)
    }
    identity = identities[Self.ownIdentity]
    for row in rows.pairings {
      guard let device = DeviceID(row.device) else {
        problems.append("table pairings, row \(row.device): it is not a device ID; the row is not used")
        continue
      }
      guard let identity = identities[row.controller] else {
        problems.append(
          "table pairings, row \(row.device): its controller \(row.controller) is not there; the row is not used")
        continue
      }
      if row.controller == HomeHub.leavingRow(device) { leaving.insert(device) }
      pairings.append(
        DevicePairing(
          device: device, accessoryID: row.accessoryID, accessoryKey: row.accessoryKey, identity: identity,
          addresses: row.addresses))
    }
  }

  private mutating func parsed<T>(
    _ rows: [HomeStateRow], _ table: String, _ read: (JSONNode) throws(JSONProblem) -> T
  ) -> [T] {
    rows.compactMap { row in
      do {
        return try read(try JSONNode.parse(Array(row.json.utf8)))
      } catch {
        problems.append("table \(table), row \(row.id.prefix(40)): \(error); the row is not used")
        return nil
      }
    }
  }

  /// Keeps a copy of the store: rows that refer to a damaged one are changed later. An earlier copy stays.
  private mutating func keepCopy(in folder: String) {
    let path = folder + "/" + Self.copyName
    do throws(StoreError) {
      try store.backUp(to: path)
      problems.append("a copy of the store is \(path): repair it and restore it, or remove it")
    } catch {
      if error.code == .exists {
        problems.append("the copy of an earlier start is \(path): repair it and restore it, or remove it")
      } else {
        problems.append("the store can't be copied to \(path): \(error)")
      }
    }
  }
}

extension DevicePairing {
  /// The rows of the pairing, and of its identity.
  /// - Parameter controller: the ID of the identity's row.
  func rows(controller: String, withIdentity: Bool) -> [HomeRowChange] {
    let pairing = HomeRowChange.keep(
      .pairing(
        HomePairingRow(
          device: device.text, accessoryID: accessoryID, accessoryKey: accessoryKey, controller: controller,
          addresses: addresses)))
    guard withIdentity else { return [pairing] }
    return [identity.row(id: controller), pairing]
  }
}

extension ControllerIdentity {
  /// The row of the identity with which the hub pairs.
  var row: HomeRowChange { row(id: HubContents.ownIdentity) }

  fileprivate func row(id: String) -> HomeRowChange {
    .keep(.controller(HomeControllerRow(id: id, identifier: Array(identifier.utf8), key: .own(key))))
  }
}
