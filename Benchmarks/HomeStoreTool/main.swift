// Fills, opens and changes a store of homes, and prints the times, for Benchmarks/home_store.py.
//
//   HomeStoreTool fill FOLDER            stores 500 accessories with 2000 services and 10 000 characteristics
//   HomeStoreTool open FOLDER            prints the milliseconds of opening and reading all rows
//   HomeStoreTool commit FOLDER COUNT    prints COUNT pairs: the milliseconds of a durable command, and of a write of 4 KiB with its fsync
import HAPStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  try ContinuousClock().measure(body) / .milliseconds(1)
}

/// A text of the length of a UUID.
func identifier(_ number: Int) -> String {
  String(repeating: "0", count: 36 - String(number).count) + String(number)
}

/// The rows of one accessory: an object as the model stores it, with 4 services and 20 characteristics, and its attribute database.
func accessory(_ number: Int) -> [HomeRowChange] {
  let id = identifier(number)
  let services = (1...4).map { service in
    let characteristics = (1...5).map { place in
      """
      {"iid":\(service * 10 + place),"type":"25","permissions":["pr","pw","ev"],"format":"float","unit":"percentage",\
      "min":0,"max":100,"step":0.1,"description":"Brightness of light \(place)"}
      """
    }
    return """
      {"iid":\(service * 10),"type":"43","name":"Light \(number) \(service)","isPrimary":\(service == 2),"linked":[],\
      "isUserInteractive":true,"characteristics":[\(characteristics.joined(separator: ","))]}
      """
  }
  let json = """
    {"room":"\(identifier(number / 10))","category":5,"device":"AA:BB:CC:00:00:01","aid":\(number),"manufacturer":"Example","model":"L-1",\
    "serialNumber":"\(number)","firmware":"1.0.0","configurationNumber":1,"services":[\(services.joined(separator: ","))]}
    """
  let name = "Light \(number)", device = "device \(number)"
  return [
    .keep(.object(HomeObjectRow(id: id, home: "home", kind: "accessory", name: name, json: json))),
    .keep(.database(HomeDatabaseRow(device: device, configurationNumber: 1, body: Array(json.utf8)))),
    .keep(
      .pairing(
        HomePairingRow(
          device: device, accessoryID: Array(device.utf8), accessoryKey: .init(repeating: 1, count: 32),
          controller: "owner", addresses: ["192.0.2.1:51826"]))),
  ]
}

func read(_ folder: String) throws {
  let time = try milliseconds {
    let rows = try HomeStore(folder: folder).load()
    precondition(rows.damaged.isEmpty && rows.databases.count == 500, "the store is not as it was filled")
  }
  print(time)
}

func commit(_ folder: String, _ count: Int) throws {
  let store = try HomeStore(folder: folder)
  let object = try store.load().objects[250]
  let file = open(folder + "/bare", O_RDWR | O_CREAT, 0o600)
  precondition(file >= 0, "the folder can't be written")
  let page = [UInt8](repeating: 1, count: 4096)
  for number in 1...count {
    var changed = object
    changed.name = "Name \(number)"
    let ours = try milliseconds { try store.commit([.keep(.object(changed))]) }
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
case ("fill", 3):
  let store = try HomeStore(folder: words[2])
  try store.commit((1...500).flatMap(accessory))
case ("open", 3): try read(words[2])
case ("commit", 4): try commit(words[2], Int(words[3]) ?? 1)
default:
  print("usage: HomeStoreTool fill FOLDER | open FOLDER | commit FOLDER COUNT")
  exit(2)
}
