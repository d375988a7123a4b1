import HAPCrypto
import HAPLoop
import HAPPairing
import HAPStore
import HAPTransport
import HAPWire
import WorldPrograms

/// hapsim as a process of a simulated host: its lines of JSON, and commands for it.
final class ServedProgram: @unchecked Sendable {  // confined to the world's thread
  struct Late: Error, CustomStringConvertible {
    var description: String
  }

  let loop: EventLoop
  private var child: ChildProcess?
  private var lastID = 0
  /// All lines of standard output.
  private(set) var said: [JSONNode] = []
  private(set) var errors: [String] = []
  private(set) var exit: ChildProcess.Exit?

  /// Starts hapsim in a laboratory, and returns when it is ready.
  init(_ words: [String], in laboratory: SimulatedLaboratory) throws {
    loop = laboratory.loop
    try laboratory.world.run { [self] in try await start(words) }
  }

  private func start(_ words: [String]) async throws {
    let command =
      ["hapsim"] + words + ["--json", "--commands", "--interface", "lo", "--ephemeral", "--control", "off"]
    let text = command.map { "'\($0)'" }.joined(separator: " ")
    try loop.performAndWait { [self] in child = try ChildProcess(loop, command: text) { [self] in heard($0) } }
    _ = try await wait { $0["event"]?.stringValue == "ready" }
  }

  private func heard(_ event: ChildProcess.Event) {
    switch event {
    case .line(.output, let bytes):
      said.append((try? JSONNode.parse(bytes)) ?? .text(String(decoding: bytes, as: UTF8.self)))
    case .line(.error, let bytes): errors.append(String(decoding: bytes, as: UTF8.self))
    case .tooLong: errors.append("(a line that is too long)")
    case .ended(let exit): self.exit = exit
    }
  }

  /// The first matching line, waiting for it in virtual time.
  @discardableResult
  func wait(_ isWanted: (JSONNode) -> Bool) async throws -> JSONNode {
    for _ in 0..<6000 {
      if let line = said.first(where: isWanted) { return line }
      if exit != nil { break }
      try await loop.sleep(for: .milliseconds(10))
    }
    throw Late(description: "hapsim printed \(said.map(\.compactText)) and \(errors), exit \(String(describing: exit))")
  }

  func waitForEvent(_ name: String) async throws { try await wait { $0["event"]?.stringValue == name } }

  /// Sends one command.
  /// - Returns: its answer.
  func perform(_ members: [(name: String, value: JSONNode)]) async throws -> JSONNode {
    lastID += 1
    let id = lastID
    let line = JSONNode.object([("id", .integer(id))] + members).compactText
    try loop.performAndWait { [self] in _ = child?.write(line: line) }
    return try await wait { $0["id"]?.integerValue == Int128(id) }
  }

  /// Stops it, as SIGTERM does.
  /// - Returns: its exit status.
  func stop() async throws -> ChildProcess.Exit? {
    if exit == nil { try loop.performAndWait { [self] in child?.terminate(grace: .seconds(600)) } }
    for _ in 0..<6000 where exit == nil { try await loop.sleep(for: .milliseconds(10)) }
    return exit
  }

  /// The address of its only accessory.
  var place: SocketAddress? {
    guard let host = accessory?["address"]?.stringValue.flatMap({ try? IPAddress($0) }),
      let port = accessory?["port"]?.integerValue.flatMap(UInt16.init(exactly:))
    else { return nil }
    return SocketAddress(host: host, port: port)
  }

  private var accessory: JSONNode? { said.first?["accessories"]?.elements?.first }

  /// Pairs with its only accessory.
  func pair() async throws -> ControllerPairing {
    guard let place, let code = accessory?["setupCode"]?.stringValue else {
      throw Late(description: "the ready line has no accessory: \(said.map(\.compactText))")
    }
    return try await ControllerPairing.make(at: place, code: code, on: loop)
  }
}

extension ControllerPairing {
  /// Pairs with an accessory.
  static func make(at place: SocketAddress, code: String, on loop: EventLoop) async throws -> ControllerPairing {
    let client = ControllerClient(on: loop)
    try await client.connect(to: [place])
    let me = ControllerCredentials(
      identifier: Array("6C2F0F4A-93A1-4B1E-8D57-2A0C6B1F9E35".utf8), key: SigningKey(seed: loop.random.secret(32)))
    guard let paired = try await client.pairSetup(code: code, identity: me) else {
      throw ServedProgram.Late(description: "Pair Setup ended without an accessory")
    }
    await client.close()
    return ControllerPairing(
      alias: "it", accessoryID: paired.identifier, accessoryKey: paired.publicKey, controllerID: me.identifier,
      controllerKey: me.key, addresses: ["\(place)"])
  }
}
