import HAPCommandLine
import HAPHome
import HAPHomeFile
import HAPHubLink
import HAPWire
import HAPLoop

/// The commands for `.hashome` files.
extension HomeVerb {
  static let output = Option<String>("output", letter: "o", "FILE", "write to FILE instead of standard output")
  static let overwrites = Flag("force", "overwrite FILE")
  private static let prunes = Flag(
    "prune", "also remove objects that the file does not have, of each section that it has; never accessories")
  private static let dryRun = Flag("dry-run", "print the plan, and change nothing")
  private static let planJSON =
    "`{\"differences\": [{\"change\", \"kind\", \"name\", \"text\", \"line\", \"column\"}]}`; `change` is add, remove, rename or update"

  static let files = [
    HomeVerb(
      "export", "write a home as a .hashome file", options: [.init(output, .file), .init(overwrites)],
      discussion: ["The file has names instead of identifiers, and no keys. 'apply' reads it."],
      examples: [("hapctl home export -o my.hashome", "writes the primary home as YAML")],
      json: "the document as JSON; see [.hashome files](hashome.md)"
    ) { session, arguments in
      let home = try session.home
      let file = HomeFile(of: home, zoneRules: session.surroundings.zoneRules)
      let text = session.isJSON ? file.json : file.yaml
      guard let path = try arguments.value(output) else {
        session.console.show(text)
        return .well
      }
      try writeFile(path, Array(text.utf8), overwriting: arguments[overwrites])
      session.print("Wrote \(path).")
      return .well
    },
    HomeVerb(
      "apply", "change a home so that it is as in a .hashome file", [.init(.file, "FILE")],
      options: [.init(prunes), .init(dryRun)],
      discussion: [
        "Objects that exist by name stay, and keep their identifiers. A home that does not exist is added. The plan is printed before it is performed. If the hub refuses a part, the command prints what is done and what is not; run again, it makes only the others.",
        "With --home, the file is applied to that home, which gets the name in the file.",
      ],
      examples: [("hapctl home apply my.hashome --dry-run", "shows what would be changed")], json: planJSON
    ) { session, arguments in
      let plan = try session.plan(arguments.operands[0], prunes: arguments[prunes])
      session.report(plan)
      if arguments[dryRun] { return .well }
      try await session.apply(plan)
      return .well
    },
    HomeVerb(
      "diff", "show how a home differs from a .hashome file", [.init(.file, "FILE")], options: [.init(prunes)],
      discussion: [
        "The exit status is 1 if there is a difference. --prune also reports objects that only the home has."
      ],
      examples: [("hapctl home diff my.hashome", "shows what 'apply' would change")], json: planJSON
    ) { session, arguments in
      let plan = try session.plan(arguments.operands[0], prunes: arguments[prunes])
      session.report(plan)
      return plan.differences.isEmpty ? .well : .problem
    },
  ]
}

extension HomeSession {
  fileprivate func plan(_ path: String, prunes: Bool) throws -> HomeFilePlan {
    let bytes = try readFile(path, limit: HomeFile.byteLimit)
    let model = try snapshot.model
    var options = HomeFile.PlanOptions()
    options.removesOthers = prunes
    if let homeText { options.home = try model.home(named: homeText).id }
    // The hub gives new objects their identifiers; those of the plan are replaced.
    var random = LoopRandom(loop)
    let context = HomeContext(now: now, zoneRules: surroundings.zoneRules)
    do throws(HomeFileProblems) {
      return try HomeFile.read(bytes).plan(for: model, options, in: context, using: &random)
    } catch { throw HomeFailure(lines: error.problems.map { "\(path):\($0)" }) }
  }

  fileprivate func report(_ plan: HomeFilePlan) {
    if isJSON { return print(.object([("differences", plan.node)])) }
    for difference in plan.differences { print(difference.text.capitalizedSentence) }
    if plan.differences.isEmpty { print("The home is as in the file.") }
  }

  /// Performs the commands of a plan, with the identifiers that the hub gives to new objects.
  fileprivate func apply(_ plan: HomeFilePlan) async throws {
    let before = try snapshot.model
    var (changes, done): ([HomeChange], Int) = ([], 0)
    do {
      try await plan.perform { command in
        let performed = try await perform(command)
        changes += performed
        done += 1
        return performed
      }
    } catch { throw interrupted(plan, at: done, error) }
    await noteMissingHub(changes, since: before)
  }

  /// The error of a plan that ended in the middle: the reason, what is done, and what is not. The commands are not one
  /// transaction, but a plan contains only the remaining changes, so the next one continues.
  private func interrupted(_ plan: HomeFilePlan, at index: Int, _ error: any Error) -> HomeFailure {
    let failure = HomeFailure(error)
    let done = plan.steps[..<index].compactMap(\.difference)
    let open = plan.steps[index...].compactMap(\.difference)
    var lines = [
      failure.lines.joined(separator: "; "),
      "\(done.count) of \(plan.differences.count.of("change")) are done: correct the problem, and run the command again, which makes only the others",
    ]
    lines += done.map { "done: \($0.text)" } + open.map { "not done: \($0.text)" }
    return HomeFailure(failure.code, lines: lines)
  }
}
