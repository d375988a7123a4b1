import HAPCommandLine
import HAPCrypto
import HAPDefects
import HAPDiscovery
import HAPFleet
import HAPLoop
import HAPModel
import HAPProfile
import HAPReport
import HAPSimulator
import HAPStore
import HAPTransport
import HAPWire

/// Serves the profiles until it is told to stop: by a signal, or by the command `stop`.
func runProfiles(_ options: RunOptions, _ console: Console) -> ExitCode {
  var options = options
  StartMemory.useOneHeap()
  let stopped = StopRequest()
  do {
    // From the first moment: a start of thousands takes seconds, and the first process of a container has no other way to end.
    let signals = try stopped.watchSignals()
    defer { signals.stop() }
    var scenario: LoadedScenario?
    if let path = options.scenario {
      scenario = try loadScenario(path, console)
    }
    let source: RosterSource
    if let path = options.fleet {
      let fleet = try LoadedFleet.load(path, hasIdentity: options.identity != nil, console)
      source = .fleet(fleet)
      options.seed = options.seed ?? fleet.fleet.seed
    } else {
      let paths = options.profiles.isEmpty ? scenario?.profiles ?? [] : options.profiles
      guard !paths.isEmpty else {
        console.complain("hapsim \(options.command): PROFILE… is missing, and the scenario names none")
        return .usage
      }
      do throws(UsageError) { try options.check(for: paths.count) } catch {
        console.complain("hapsim \(options.command): \(error.message)")
        return .usage
      }
      source = .profiles(try loadProfiles(paths, console))
    }
    let hosts = try ListeningHosts(bind: options.bind, interfaces: options.interfaces)
    let folder = try openState(options.state, console)
    var defect: Defect?
    if let id = options.defect {
      let library = try loadDefects(options.defectFiles, console)
      defect = library[id]
      guard defect != nil else {
        console.complain("hapsim \(options.command): \(library.unknown(id))")
        return .usage
      }
    }
    let choices = PreparedAccessory.Choices(
      name: options.name, setupCode: options.setupCode, setupID: options.setupID, renumber: options.renumber,
      conduct: try options.conduct?.conduct(), maximumSessions: options.maximumSessions, defect: defect)
    let roster: Roster
    do { roster = try source.roster(options, choices) } catch let error as UsageError {
      console.complain("hapsim \(options.command): \(error.message)")
      return .usage
    } catch let problem as FleetProblem {
      console.complain("\(problem)")
      return .problem
    }
    guard makeRoom(for: roster, listeningAt: hosts.places.count, console) else { return .cannotRun }
    let prepared = PreparedAccessories(try roster.prepare(in: folder, until: stopped))
    prepared.shareOpenFiles(makeRoom(for: prepared.accessories, listeningAt: hosts.places.count, console))
    if let folder = options.capture { try makePrivateFolder(folder) }
    if scenario == nil, let judging = options.judging, judging.hasTrial {
      do throws(UsageError) {
        scenario = try ControllerTrial(of: prepared.accessories, patience: judging.patience).loaded
      } catch {
        console.complain("hapsim judge: \(error.message)")
        return .usage
      }
    }
    // What was said of the one profile is not said of those that come later.
    var later = choices
    later.name = nil
    later.setupCode = nil
    later.setupID = nil
    return try ServedRun(
      folder, later, on: hosts, scenario, options, for: prepared.accessories.count, until: stopped, console
    ).serve(prepared)
  } catch is StoppedEarly {
    return .well
  } catch let bad as BadInput {
    return bad.code
  } catch let error as ProfileErrors {
    // A file with a conduct, or what only shows when ids are given out: they contradict those served before.
    console.complain("\(error)")
    return .problem
  } catch let misfit as ScenarioMisfit {
    for problem in misfit.problems { console.complain("\(problem)") }
    return .problem
  } catch let conflict as IdentityConflict {
    console.complain("hapsim \(options.command): \(conflict)")
    return .usage
  } catch let obstacle as DefectObstacle {
    console.complain("hapsim \(options.command): \(obstacle)")
    return .usage
  } catch {
    console.complain("hapsim: \(error)")
    return .cannotRun
  }
}

/// What is to be served, until it is: then nobody keeps the databases of which accessories were made.
final class PreparedAccessories {
  private(set) var accessories: [PreparedAccessory]

  init(_ accessories: [PreparedAccessory]) { self.accessories = accessories }

  /// Divides the open files of the process among the ports of the accessories.
  func shareOpenFiles(_ count: Int) {
    for index in accessories.indices { accessories[index].openFiles = count / accessories.count }
  }

  func letGo() { accessories = [] }
}

/// What accessories are made of.
private enum RosterSource {
  case profiles([AccessoryProfile])
  case fleet(LoadedFleet)

  func roster(_ options: RunOptions, _ choices: PreparedAccessory.Choices) throws -> Roster {
    switch self {
    case .profiles(let profiles):
      guard let count = options.count else { return Roster(profiles, choices: choices) }
      try options.checkIdentity(options.identity)
      return try Roster(profiles, copies: count, choices: choices, options)
    case .fleet(let fleet):
      try options.checkIdentity(options.identity ?? fleet.fleet.identity)
      try options.checkPorts(for: fleet.fleet.groups.reduce(0) { $0 + $1.count })
      return try fleet.roster(options, choices: choices)
    }
  }
}

/// Reads every profile, and tells all problems of all of them before it gives up.
private func loadProfiles(_ paths: [String], _ console: Console) throws(BadInput) -> [AccessoryProfile] {
  let loaded = paths.map { LoadedProfile(operand: $0) }
  for line in loaded.problemLines { console.complain(line) }
  guard loaded.exitCode == .well else { throw BadInput(code: loaded.exitCode) }
  return loaded.compactMap(\.profile)
}

/// Every accessory listens in each place, which takes an open file each: without them nothing can be served.
private func makeRoom(for roster: Roster, listeningAt places: Int, _ console: Console) -> Bool {
  let needed = roster.entries.count * places + 100
  let available = raiseDescriptorLimit(to: needed)
  guard available < needed else { return true }
  console.complain(
    "hapsim: \(roster.entries.count) accessories take \(needed) open files, and the system lets a process have \(available): raise its hard limit (ulimit -Hn, LimitNOFILE=), or divide them by --shard"
  )
  return false
}

/// Every connection is an open file. What hapsim has open besides is well below a hundred.
/// - Returns: how many open files the process may have.
private func makeRoom(for prepared: [PreparedAccessory], listeningAt places: Int, _ console: Console) -> Int {
  let sessions = prepared.reduce(0) { $0 + $1.conduct.maximumSessions }
  let needed = sessions + prepared.count * places + 100
  // A port uses at most half of its open files for slots, and a quarter for connections that wait.
  let waiting = 16 * AccessoryServer.mostWaiting
  let available = raiseDescriptorLimit(to: 2 * needed + waiting)
  guard available < needed else { return available }
  console.complain(
    "hapsim: \(sessions) connections are allowed, but the system lets a process have \(available) open files: "
      + "beyond that connections wait. See ulimit -n")
  return available
}

private func openState(_ state: RunOptions.State, _ console: Console) throws(StoreError) -> StateFolder {
  switch state {
  case .folder(let path): try StateFolder.open(path: path, report: { console.complain("hapsim: \($0)") })
  case .ephemeral: .ephemeral()
  }
}
