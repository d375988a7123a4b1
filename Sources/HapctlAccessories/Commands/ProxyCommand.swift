import HAPCommandLine
import HAPController
import HAPLoop
import HAPModel
import HAPProxy
import HAPStore
import HAPWire

extension Command {
  private static let code = Option<String>(
    "code", "XXX-XX-XXX", "the setup code of the proxy (default: random, then saved)")
  private static let listenAny = Flag("listen-any", "permit a LISTEN address that other machines can reach")
  private static let advertise = Flag("advertise", "advertise the proxy by multicast DNS")
  private static let transcript = Option<String>(
    "output", letter: "o", "FILE", "write the transcript to FILE, with access only for its owner")

  /// `hapctl proxy`
  static let proxy = Command(
    "proxy", "relay messages between a controller and an accessory, and write a transcript",
    operands: .some(label: "LISTEN TARGET", count: 2...2),
    options: [
      code.definition, advertise.definition, listenAny.definition, transcript.definition,
      CommonOptions.json.definition,
    ] + CommonOptions.all,
    discussion: [
      "LISTEN is [HOST:]PORT. The default host is 127.0.0.1; port 0 selects a free port. A controller pairs with the proxy by the proxy's setup code. The proxy then forwards each request to the "
        + "accessory, on a separate session for each controller, and returns the answer unchanged.",
      "The transcript contains each message with the names of characteristics and values. It contains all values, but no keys or codes. SIGINT and SIGTERM end the proxy.",
    ],
    examples: [
      ("hapctl proxy 51900 garage", "for a controller on this machine, to which you give the proxy's address"),
      ("hapctl proxy 0.0.0.0:51900 garage --listen-any --advertise", "for a phone on the same network"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let listen = try ListenAddress(arguments.operands[0], anywhere: arguments[listenAny])
    let visit = try Visit("proxy", to: try Target(arguments.operands[1]), arguments, console)
    var setupCode: SetupCode?
    if let text = try arguments.value(code) {
      do { setupCode = try SetupCode(text) } catch { throw UsageError("--code \(shown(text)): \(error)") }
    }
    let run = ProxyRun(
      visit: visit, listen: listen, code: setupCode, advertises: arguments[advertise],
      isJSON: arguments[CommonOptions.json], output: try arguments.value(transcript))
    do { return try run.serve() } catch {
      let failure = Failure(error)
      console.complain("hapctl proxy: \(failure.message)")
      return failure.code
    }
  }
}

/// A proxy run from start to end. It blocks the calling thread.
private struct ProxyRun {
  let visit: Visit
  let listen: ListenAddress
  let code: SetupCode?
  let advertises: Bool
  let isJSON: Bool
  let output: String?

  func serve() throws -> ExitCode {
    let loop = EventLoop(name: "hapctl")
    loop.start()
    let (visit, console) = (visit, visit.console)
    let lines = LineOutput(console, program: "hapctl proxy")
    var file: LineOutput?
    defer {
      loop.stop()
      file?.finish()
      lines.finish()
    }
    let (pairing, database) = try blocking { try await Self.readDatabase(visit, on: loop) }
    let identity = try ProxyIdentity(before: pairing, database, code: code, folder: visit.folder + "/proxy")
    defer { identity.store.close() }
    if let output {
      let made = try TranscriptFile(output) { console.complain("hapctl proxy: \($0)") }
      file = LineOutput(
        Console(out: { made.write($0) }, error: { console.complain($0) }), program: "hapctl proxy")
    }
    return try serve(identity, before: pairing, database, lines, transcript: file ?? lines, on: loop)
  }

  /// Reads the accessory's database on a separate connection.
  private static func readDatabase(
    _ visit: Visit, on loop: EventLoop
  ) async throws -> (pairing: ControllerPairing, database: AttributeDatabase) {
    let accessory = try await visit.open(on: loop)
    do {
      let mirror = try await accessory.mirror()
      await accessory.client.close()
      return (accessory.pairing, mirror.database)
    } catch {
      await accessory.client.close()
      throw error
    }
  }

  private func serve(
    _ identity: ProxyIdentity, before pairing: ControllerPairing, _ database: AttributeDatabase, _ lines: LineOutput,
    transcript: LineOutput, on loop: EventLoop
  ) throws -> ExitCode {
    let (visit, listen, advertises, isJSON) = (visit, listen, advertises, isJSON)
    let proxy = ProxyService(
      identity, before: pairing, database,
      .init(
        host: listen.host, port: listen.port, advertises: advertises, timeout: visit.timeout,
        interfaces: visit.interfaces),
      on: loop, observedBy: { Transcript(to: transcript, isJSON: isJSON, database) }
    ) { try await Self.readDatabase(visit, on: loop).database }
    let stopped = StopRequest()
    try loop.performAndWait { try stopped.watchSignals(loop) }
    try blocking {
      try await proxy.start { address in
        if isJSON {
          lines.write(identity.readyLine(at: address), isDroppable: false)
        } else {
          for line in identity.introduction(at: address, before: pairing, isAdvertised: advertises) {
            lines.write(line, isDroppable: false)
          }
        }
      }
    }
    stopped.wait()
    try blocking { await proxy.stop() }
    return .well
  }
}

extension ProxyIdentity {
  /// The data for a controller, as text.
  fileprivate func introduction(
    at address: SocketAddress, before pairing: ControllerPairing, isAdvertised: Bool
  ) -> [String] {
    [
      "\(name), proxy for \(shown(pairing.alias)) (\(pairing.accessoryName))", "  address     \(address)",
      "  device ID   \(identity.deviceID)", "  setup code  \(setup.code.text)", "  payload     \(payload.uri)",
      isAdvertised
        ? "Advertised on the network." : "Not advertised: enter the address in the controller, or add --advertise.",
      "Press Ctrl-C to stop.",
    ].map(ShellScreen.harmless)
  }

  /// The same data as JSON, in the format of hapsim's ready line.
  fileprivate func readyLine(at address: SocketAddress) -> String {
    JSONWriter.text { json in
      json.object { json in
        json.key("event")
        json.string("ready")
        json.key("accessories")
        json.array { json in
          json.object { json in
            let members = [
              ("name", name), ("deviceID", identity.deviceID.text), ("setupCode", setup.code.text),
              ("setupPayload", payload.uri),
              ("category", Catalogue.category(number: advertisement.category)?.slug ?? "other"),
              ("address", "\(address.host)"),
            ]
            for (key, value) in members {
              json.key(key)
              json.string(value)
            }
            json.key("port")
            json.integer(address.port)
          }
        }
      }
    }
  }
}
