import HAPCrypto
import HAPWorld

@testable import HAPStore

extension HomeObjectRow {
  static func test(_ number: Int, kind: String = "room", name: String? = nil) -> HomeObjectRow {
    HomeObjectRow(id: "id-\(number)", home: "H", kind: kind, name: name ?? "Room \(number)", json: #"{"n":\#(number)}"#)
  }
}

extension HomeControllerRow {
  static let anna = HomeControllerRow(
    id: "anna", identifier: Array("me".utf8), key: .own(SigningKey(seed: SecretBytes(.init(repeating: 7, count: 32)))))
  static let ben = HomeControllerRow(
    id: "ben", identifier: Array("you".utf8), key: .foreign(.init(repeating: 2, count: 32)))
}

extension HomePairingRow {
  static let test = HomePairingRow(
    device: "AA:BB:CC:DD:EE:01", accessoryID: Array("AA:BB:CC:DD:EE:01".utf8),
    accessoryKey: .init(repeating: 1, count: 32), controller: "anna", addresses: ["127.0.0.1:1", "[fd00::1]:2"])
}

extension HomeDatabaseRow {
  static func test(_ number: UInt32 = 3) -> HomeDatabaseRow {
    HomeDatabaseRow(device: "AA:BB:CC:DD:EE:01", configurationNumber: number, body: Array("{}".utf8))
  }
}

extension HomeRows {
  /// The rows after these changes, by a second and simple implementation.
  func after(_ changes: [HomeRowChange]) -> HomeRows {
    var rows = self
    for change in changes {
      switch change {
      case .keep(.object(let row)): put(row, in: &rows.objects, \.id)
      case .keep(.triggerState(let row)): put(row, in: &rows.triggerStates, \.id)
      case .keep(.person(let row)): put(row, in: &rows.people, \.id)
      case .keep(.authorization(let row)): put(row, in: &rows.authorizations, \.id)
      case .keep(.owedPairing(let row)): put(row, in: &rows.owedPairings, \.id)
      case .keep(.pageToken(let row)): put(row, in: &rows.pageTokens, \.id)
      case .keep(.controller(let row)): put(row, in: &rows.controllers, \.id)
      case .keep(.pairing(let row)): put(row, in: &rows.pairings, \.device)
      case .keep(.database(let row)): put(row, in: &rows.databases, \.device)
      case .remove(.objects, let id): rows.objects.removeAll { $0.id == id }
      case .remove(.triggerStates, let id): rows.triggerStates.removeAll { $0.id == id }
      case .remove(.people, let id): rows.people.removeAll { $0.id == id }
      case .remove(.authorizations, let id): rows.authorizations.removeAll { $0.id == id }
      case .remove(.owedPairings, let id): rows.owedPairings.removeAll { $0.id == id }
      case .remove(.pageTokens, let id): rows.pageTokens.removeAll { $0.id == id }
      case .remove(.controllers, let id): rows.controllers.removeAll { $0.id == id }
      case .remove(.pairings, let id): rows.pairings.removeAll { $0.device == id }
      case .remove(.databases, let id): rows.databases.removeAll { $0.device == id }
      case .removeHome(let id): rows.objects.removeAll { $0.home == id }
      }
    }
    return rows
  }
}

private func put<R>(_ row: R, in rows: inout [R], _ id: KeyPath<R, String>) {
  if let index = rows.firstIndex(where: { $0[keyPath: id] == row[keyPath: id] }) {
    rows[index] = row
  } else {
    rows.append(row)
  }
}

/// Commands of a hub from its first start, each with the changes of one transaction.
enum HomeCommands {
  static let all: [[HomeRowChange]] = [
    [.keep(.controller(.anna))],
    [.keep(.object(.test(1, kind: "home", name: "My Home"))), .keep(.object(.test(2, name: "default room")))],
    [.keep(.object(.test(3)))],
    [.keep(.pairing(.test))],
    [.keep(.database(.test(1))), .keep(.object(.test(4, kind: "accessory", name: "Lamp")))],
    [.keep(.object(.test(2, name: "Hall")))],
    [.keep(.object(.test(5, kind: "trigger"))), .keep(.triggerState(.init(id: "id-5", json: "{}")))],
    [.keep(.triggerState(.init(id: "T1", json: "1"))), .keep(.triggerState(.init(id: "id-5", json: #"{"last":1}"#)))],
    [.remove(.triggerStates, id: "T1"), .keep(.object(.test(6)))],
    [.keep(.person(.init(id: "anna", json: "home"))), .keep(.controller(.ben))],
    [.keep(.authorization(.init(id: "C1", json: "{}"))), .keep(.authorization(.init(id: "C2", json: "{}")))],
    [.keep(.owedPairing(.init(id: "D1 ben", json: "{}"))), .keep(.owedPairing(.init(id: "D2 ben", json: "{}")))],
    [.keep(.pageToken(.init(id: "owner", json: "{}"))), .keep(.pageToken(.init(id: "ben", json: "{}")))],
    [
      .keep(
        .database(.init(device: "AA:BB:CC:DD:EE:01", configurationNumber: 2, body: .init(repeating: 9, count: 9000))))
    ],
    [.remove(.objects, id: "id-3"), .keep(.object(.test(2, name: "Living Room")))],
    [.keep(.object(.test(3, name: "Added again")))],
    [
      .remove(.objects, id: "id-4"), .remove(.databases, id: "AA:BB:CC:DD:EE:01"),
      .remove(.pairings, id: "AA:BB:CC:DD:EE:01"),
    ],
    [
      .remove(.controllers, id: "ben"), .remove(.people, id: "anna"), .remove(.triggerStates, id: "id-5"),
      .remove(.authorizations, id: "C1"), .remove(.owedPairings, id: "D1 ben"), .remove(.pageTokens, id: "ben"),
    ],
  ]

  /// The rows before the first command, and after each one.
  static let states: [HomeRows] = all.reduce(into: [HomeRows()]) { $0.append($0[$0.count - 1].after($1)) }
}
