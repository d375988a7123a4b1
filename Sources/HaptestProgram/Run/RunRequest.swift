import HAPCommandLine
import HAPConformance
import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPModel
import HAPReport
import HAPSuite
import HAPTarget
import HAPTransport
import HAPWire

/// The request of `haptest run`: the command line and the files it names, read before any case runs.
struct RunRequest: Sendable {
  static let exec = Option("exec", "CMD", "start the accessory with this shell command, and end it afterwards")
  static let waitReady = Option(
    "wait-ready", "SEC", in: 1...600, "the time limit for the command to be ready (default: 20)")
  static let code = Option("code", "CODE", "the setup code, XXX-XX-XXX") {
    (text: String) throws(UsageError) -> String in
    guard let code = dashed(text) else { throw UsageError("a setup code is eight digits, 031-45-154") }
    return code
  }
  static let codeFile = Option("code-file", "FILE", "a file whose first line is the setup code")
  static let pairing = Option(
    "pairing", "NAME",
    "use hapctl's admin pairing with this alias or device ID, and keep it: for an accessory that is in use"
  )
  static let state = Option("state", "DIR", "the folder with hapctl's pairings (default: hapctl's own)")
  static let interface = Option(
    "interface", "IF", repeated: true, "use multicast DNS only on this network interface")
  static let txt = Option("txt", "KEY=VALUE", repeated: true, "an entry of the TXT record, for use without multicast") {
    (text: String) throws(UsageError) -> (key: String, value: String) in
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw UsageError("KEY=VALUE is expected, such as sf=1")
    }
    return (String(text[..<equals]), String(text[text.index(after: equals)...]))
  }
  static let claims = Option("claims", "FILE", "the claims about the accessory: see haptest claims")
  static let hooks = Option("hooks", "FILE", "commands for hooks such as press, reboot and obstruct: JSON")
  static let baseline = Option("baseline", "FILE", "the known failures with their reasons: JSON")
  static let repetitions = Option(
    "repeat", "N", in: 1...1000, "run each case N times; a case with different results is flaky")
  static let shard = Option("shard", "I/N", "run part I of N parts of the cases; I is 0 to N-1") {
    (text: String) throws(UsageError) -> Shard in
    guard let shard = Shard(text) else { throw UsageError("I/N is expected with I below N, such as 0/4") }
    return shard
  }
  static let seed = Option(
    "seed", "N", in: 0...UInt64.max, "repeat the random decisions of the run that printed this seed")
  static let long = Flag("long", "also run the cases that take more than 10 s, some of them many minutes")
  static let short = Flag(
    "short", "run only the must cases that need little waiting, with at most 3 Pair Setups and 5 s of waits in all")
  static let allowReset = Flag("allow-reset", "allow cases that remove pairings or reset the accessory")
  static let lanes = Option(
    "parallel", "N", in: 1...16,
    "the number of cases that run at the same time, if possible (default: 2; for hapsim: 5)")
  static let wrongCodes = Option("wrong-codes", "N", in: 0...200, "the limit on wrong setup codes (default: 12)")
  static let failOn = Option(
    "fail-on", "WHAT",
    "further verdicts that make the run fail: non-strict, skip, xpass, info or error, separated by commas; or must: ignore SHOULD violations"
  ) { (text: String) throws(UsageError) -> FailOn in
    var result = FailOn()
    for word in text.split(separator: ",") {
      if word == "must" {
        result.isMustAlone = true
      } else if let verdict = Verdict(rawValue: String(word)) {
        result.verdicts.insert(verdict)
      } else {
        throw UsageError(
          "there is no \"\(word)\"; there are must, \(Verdict.allCases.map(\.rawValue).joined(separator: ", "))")
      }
    }
    return result
  }

  static let jsonFlag = Flag(
    "json", "print only the JSON report to standard output",
    fileOption: ReportFormat.json.option.definition.name)
  static let quiet = Flag("quiet", letter: "q", "print only failures and the conclusion")

  struct FailOn: Sendable {
    var verdicts: Set<Verdict> = []
    var isMustAlone = false
  }

  static let options: [OptionDefinition] =
    [
      exec.definition, waitReady.definition, code.definition, codeFile.definition, pairing.definition, state.definition,
      interface.definition, txt.definition,
      SuiteOptions.suites.definition, SuiteOptions.select.definition, SuiteOptions.exclude.definition,
      SuiteOptions.level.definition, claims.definition, hooks.definition, baseline.definition, repetitions.definition,
      shard.definition, seed.definition, long.definition, short.definition, allowReset.definition, lanes.definition,
      wrongCodes.definition,
      failOn.definition, jsonFlag.definition, quiet.definition,
    ] + ReportFiles.all.map(\.definition)

  var session: ConformanceSession
  var reports: ReportFiles
  var failOn: FailOn
  var printsJSON: Bool
  var isQuiet: Bool
  var remarks: [String] = []

  /// The options of whole runs without reports.
  static let stabilityOptions: [OptionDefinition] = {
    let fixed =
      [repetitions.definition, shard.definition, failOn.definition, quiet.definition]
      + ReportFiles.all.map(\.definition)
    return options.filter { !fixed.contains($0) }
  }()

  /// The options for running a case of an evidence folder again. The case and the seed come from the evidence.
  static let rerunOptions: [OptionDefinition] = {
    let fixed = [
      SuiteOptions.select.definition, SuiteOptions.exclude.definition, SuiteOptions.level.definition, shard.definition,
      seed.definition,
    ]
    return options.filter { !fixed.contains($0) }
  }()

  init(_ arguments: Arguments, _ console: Console) throws {
    let library = try SuiteLibrary.load(try arguments.all(SuiteOptions.suites))
    let ids = try SuiteOptions.ids(arguments, in: library)
    let seed = try arguments.value(Self.seed) ?? RandomSource.system.bytes(4).reduce(0) { $0 << 8 | UInt64($1) }
    try self.init(arguments, arguments.operands.first, library, ids, seed: seed, console)
    session.options.shard = try arguments.value(Self.shard) ?? .whole
  }

  /// Reads the request for a case of an evidence folder.
  init(rerunning evidence: EvidenceFile, _ arguments: Arguments, _ console: Console) throws {
    let library = try SuiteLibrary.load(try arguments.all(SuiteOptions.suites))
    guard library.cases.contains(where: { $0.id == evidence.id }) else {
      throw Refusal(.nothingSelected, "the suites have no case \(evidence.id)")
    }
    try self.init(
      arguments, arguments.operands.dropFirst().first, library, [evidence.id], seed: evidence.seed, console)
    session.options.firstTurn = evidence.turn
    // The case was chosen explicitly, so everything it needs is allowed.
    session.options.isLong = true
  }

  private init(
    _ arguments: Arguments, _ target: String?, _ library: SuiteLibrary, _ ids: Set<String>, seed: UInt64,
    _ console: Console
  ) throws {
    reports = try ReportFiles(arguments)
    printsJSON = arguments[Self.jsonFlag]
    isQuiet = arguments[Self.quiet]
    failOn = try arguments.value(Self.failOn) ?? FailOn()
    session = ConformanceSession(
      target: try Self.target(target, arguments), suites: library.suites,
      header: RunHeader(
        version: projectVersion, target: target ?? "", seed: seed, time: WallClock.stamp, arguments: arguments.operands,
        isPartial: ids.count < library.cases.count || arguments.has(Self.shard) || arguments[Self.short]),
      isSelected: { ids.contains($0.id) })
    session.command = try arguments.value(Self.exec)
    session.readyLimit = .seconds(try arguments.value(Self.waitReady) ?? 20)
    session.code = try Self.setupCode(arguments)
    if let name = try arguments.value(Self.pairing) {
      session.pairing = try KeptPairing.named(name, arguments, console)
    }
    session.interfaces = try arguments.all(Self.interface)
    let txt = try arguments.all(Self.txt)
    if !txt.isEmpty { session.txt = txt.map { ($0.key, $0.value) } }
    session.today = String(WallClock.stamp.prefix(10))
    session.ask = { question in console.ask("\(question), then press Return:") != nil }
    try readFiles(arguments, library)
    session.options.seed = seed
    session.options.repetitions = try arguments.value(Self.repetitions) ?? 1
    session.options.isLong = arguments[Self.long]
    session.options.isShort = arguments[Self.short]
    if session.options.isShort, session.options.isLong {
      throw UsageError("--short and --long exclude each other")
    }
    session.options.allowsReset = arguments[Self.allowReset]
    session.options.lanes = try arguments.value(Self.lanes) ?? (session.command?.contains("hapsim") == true ? 5 : 2)
    session.options.wrongCodeLimit = try arguments.value(Self.wrongCodes) ?? 12
  }

  private static func target(
    _ text: String?, _ arguments: Arguments
  ) throws(UsageError) -> ConformanceSession.Target {
    guard let text else {
      guard arguments.has(exec) else { throw UsageError("HOST:PORT or NAME is missing, or --exec") }
      return .child
    }
    // With --exec, a file name after --json would be taken for the accessory's name.
    if text.contains("/") || text.hasSuffix(".json"), arguments[jsonFlag] {
      throw UsageError(
        "\(shown(text)) is not an accessory; --report-json \(shown(text)) writes the JSON report to a file")
    }
    return try TargetText.read(text)
  }

  static func setupCode(_ arguments: Arguments) throws -> String? {
    if let code = try arguments.value(code) {
      if arguments.has(codeFile) { throw UsageError("--code and --code-file exclude each other") }
      return code
    }
    guard let path = try arguments.value(codeFile) else { return nil }
    let line = try firstLine(ofFile: path)
    guard let code = dashed(line) else { throw Refusal(.usage, "\(path): its first line is not a setup code") }
    return code
  }

  /// Returns a setup code with its dashes; `nil` unless it is eight digits. Codes that HAP forbids are accepted, because a finding about
  /// them belongs to the accessory (PS-49), and such an accessory must be testable.
  private static func dashed(_ text: String) -> String? {
    let digits = text.filter { $0 != "-" }
    guard digits.utf8.count == 8, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return "\(digits.prefix(3))-\(digits.dropFirst(3).prefix(2))-\(digits.suffix(3))"
  }

  private mutating func readFiles(_ arguments: Arguments, _ library: SuiteLibrary) throws {
    if let path = try arguments.value(Self.claims) {
      session.claims = try Self.reading(path) { bytes throws(JSONProblem) in try Claims(bytes) }
      session.options.hasClaimsFile = true
    }
    if let path = try arguments.value(Self.hooks) {
      session.hooks = try Self.reading(path) { bytes throws(JSONProblem) in try HookFile(bytes) }
    }
    if let path = try arguments.value(Self.baseline) {
      let ids = library.cases.map(\.id)
      let bytes = try readFile(path, limit: 16 << 20)
      let baseline: Baseline
      do throws(Baseline.Mistakes) { baseline = try Baseline(bytes, ids: ids) } catch {
        let rest = error.isCut ? ["\(path): more errors follow; correct these first"] : []
        throw Refusal(.usage, lines: error.problems.map { Self.line($0, in: path) } + rest)
      }
      remarks += baseline.expired(today: session.today).map { "baseline: \($0)" }
      session.baseline = baseline
    }
  }

  private static func reading<T>(_ path: String, _ body: ([UInt8]) throws(JSONProblem) -> T) throws -> T {
    let bytes = try readFile(path, limit: 16 << 20)
    do throws(JSONProblem) { return try body(bytes) } catch { throw Refusal(.usage, line(error, in: path)) }
  }

  private static func line(_ problem: JSONProblem, in path: String) -> String {
    let place = "\(path):\(problem.place.line):\(problem.place.column)"
    // The message may contain a text from the file, of any length.
    let message = problem.path.isEmpty ? problem.message : "\(problem.path): \(problem.message)"
    return "\(place): \(message.prefix(500))"
  }
}

/// The accessory as the command line names it.
enum TargetText {
  /// Reads "192.0.2.7:51826", "[fe80::1%eth0]:51826" or "localhost:51826"; anything else is a name on the network, or a device ID.
  static func read(_ text: String) throws(UsageError) -> ConformanceSession.Target {
    try SocketAddress(commandLine: text).map { .address($0) } ?? .name(text)
  }
}
