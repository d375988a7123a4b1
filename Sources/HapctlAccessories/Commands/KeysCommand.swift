import HAPCommandLine
import HAPController
import HAPLoop
import HAPStore
import HAPWire

extension Command {
  private static let output = Option<String>(
    "output", letter: "o", "FILE", "write to FILE, with access only for its owner")

  /// `hapctl keys`
  static let keys = Command(
    "keys", "exchange pairings with aiohomekit and Home Assistant",
    operands: .some(label: "import FILE | export [ALIAS…]", count: 1...1000),
    options: [output.definition, CommonOptions.state.definition, CommonOptions.json.definition],
    discussion: [
      "'import' reads aiohomekit's pairing files and Home Assistant's core.config_entries. It saves all pairings of a file, or none if one is invalid. If another accessory "
        + "already has a pairing's alias, the new alias gets a number at the end.",
      "'export' writes aiohomekit's format, with the controller's secret keys. Without --output, it prints the JSON to standard output. With --output, --json prints the exported pairings, without their keys.",
    ],
    examples: [
      ("hapctl keys import pairings.json", "imports pairings from aiohomekit"),
      ("hapctl keys export garage -o garage.json", "exports one pairing for an aiohomekit script"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let folder = try stateFolder(arguments, console)
    let path = try arguments.value(output)
    let words = Array(arguments.operands.dropFirst())
    let isJSON = arguments[CommonOptions.json]
    switch arguments.operands[0] {
    case "import":
      guard words.count == 1, path == nil else { throw UsageError("import takes one FILE") }
      return withLoop("keys", console) { _ in try importKeys(words[0], folder, isJSON, console) }
    case "export": return withLoop("keys", console) { _ in try exportKeys(words, path, folder, isJSON, console) }
    default: throw UsageError("\(shown(arguments.operands[0])): expected import or export")
    }
  }
}

private func importKeys(_ path: String, _ folder: String, _ isJSON: Bool, _ console: Console) throws -> ExitCode {
  let read: [ControllerPairing]
  do { read = try PairingFile.read(try readFile(path, limit: 16 << 20)) } catch let error as JSONProblem {
    throw Failure(.problem, "\(path):\(error.place): \(error.path.isEmpty ? "" : "\(error.path): ")\(error.message)")
  }
  let store = try ControllerStore(folder: folder)
  let added = PairingFile.named(read, among: try store.pairings())
  try store.keep(added)
  if isJSON {
    console.print(json(added, file: path))
    return .well
  }
  for pairing in added { console.print("\(shown(pairing.alias))  \(pairing.accessoryName)") }
  if added.isEmpty { console.print("\(path) contains no pairing over IP.") }
  return .well
}

private func exportKeys(
  _ aliases: [String], _ path: String?, _ folder: String, _ isJSON: Bool, _ console: Console
) throws -> ExitCode {
  let known = try ControllerStore(folder: folder).pairings()
  let wanted = try aliases.isEmpty ? known : aliases.map { try known.pairing(for: try Target($0)) }
  let text = PairingFile.text(wanted)
  guard let path else {
    console.print(text)
    return .well
  }
  try writePrivateFile(path, Array((text + "\n").utf8))
  if isJSON { console.print(json(wanted, file: path)) }
  return .well
}

/// Returns `{"file":"pairings.json","pairings":[{"alias":…,"deviceID":…,"addresses":[…]}]}`.
private func json(_ pairings: [ControllerPairing], file: String) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("file")
      json.string(file)
      json.write(pairings: pairings)
    }
  }
}
