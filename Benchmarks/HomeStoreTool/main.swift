// Fills, opens and changes a store of homes, and prints the times, for Benchmarks/home_store.py.
//
//   HomeStoreTool fill FOLDER            stores a home of 500 accessories with 2000 services and 10 000 characteristics
//   HomeStoreTool open FOLDER            prints the milliseconds of opening the store and reading all rows, and of the model from the rows
//   HomeStoreTool commit FOLDER COUNT    prints COUNT pairs: the milliseconds of a durable command, and of a write of 4 KiB with its fsync
import HAPHome
import HAPModel
import HAPStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  try ContinuousClock().measure(body) / .milliseconds(1)
}

/// A device with 4 services and 20 characteristics.
func device(_ number: Int) -> DeviceDescription {
  func characteristic(_ iid: Int, _ type: TypeID, _ format: Format, _ value: Value = .null) -> Characteristic {
    Characteristic(
      iid: UInt64(iid), type: type, format: format, perms: [.pairedRead, .pairedWrite, .events], value: value,
      unit: format == .int ? .percentage : nil,
      constraints: format == .int ? Constraints(minValue: 0, maxValue: 100, minStep: 1) : Constraints())
  }
  let texts: [(TypeID, Value)] = [
    (0x23, .string("Light \(number)")), (0x20, "Example"), (0x21, "L-1"), (0x30, .string("\(number)")), (0x52, "1.0.0"),
  ]
  let information = Service(
    iid: 1, type: 0x3E,
    characteristics: texts.enumerated().map { characteristic($0 + 2, $1.0, .string, $1.1) })
  let lights = (1...3).map { place in
    let iid = place * 10
    return Service(
      iid: UInt64(iid), type: 0x43, isPrimary: place == 1,
      characteristics: [
        characteristic(iid + 1, 0x25, .bool), characteristic(iid + 2, 0x8, .int), characteristic(iid + 3, 0x13, .float),
        characteristic(iid + 4, 0x2F, .float),
        characteristic(iid + 5, 0x23, .string, .string("Light \(number) \(place)")),
      ])
  }
  let id: [UInt8] = [0xAA, 0xBB, 0xCC, 0, UInt8(number >> 8), UInt8(number & 0xFF)]
  guard let device = DeviceID(bytes: id) else { preconditionFailure("an ID has six bytes") }
  return DeviceDescription(
    device: device, configurationNumber: 1, category: 5,
    accessories: [Accessory(aid: 1, services: [information] + lights)])
}

struct Random: RandomNumberGenerator {
  var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1
    return state ^ state >> 29
  }
}

let context = HomeContext(now: .distantPast) { _ in .utc }

func row(_ row: HomeRow) -> HomeObjectRow {
  HomeObjectRow(id: row.id, home: row.home, kind: row.kind, name: row.name, json: row.json)
}

func fill(_ folder: String) throws {
  var model = HomeModel()
  var random = Random()
  _ = try model.perform(
    .addHome(name: "My Home", zone: .utc, location: nil, owner: "Anna"), in: context, using: &random)
  let home = model.homes[0].id
  var changes: [HomeRowChange] = []
  for number in 1...500 {
    let description = device(number)
    _ = try model.perform(.addDevice(home: home, description), in: context, using: &random)
    let id = description.device.text
    // As long as the answer to GET /accessories of such a device.
    let body = [UInt8](repeating: UInt8(ascii: " "), count: 4000)
    changes.append(.keep(.database(HomeDatabaseRow(device: id, configurationNumber: 1, body: body))))
    changes.append(
      .keep(
        .pairing(
          HomePairingRow(
            device: id, accessoryID: Array(id.utf8), accessoryKey: .init(repeating: 1, count: 32), controller: "owner",
            addresses: ["192.0.2.1:51826"]))))
  }
  try HomeStore(folder: folder).commit(model.rows.map { .keep(.object(row($0))) } + changes)
}

/// Returns the model of a store, and prints the times.
func open(_ folder: String) throws -> (HomeStore, HomeModel) {
  var store: HomeStore?
  var rows = HomeRows()
  let reading = try milliseconds {
    let opened = try HomeStore(folder: folder)
    rows = try opened.load()
    store = opened
  }
  var model = HomeModel()
  var problems: [HomeRowProblem] = []
  let building = milliseconds {
    let objects = rows.objects.map { HomeRow(id: $0.id, home: $0.home, kind: $0.kind, name: $0.name, json: $0.json) }
    model = HomeModel(rows: objects, problems: &problems)
  }
  let accessories = model.homes.first?.accessories ?? []
  guard let store, rows.damaged.isEmpty, problems.isEmpty, rows.databases.count == 500, accessories.count == 500,
    accessories.flatMap(\.services).flatMap(\.characteristics).count == 10_000
  else { preconditionFailure("the store is not as it was filled") }
  print(reading, building)
  return (store, model)
}

func commit(_ folder: String, _ count: Int) throws {
  var (store, model) = try open(folder)
  var random = Random()
  let accessory = model.homes[0].accessories[250].id
  let file = open(folder + "/bare", O_RDWR | O_CREAT, 0o600)
  precondition(file >= 0, "the folder can't be written")
  let page = [UInt8](repeating: 1, count: 4096)
  for number in 1...count {
    let ours = try milliseconds {
      let before = model
      let changes = try model.perform(.rename(accessory, "Name \(number)"), in: context, using: &random)
      let updates = HomeRowUpdate.updates(for: changes, from: before, to: model)
      try store.commit(
        updates.map { update in
          switch update {
          case .keep(let changed): .keep(.object(row(changed)))
          case .remove(let id): .remove(.objects, id: id)
          case .removeHome(let id): .removeHome(id: id)
          }
        })
    }
    let bare = milliseconds {
      precondition(pwrite(file, page, page.count, off_t(number % 1000 * 4096)) == page.count)
      precondition(fsync(file) == 0)
    }
    print(ours, bare)
  }
  close(file)
}

let words = CommandLine.arguments
switch (words.dropFirst().first, words.count) {
case ("fill", 3): try fill(words[2])
case ("open", 3): _ = try open(words[2])
case ("commit", 4): try commit(words[2], Int(words[3]) ?? 1)
default:
  print("usage: HomeStoreTool fill FOLDER | open FOLDER | commit FOLDER COUNT")
  exit(2)
}
