import HAPCommandLine
import HAPProfile
import HAPWire

extension Command {
  /// `hapsim edit`
  package static let edit = Command(
    "edit", "make one change to a profile, and keep the rest of the text",
    operands: .some(label: "FILE ACTION…", count: 2...10), candidates: ["ACTION": EditAction.names],
    options: [
      EditAction.accessoryOption.definition, EditAction.nameOption.definition, EditAction.labelOption.definition,
      EditAction.valueOption.definition, EditAction.formatOption.definition, EditAction.permsOption.definition,
    ],
    discussion: [
      "'add-service SERVICE[:CHARACTERISTIC,…]' adds a service, and writes these characteristics to the file.",
      "'add-characteristic SERVICE CHARACTERISTIC' adds a characteristic to a service in the file.",
      "'set TARGET VALUE' sets a value. TARGET is SERVICE/CHARACTERISTIC for its initial value, SERVICE/CHARACTERISTIC.MEMBER, "
        + "SERVICE.MEMBER, or a member of the accessory, such as serialNumber.",
      "'remove TARGET' removes a service, a characteristic or a member.",
      "SERVICE is the type, the name or the ID of a service in the file; LightBulb#2 is the second of its type. A vendor's characteristic can "
        + "also be named by its description. Case, spaces and hyphens are ignored.",
      "The result is checked like 'hapsim validate'. If it has an error, nothing is written.",
    ],
    examples: [
      ("hapsim edit lamp.hasaccessory add-service Outlet --name Socket", "adds an outlet to the lamp"),
      ("hapsim edit lamp.hasaccessory add-characteristic LightBulb Hue", "adds colours to the lamp"),
      ("hapsim edit lamp.hasaccessory set LightBulb/Brightness.minValue 10", "sets the lamp's minimum brightness"),
      ("hapsim edit lamp.hasaccessory set serialNumber 0002", "gives a copied profile another serial number"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let action = try EditAction(arguments.operands.dropFirst(), arguments)
    let accessory = try arguments.value(EditAction.accessoryOption)
    return change(arguments.operands[0], action, accessory, console)
  }
}

private func change(
  _ path: String, _ action: EditAction, _ accessory: AccessoryChoice?, _ console: Console
) -> ExitCode {
  do {
    let json = try readFile(path)
    let before = LoadedProfile(file: path, json: json)
    guard before.profile != nil, var editor = try? ProfileEditor(json: json) else {
      for line in [before].problemLines { console.complain(line) }
      return .problem
    }
    let done: String
    do throws(JSONProblem) { done = try action.apply(to: &editor, in: accessory) } catch {
      console.complain("\(path):\(ProfileProblem(rule: "edit", error))")
      return .problem
    }
    let after = LoadedProfile(file: path, json: editor.json)
    guard after.isServable else {
      let origins = editor.lastChange.map { ProblemOrigins(json, $0) }
      for problem in after.problems where problem.severity == .error {
        console.complain("\(path):\(origins?.origin(of: problem) ?? problem)")
      }
      console.complain("hapsim edit: nothing was written")
      return .problem
    }
    if editor.json != json { try replaceFile(path, editor.json) }
    for problem in after.problems(besides: before) { console.complain("\(path):\(problem)") }
    console.print("\(path): \(done)")
    return .well
  } catch {
    console.complain("hapsim edit: \(error)")
    return .cannotRun
  }
}

extension LoadedProfile {
  /// The problems that the profile did not have before, regardless of their places.
  fileprivate func problems(besides before: LoadedProfile) -> [ProfileProblem] {
    var known = before.problems
    return problems.filter { problem in
      guard let index = known.firstIndex(where: { $0.rule == problem.rule && $0.message == problem.message }) else {
        return true
      }
      known.remove(at: index)
      return false
    }
  }
}
