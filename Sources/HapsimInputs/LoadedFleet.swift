import HapsimFiles
import HAPPreparation
import HAPCommandLine
import HAPDeviations
import HAPFleet
import HAPHost
import HAPModel
import HAPProfile
import HAPWire

/// A fleet file that has been checked against the profiles that it names.
package struct LoadedFleet {
  package let fleet: Fleet
  private let file: String
  private let profiles: [AccessoryProfile]
  /// The storage key of each group's copies.
  private let keys: [String]

  /// Loads a fleet. Prints all errors of the file and its profiles.
  /// - Parameters:
  ///   - hasIdentity: whether an option sets the identity of the copies.
  ///   - matterVendor: the vendor for the problems of choices about Matter; nil: the default one.
  /// - Throws: if there is an error.
  package static func load(
    _ path: String, hasIdentity: Bool = false, matterVendor: UInt16? = nil, _ console: Console
  ) throws(BadInput) -> LoadedFleet {
    let file: FleetFile
    do throws(FileError) { file = FleetFile(try readFile(path), file: path) } catch {
      console.complain("hapsim: \(error)")
      throw BadInput(code: .cannotRun)
    }
    for problem in file.problems { console.complain("\(problem)") }
    guard let fleet = file.fleet else { throw BadInput(code: .problem) }
    var judge = FleetJudge(
      file: path, hasIdentity: hasIdentity || fleet.identity != nil, matterVendor: matterVendor)
    judge.judge(fleet)
    for line in judge.lines + judge.warnings { console.complain(line) }
    guard judge.lines.isEmpty else { throw BadInput(code: judge.hasUnreadable ? .cannotRun : .problem) }
    return LoadedFleet(fleet: fleet, file: path, profiles: judge.profiles, keys: judge.keys)
  }

  /// Returns the copies of this shard.
  /// - Throws: if the random values of a copy conflict, although each of them is valid.
  package func plan(_ options: RunOptions, choices: PreparedAccessory.Choices) throws(FleetProblem) -> ServePlan {
    var entries: [ServePlan.Entry] = []
    let seed = options.seed ?? 0
    let identity = options.identity ?? fleet.identity
    var place = 0
    for (index, group) in fleet.groups.enumerated() {
      let (profile, key) = (profiles[index], keys[index])
      let chance = FleetChance(seed: seed, group: key)
      let pattern = group.name ?? NamePattern(of: profile.name, count: group.count)
      let chosen = group.faults.enumerated().map { chance.chosen($1.share, of: group.count, for: "fault \($0)") }
      for number in 1...group.count {
        defer { place += 1 }
        guard options.shard.has(place) else { continue }
        var copy = AccessoryCopy(
          group: key, number: number, name: pattern.name(number),
          identity: identity.map { CopyIdentity($0, group: key, number: number) })
        for behaviour in group.behaviours {
          guard let type = profile.service(named: behaviour.service) else { continue }
          copy.behaviours.append(
            (type, behaviour.parameters.drawn(chance, number, for: "behaviour.\(behaviour.service)")))
        }
        for (index, fault) in group.faults.enumerated() where chosen[index].contains(number) {
          let drawn = fault.choice.drawn(chance, number, for: "fault \(index)")
          do throws(JSONProblem) { copy.faults.append(try FaultLibrary.builtIn.choice(drawn)) } catch {
            // Each value was checked when the file was read, but not each combination.
            var problem = error
            problem.message = "with \(drawn.compactText), which \"\(copy.name)\" gets: \(error.message)"
            throw FleetProblem(problem, in: file)
          }
        }
        var choices = choices
        choices.copy = copy
        choices.setupCode = options.setupCode ?? group.setupCode
        entries.append(ServePlan.Entry(profile: index, choices: choices))
      }
    }
    return ServePlan(profiles, entries)
  }
}

extension AccessoryProfile {
  /// Returns the type of one of the profile's services, by its name in the catalogue or its UUID.
  fileprivate func service(named name: String) -> TypeID? {
    let wanted = Catalogue.service(named: name)?.type ?? TypeID(name)
    return behavingServices.first { $0 == wanted }
  }
}

/// A check of a fleet against its profiles.
private struct FleetJudge {
  let file: String
  private(set) var profiles: [AccessoryProfile] = []
  private(set) var keys: [String] = []
  /// All errors, as text.
  private(set) var lines: [String] = []
  /// The warnings, which don't prevent serving.
  private(set) var warnings: [String] = []
  private let hasIdentity: Bool
  private let matterVendor: UInt16?
  /// The loaded profiles, by path.
  private var loaded: [String: LoadedProfile] = [:]
  /// Whether a profile's file can't be read.
  var hasUnreadable: Bool { loaded.values.contains(where: \.isUnreadable) }
  /// The group of each key.
  private var holders: [String: String] = [:]
  /// The group of each name, folded as in the comparison of commands.
  private var names: [String: (group: String, name: String)] = [:]

  init(file: String, hasIdentity: Bool, matterVendor: UInt16?) {
    self.file = file
    self.hasIdentity = hasIdentity
    self.matterVendor = matterVendor
  }

  mutating func judge(_ fleet: Fleet) {
    for group in fleet.groups { judge(group) }
  }

  private mutating func complain(_ problem: JSONProblem) { lines.append("\(FleetProblem(problem, in: file))") }

  private mutating func judge(_ group: FleetGroup) {
    guard let profile = profile(of: group) else { return }
    let key = group.id ?? profile.key
    if let other = holders[key] {
      complain(
        (group.node["id"] ?? group.profile).problem(
          group.id == nil
            ? "\(other) has the same profile: give this group a different \"id\""
            : "\(other) has the same id"))
    } else {
      holders[key] = group.node.path.description
    }
    if let obstacle = ServePlan.obstacle(to: profile, beside: profiles, copies: group.count, hasIdentity) {
      complain(group.profile.problem(obstacle))
    }
    profiles.append(profile)
    keys.append(key)
    judgeNames(group, profile)
    judgeShares(group)
    for behaviour in group.behaviours { judge(behaviour, in: profile) }
  }

  /// Loads the profile of a group. Reads each file only once, and reports its errors only once.
  private mutating func profile(of group: FleetGroup) -> AccessoryProfile? {
    let path = group.profile.stringValue ?? ""
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let full = path.hasPrefix("/") ? path : folder + path
    let known = loaded[full]
    let profile = known ?? LoadedProfile(file: full, matterVendor: matterVendor)
    loaded[full] = profile
    if known == nil { lines += profile.isServable ? [] : [profile].problemLines }
    if !profile.isServable { complain(group.profile.problem("the profile can't be served")) }
    return profile.isServable ? profile.profile : nil
  }

  private mutating func judgeNames(_ group: FleetGroup, _ profile: AccessoryProfile) {
    let pattern = group.name ?? NamePattern(of: profile.name, count: group.count)
    let node = group.name.flatMap { _ in group.node["name"] } ?? group.profile
    if let problem = AccessoryProfile.problem(withName: pattern.name(group.count)) {
      return complain(node.problem("\"\(pattern.name(group.count))\": \(problem)"))
    }
    let path = group.node.path.description
    for number in 1...group.count {
      let name = pattern.name(number)
      if let other = names.updateValue((path, name), forKey: foldedName(name)) {
        let what = name == other.name ? "too" : "which commands can't distinguish from \"\(name)\""
        return complain(
          node.problem(
            "\(other.group) has an accessory \"\(other.name)\", \(what): give one of them a different \"name\""))
      }
    }
  }

  /// Warns of a share that selects no copy. It may be intended in a small test fleet.
  private mutating func judgeShares(_ group: FleetGroup) {
    for (index, fault) in group.faults.enumerated()
    where fault.share > 0 && FleetChance.count(of: fault.share, in: group.count) == 0 {
      guard let share = group.node["faults"]?.elements?[index]["share"] else { continue }
      let problem = share.problem(
        "warning: no copy has this fault: \(share.numberValue.map { "\($0.text)%" } ?? share.stringValue ?? "that") of \(group.count) is less than half a copy"
      )
      warnings.append("\(FleetProblem(problem, in: file))")
    }
  }

  private mutating func judge(_ behaviour: FleetGroup.Behaviour, in profile: AccessoryProfile) {
    guard let type = profile.service(named: behaviour.service) else {
      let names = profile.behavingServices.map { Catalogue.service($0)?.identifier ?? $0.description }
      let hint =
        nearestName(to: behaviour.service, in: names).map { ": did you mean \"\($0)\"?" }
        ?? "; it has \(names.joined(separator: ", "))"
      return complain(behaviour.place.problem("the profile has no service \"\(behaviour.service)\"\(hint)"))
    }
    var seen: Set<String> = []
    for variant in behaviour.parameters.variants {
      for problem in profile.problems(with: variant, of: type)
      where seen.insert("\(problem.place) \(problem.message)").inserted {
        complain(problem)
      }
    }
  }
}
