import HAPCommandLine
import HAPCrypto
import HAPDefects
import HAPDiscovery
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
  StartMemory.useOneHeap()
  do {
    var scenario: LoadedScenario?
    if let path = options.scenario {
      scenario = loadScenario(path, console)
      if scenario == nil { return .problem }
    }
    let paths = options.profiles.isEmpty ? scenario?.profiles ?? [] : options.profiles
    guard !paths.isEmpty else {
      console.complain("hapsim \(options.command): PROFILE… is missing, and the scenario names none")
      return .usage
    }
    do throws(UsageError) { try options.check(for: paths.count) } catch {
      console.complain("hapsim \(options.command): \(error.message)")
      return .usage
    }
    guard let profiles = loadProfiles(paths, console) else { return .problem }
    let hosts = try ListeningHosts(bind: options.bind, interfaces: options.interfaces)
    let folder = try openState(options.state, console)
    var defect: Defect?
    if let id = options.defect {
      guard let library = loadDefects(options.defectFiles, console) else { return .problem }
      defect = library[id]
      guard defect != nil else {
        console.complain("hapsim \(options.command): \(library.unknown(id))")
        return .usage
      }
    }
    let choices = PreparedAccessory.Choices(
      name: options.name, setupCode: options.setupCode, setupID: options.setupID, renumber: options.renumber,
      conduct: try options.conduct?.conduct(), maximumSessions: options.maximumSessions, defect: defect)
    let prepared = PreparedAccessories(
      try profiles.map { try PreparedAccessory($0, in: folder, choices: choices, random: .system) })
    makeRoom(for: prepared.accessories, console)
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
    return try ServedRun(folder, later, on: hosts, scenario, options, console).serve(prepared)
  } catch let error as ProfileErrors {
    // A file with a conduct, or what only shows when ids are given out: they contradict those served before.
    console.complain("\(error)")
    return .problem
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

  func letGo() { accessories = [] }
}

/// Reads every profile, and tells all problems of all of them before it gives up.
/// - Returns: nil when one of them can't be served.
private func loadProfiles(_ paths: [String], _ console: Console) -> [AccessoryProfile]? {
  let loaded = paths.map { LoadedProfile(file: $0) }
  for line in loaded.problemLines { console.complain(line) }
  return loaded.allSatisfy(\.isServable) ? loaded.compactMap(\.profile) : nil
}

/// Every connection is an open file. What hapsim has open besides is well below a hundred.
private func makeRoom(for prepared: [PreparedAccessory], _ console: Console) {
  let sessions = prepared.reduce(0) { $0 + $1.conduct.maximumSessions }
  let (available, needed) = (raiseDescriptorLimit(to: sessions + 100), sessions + 100)
  guard available < needed else { return }
  console.complain(
    "hapsim: \(sessions) connections are allowed, but the system lets a process have \(available) open files: "
      + "beyond that connections wait. See ulimit -n")
}

private func openState(_ state: RunOptions.State, _ console: Console) throws(StoreError) -> StateFolder {
  switch state {
  case .folder(let path): try StateFolder.open(path: path, report: { console.complain("hapsim: \($0)") })
  case .ephemeral: .ephemeral()
  }
}
