import HAPCommandLine
import HAPDeviations
import HAPFleet
import HAPLoop
import HAPPreparation
import HAPProfile
import HAPStore
import HapsimFiles

/// The accessories to serve. They and the databases they were created from are released when they are served.
package final class PreparedAccessories: Sendable {
  private let stored: Guarded<[PreparedAccessory]>
  package var accessories: [PreparedAccessory] { stored.withLock { $0 } }

  package init(_ accessories: [PreparedAccessory]) { stored = Guarded(accessories) }

  /// Divides the open files of the process among the connections of the accessories' ports.
  /// - Parameter listeners: the number of open files with which each accessory listens, those for Matter included.
  package func shareOpenFiles(_ count: Int, listeners: Int) {
    stored.withLock { accessories in
      for index in accessories.indices {
        accessories[index].openFiles = max(0, count / accessories.count - listeners)
      }
    }
  }

  package func letGo() { stored.withLock { $0 = [] } }
}

/// The source of accessories.
package enum ServePlanSource {
  case profiles([AccessoryProfile])
  case fleet(LoadedFleet)

  /// - Parameter scenario: the profiles that the scenario names; nil: there is no scenario.
  package init(_ options: inout RunOptions, of scenario: [String]?, _ console: Console) throws {
    if let path = options.fleet {
      let fleet = try LoadedFleet.load(
        path, hasIdentity: options.identity != nil, matterVendor: options.matter?.vendor, console)
      options.seed = options.seed ?? fleet.fleet.seed
      self = .fleet(fleet)
      return
    }
    let paths = options.profiles.isEmpty ? scenario ?? [] : options.profiles
    guard !paths.isEmpty else { throw UsageError("PROFILE… is missing, and the scenario names none") }
    try options.check(for: paths.count)
    self = .profiles(try loadProfiles(paths, options, console))
  }

  package func plan(_ options: RunOptions, _ choices: PreparedAccessory.Choices) throws -> ServePlan {
    switch self {
    case .profiles(let profiles):
      guard let count = options.count else { return ServePlan(profiles, choices: choices) }
      try options.checkIdentity(options.identity)
      return try ServePlan(profiles, copies: count, choices: choices, options)
    case .fleet(let fleet):
      try options.checkIdentity(options.identity ?? fleet.fleet.identity)
      try options.checkPorts(for: fleet.fleet.groups.reduce(0) { $0 + $1.count })
      return try fleet.plan(options, choices: choices)
    }
  }
}

/// Reads all profiles. Prints all problems of all profiles before it throws.
private func loadProfiles(
  _ paths: [String], _ options: RunOptions, _ console: Console
) throws(BadInput) -> [AccessoryProfile] {
  let loaded = paths.map { LoadedProfile(operand: $0, matterVendor: options.matter?.vendor) }
  for line in loaded.problemLines { console.complain(line) }
  guard loaded.exitCode == .well else { throw BadInput(code: loaded.exitCode) }
  return loaded.compactMap(\.profile)
}

extension RunOptions {
  /// Returns the defect that `--defect` names. Files of `--defects` are also read without it, so that their errors are
  /// reported.
  package func chosenDefect(_ console: Console) throws -> Defect? {
    guard defect != nil || !defectFiles.isEmpty else { return nil }
    let library = try loadDefects(defectFiles, console)
    guard let defect else { return nil }
    guard let found = library[defect] else { throw UsageError(library.unknown(defect)) }
    guard found.servedProtocol == .hap || matter != nil else {
      throw UsageError("the defect \"\(defect)\" has no effect without Matter: add --matter")
    }
    return found
  }
}

extension RunOptions.State {
  package func open(on host: any RunHost, _ console: Console) throws(StoreError) -> StateFolder {
    switch self {
    case .folder(let path):
      try StateFolder.open(path: path, files: host.files, report: { console.complain("hapsim: \($0)") })
    case .ephemeral: .ephemeral()
    }
  }
}

/// Prints the reason why accessories can't be prepared.
package func explainInputs(_ error: any Error, _ options: RunOptions, _ console: Console) -> ExitCode {
  func complain(_ text: String) { console.complain("hapsim \(options.command): \(text)") }
  switch error {
  case is StoppedEarly: return .well
  case let bad as BadInput: return bad.code
  case let error as UsageError:
    complain(error.message)
    return .usage
  case let problem as FleetProblem:
    console.complain("\(problem)")
    return .problem
  case let error as ProfileErrors:
    // An error of a quirks file, or a conflict of instance IDs with those served before.
    console.complain("\(error)")
    return .problem
  case let conflict as IdentityConflict:
    complain("\(conflict)")
    return .usage
  case let obstacle as DefectObstacle:
    complain("\(obstacle)")
    return .usage
  default:
    console.complain("hapsim: \(error)")
    return .cannotRun
  }
}
