import HAPDeviations
import HAPModel
import HAPWire

/// Reads a fleet from its document tree, and reports all errors together.
struct FleetReader {
  private(set) var problems: [JSONProblem] = []

  private static let members = ["fleet", "name", "seed", "identity", "groups"]
  private static let groupMembers = ["profile", "count", "id", "name", "setup-code", "behaviour", "faults"]
  private static let mostGroups = 1000

  mutating func fleet(_ node: JSONNode) -> Fleet {
    var fleet = Fleet()
    guard node.members != nil else {
      problems.append(node.problem("a fleet is expected: \"fleet: 1\" and \"groups\""))
      return fleet
    }
    problems += node.unknownMembers(except: Self.members)
    attempt { _ throws(JSONProblem) in
      let version = try node.required("fleet")
      guard version.integerValue == 1 else {
        throw version.problem("the format must be 1; this hapsim supports no other")
      }
    }
    attempt { _ throws(JSONProblem) in fleet.name = try node.optionalString("name") ?? "" }
    attempt { _ throws(JSONProblem) in
      fleet.seed = try node["seed"].map { node throws(JSONProblem) in
        UInt64(try node.asInteger(in: 0...Int128(UInt64.max)))
      }
    }
    attempt { _ throws(JSONProblem) in
      fleet.identity = try node["identity"].map { node throws(JSONProblem) in
        let text = try node.asString()
        guard !text.isEmpty else { throw node.problem("it can't be empty") }
        return text
      }
    }
    attempt { reader throws(JSONProblem) in
      let groups = try node.required("groups")
      let elements = try groups.asList()
      guard !elements.isEmpty else { throw groups.problem("there is no group") }
      guard elements.count <= Self.mostGroups else {
        throw groups.problem("there are more than \(Self.mostGroups) groups")
      }
      for element in elements { if let group = reader.group(element) { fleet.groups.append(group) } }
      let count = fleet.groups.reduce(0) { $0 + $1.count }
      guard count <= Fleet.mostAccessories else {
        throw groups.problem("there are \(count) accessories; the limit is \(Fleet.mostAccessories)")
      }
    }
    return fleet
  }

  private mutating func attempt(_ body: (inout FleetReader) throws(JSONProblem) -> Void) {
    do throws(JSONProblem) { try body(&self) } catch { problems.append(error) }
  }

  /// - Returns: nil without a valid profile, after reporting the problem.
  private mutating func group(_ node: JSONNode) -> FleetGroup? {
    guard node.members != nil else {
      problems.append(node.problem("a group is expected, with a profile and a count, not \(node.kindName)"))
      return nil
    }
    problems += node.unknownMembers(except: Self.groupMembers)
    var group: FleetGroup?
    attempt { _ throws(JSONProblem) in
      let profile = try node.required("profile")
      guard try !profile.asString().isEmpty else { throw profile.problem("the path of a profile is expected") }
      group = FleetGroup(node: node, profile: profile)
    }
    guard var group else { return nil }
    attempt { _ throws(JSONProblem) in
      guard let count = node["count"] else { return }
      group.count = Int(try count.asInteger(in: 1...Int128(Fleet.mostCopies)))
    }
    attempt { _ throws(JSONProblem) in
      group.id = try node["id"].map { node throws(JSONProblem) in
        let id = try node.asString()
        guard (1...64).contains(id.utf8.count) else { throw node.problem("an id has 1 to 64 bytes") }
        return id
      }
    }
    attempt { _ throws(JSONProblem) in
      guard let name = node["name"] else { return }
      let text = try name.asString()
      do throws(NamePattern.PatternProblem) { group.name = try NamePattern(text) } catch {
        throw name.problem(error.message)
      }
    }
    attempt { _ throws(JSONProblem) in
      guard let code = node["setup-code"] else { return }
      let text = try code.asString()
      do throws(SetupCodeError) { group.setupCode = try SetupCode(text) } catch {
        throw code.problem("\(error)")
      }
    }
    attempt { reader throws(JSONProblem) in
      for member in try node["behaviour"]?.asObject() ?? [] {
        reader.attempt { _ throws(JSONProblem) in
          _ = try member.value.asObject()
          group.behaviours.append(
            FleetGroup.Behaviour(
              service: member.name,
              place: JSONNode(.string(member.name), place: member.place, path: member.value.path),
              parameters: try Distribution(member.value)))
        }
      }
    }
    attempt { reader throws(JSONProblem) in
      for fault in try node.list("faults") {
        reader.attempt { _ throws(JSONProblem) in group.faults.append(try FleetGroup.Fault(fault)) }
      }
    }
    return group
  }
}

extension FleetGroup.Fault {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    var choice = node
    if let members = node.members {
      if let share = node["share"] { self.share = try share.share() }
      choice.kind = .object(members.filter { $0.name != "share" })
    }
    self.choice = try Distribution(choice)
    for variant in self.choice.variants {
      let fault = try FaultLibrary.builtIn.choice(variant)
      guard fault.jump == nil else {
        throw (node["fault"] ?? node).problem(
          "\(fault.name) would move the time of all accessories, once for each copy with the fault")
      }
    }
  }
}

extension JSONNode {
  /// `10` and `"10%"` are a tenth.
  fileprivate func share() throws(JSONProblem) -> Double {
    var number = numberValue?.double
    if let text = stringValue, text.hasSuffix("%") { number = Double(text.dropLast()) }
    guard let number, (0...100).contains(number) else {
      throw problem("a percentage is expected, such as 10 or \"10%\"")
    }
    return number / 100
  }
}
