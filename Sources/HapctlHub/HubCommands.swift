import HAPCommandLine
import HAPHome
import HAPHomeControl
import HAPHub
import HAPHubLink
import HAPLoop
import HAPStore
import HAPWire

extension Command {
  /// `hapctl hub`
  /// - Parameter version: the version of the program, for the status.
  package static func hub(version: String) -> Command {
    Command(
      "hub", "run the hub of a folder, which has the homes and runs their triggers, and manage it",
      commands: [
        HubCommands.run(version: version), HubCommands.status, HubCommands.token, HubCommands.stop, HubCommands.backup,
        HubCommands.restore,
      ],
      discussion: [
        "A hub has the homes of a folder: it keeps the connections with the accessories, and runs the triggers while no app is open. 'hapctl home' and other apps attach to it."
      ],
      examples: [
        ("hapctl hub run", "runs the hub of the default folder until Ctrl-C"),
        ("hapctl hub backup ~/home.backup", "copies all homes, with their keys"),
      ])
  }
}

/// The commands below `hapctl hub`.
enum HubCommands {
  static let folder = Option<String>(
    "folder", "DIR",
    "the folder of the hub (default: $XDG_STATE_HOME/hapctl/home, else ~/.local/state/hapctl/home)")
  private static let interface = Option<String>(
    "interface", "IF", repeated: true,
    "search for accessories only on this network interface; may be given several times (default: all of the local network)"
  )
  private static let listen = Option<ListeningAddress>(
    "listen", "ADDR:PORT",
    "serve a page of the homes and its API at this address (default of the port: \(ServedHomePage.standardPort))",
    read: { (text: String) throws(UsageError) in
      guard let address = ListeningAddress(text) else {
        throw UsageError("expected an address and a port, such as 127.0.0.1:9437, 9437 or [::1]:9437")
      }
      return address
    })
  static let home = Option<String>("home", "NAME", "the home of the user, if several homes have such a user")
  static let renew = Flag("renew", "replace the token by a new one")
  private static let json = Flag("json", "write JSON, for programs")

  static func run(version: String) -> Command {
    Command(
      "run", "serve the homes of a folder until Ctrl-C",
      options: [folder, interface].map(\.definition) + [listen.definition],
      discussion: [
        "The hub connects with all accessories of its homes, and listens for apps at a socket in its folder. Only the owner of the folder and root can attach.",
        "With --listen, the hub serves a page of the homes and an API over HTTP. Each request needs a token: the printed address has that of the owner, and 'hapctl hub token' prints one for each user.",
        "SIGINT, SIGTERM and 'hapctl hub stop' end it: what is being stored is completed.",
      ],
      examples: [
        ("hapctl hub run --interface lo", "serves homes whose accessories are on this machine"),
        ("hapctl hub run --listen 9437", "also serves the page of the homes at http://127.0.0.1:9437/"),
      ]
    ) { (arguments, console) throws(UsageError) in
      let path = try hubFolder(given: try arguments.value(folder), console.environment)
      let options = ServedHub.Options(
        folder: path, interfaces: try arguments.all(interface), files: HubFiles.current.files,
        zones: .ofMachine, version: version)
      let address = try arguments.value(listen)
      return command("run", console) { loop, place in try await serve(options, address, console, place, on: loop) }
    }
  }

  private static func serve(
    _ options: ServedHub.Options, _ address: ListeningAddress?, _ console: Console, _ place: CommandPlace,
    on loop: EventLoop
  ) async throws -> ExitCode {
    let served = try await ServedHub.start(options, on: loop)
    var page: ServedHomePage?
    do {
      let hub = served.hub
      try await loop.perform {
        try place.whenAskedToEnd(loop) { loop.startTask { await hub.stop() } }
      }
      let status = await hub.status
      let count = status.devices.count
      console.print("The hub serves \(options.folder), with \(count == 1 ? "1 device" : "\(count) devices").")
      for problem in status.problems { console.complain("hapctl hub run: \(problem)") }
      if let address { page = try await servePage(of: hub, at: address, options, console, on: loop) }
      if let path = served.path { console.print("Apps attach at \(path). Press Ctrl-C to stop it.") }
      await hub.ended()
    } catch {
      await page?.close(on: loop)
      await served.stop(on: loop)
      throw error
    }
    await page?.close(on: loop)
    await served.stop(on: loop)
    console.print("The hub was stopped.")
    return .well
  }

  static let status = Command(
    "status", "show the state of the running hub: its devices and apps", options: [folder.definition, json.definition],
    examples: [("hapctl hub status", "shows which accessories can be reached")]
  ) { (arguments, console) throws(UsageError) in
    let path = try hubFolder(given: try arguments.value(folder), console.environment)
    let isJSON = arguments[json]
    return command("status", console) { loop, _ in
      try await withHub(of: path, on: loop) { link in
        guard case .status(let status) = try await link.ask(.status) else { throw wrongAnswer }
        if isJSON {
          console.print(HubAnswer.status(status).compactText)
        } else {
          show(status, console)
        }
        return .well
      }
    }
  }

  private static func show(_ status: HubStatus, _ console: Console) {
    console.print("process \(status.processID), hapctl \(status.version), since \(status.started)")
    console.print("devices:" + (status.devices.isEmpty ? " none" : ""))
    for device in status.devices {
      let state = device.isReachable ? "reachable" : "not reachable: \((device.why ?? "unknown").visible)"
      let address = device.address.map { " at \($0)" } ?? ""
      console.print("  \(device.device)\(address)  \(state)  \(device.subscriptions) subscriptions")
    }
    console.print("apps:" + (status.apps.isEmpty ? " none" : ""))
    for app in status.apps {
      let process = app.processID.map { " (process \($0))" } ?? ""
      let gaps = app.gaps > 0 ? "  \(app.gaps) gaps" : ""
      console.print("  \(shown(app.name))\(process)  \(app.subscriptions) subscriptions\(gaps)")
    }
    for problem in status.problems { console.print("problem: \(problem.visible)") }
  }

  static let stop = Command(
    "stop", "stop the running hub, and wait for its end", options: [folder.definition],
    examples: [("hapctl hub stop", "ends 'hapctl hub run' in another terminal")]
  ) { (arguments, console) throws(UsageError) in
    let path = try hubFolder(given: try arguments.value(folder), console.environment)
    return command("stop", console) { loop, _ in
      try await withHub(of: path, on: loop) { link in
        _ = try await link.ask(.attach(app: "hapctl hub stop"))
        _ = try await link.ask(.stop)
        for await _ in link.events {}
        console.print("The hub was stopped.")
        return .well
      }
    }
  }

  static let backup = Command(
    "backup", "copy all homes and keys to a file", operands: .some(label: "FILE", count: 1...1),
    options: [folder.definition],
    discussion: [
      "The hub can run meanwhile. FILE must not exist. Only its owner can read it: it has the keys of all accessories."
    ],
    examples: [("hapctl hub backup ~/home.backup", "copies the homes of the default folder")]
  ) { (arguments, console) throws(UsageError) in
    let path = try hubFolder(given: try arguments.value(folder), console.environment)
    let (target, files) = (arguments.operands[0], HubFiles.current.files)
    return command("backup", console) { loop, _ in
      try await offload(on: loop) { () throws(StoreError) in
        try HomeStore.backUp(folder: path, to: target, files: files)
      }
      console.print("Copied \(path) to \(target). The file has the keys of all accessories: keep it secret.")
      return .well
    }
  }

  static let restore = Command(
    "restore", "replace the homes of a folder by a backup", operands: .some(label: "FILE", count: 1...1),
    options: [folder.definition],
    discussion: [
      "The hub must not run. The replaced file is kept as home.db.replaced. Accessories that were added or removed since the backup have to be added or removed again."
    ],
    examples: [("hapctl hub restore ~/home.backup", "goes back to the homes of the backup")]
  ) { (arguments, console) throws(UsageError) in
    let path = try hubFolder(given: try arguments.value(folder), console.environment)
    let (source, files) = (arguments.operands[0], HubFiles.current.files)
    return command("restore", console) { loop, _ in
      try await loop.offload { Result { try NoBackup.restore(source, into: path, files) } }.get()
      console.print("Restored \(path) from \(source).")
      return .well
    }
  }

  // MARK: Common parts

  /// Runs the body of a command on a loop, and reports its error in one line.
  static func command(
    _ name: String, _ console: Console,
    _ body: @escaping @Sendable (EventLoop, CommandPlace) async throws -> ExitCode
  ) -> ExitCode {
    let place = CommandPlace.current
    @Sendable func report(_ error: any Error) -> ExitCode {
      let hint: String
      if case .alreadyRunning? = (error as? StoreError)?.code {
        hint = "; 'hapctl hub stop' ends it"
      } else if (error as? LoopError)?.code == .addressInUse {
        hint = ": choose another one with --listen"
      } else {
        hint = ""
      }
      console.complain("hapctl hub \(name): \((error as? HomeError)?.message ?? "\(error)")\(hint)")
      return .cannotRun
    }
    do {
      return try place.run("hapctl hub") { loop in
        do { return try await body(loop, place) } catch { return report(error) }
      }
    } catch { return report(error) }
  }

  static func withHub(
    of folder: String, on loop: EventLoop, _ body: (HubSocketLink) async throws -> ExitCode
  ) async throws -> ExitCode {
    let link = try await HubSocketLink.connect(to: folder + "/" + HubSocketServer.fileName, on: loop)
    do {
      let code = try await body(link)
      await link.close()
      return code
    } catch {
      await link.close()
      throw error
    }
  }

  static let wrongAnswer = HomeError(
    .unexpectedError, nil, "the hub gave an answer of another request: restart the hub, it may have another version")

  private static func offload(
    on loop: EventLoop, _ work: @escaping @Sendable () throws(StoreError) -> Void
  ) async throws(StoreError) {
    try await loop.offload { Result { () throws(StoreError) in try work() } }.get()
  }
}
