import HAPCommandLine
import HAPConformance
import HAPCrypto
import HAPLoop
import HAPTransport
import HAPWire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  private static let area = Option(
    "area", "AREA", repeated: true, "tlv, http, json or frame; several between commas (default: all)"
  ) { (text: String) throws(UsageError) -> [FuzzArea] in
    var areas: [FuzzArea] = []
    for word in text.split(separator: ",") {
      guard let area = FuzzArea(rawValue: String(word)) else {
        throw UsageError(
          "there is no \(shown(String(word))); there are \(FuzzArea.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      areas.append(area)
    }
    guard !areas.isEmpty else { throw UsageError("it can't be empty") }
    return areas
  }
  private static let fuzzSeed = Option("seed", "N", in: 0...UInt64.max, "send what a run sent that printed this seed")
  private static let minutes = Option(
    "minutes", "M", in: 1...10_080, "how long, for all areas together (default: 1)")
  private static let maxRounds = Option(
    "max-rounds", "N", in: 1...1_000_000_000, "end each area after so many rounds of messages")
  private static let reproducer = Option(
    "reproducer", "FILE", "write what made it fail here (default: haptest-fuzz-AREA-SEED.json)")
  private static let replayFile = Option(
    "replay", "FILE", "send what a reproducer has, and say whether it still happens")

  static let fuzz = Command(
    "fuzz", "send messages of no good will, and see whether the accessory lives",
    operands: .some(label: "[HOST:PORT|NAME]", count: 0...1),
    options: [
      RunRequest.exec.definition, RunRequest.waitReady.definition, RunRequest.code.definition,
      RunRequest.codeFile.definition, RunRequest.interface.definition, area.definition, fuzzSeed.definition,
      minutes.definition, maxRounds.definition, reproducer.definition, replayFile.definition,
    ],
    discussion: [
      "Right messages are changed in ways that chance chooses, and sent. It is found out when the accessory's process ends, when it answers on no new connection within 10 seconds, when a session that did nothing wrong is lost or hears of no changes any more, and when it is paired or unpaired without being asked. What it answers to a wrong message is its own affair.",
      "What was found is made as small as possible, against an accessory that is started again, and written to a file that --replay sends.",
      "With the setup code the accessory must be unpaired; it is paired for most areas, and unpaired again. Only characteristics are written at which nothing moves, sounds or locks, and they get their values back. Use it on accessories that are yours: one that is broken may need a reset afterwards.",
    ],
    examples: [
      (
        "haptest fuzz --exec \"hapsim run lamp.hasaccessory\" --minutes 10",
        "everything, against one that is started for it"
      ),
      ("haptest fuzz 192.0.2.7:51826 --code 031-45-154 --area json --seed 7", "what seed 7 sends in one area"),
      ("haptest fuzz 192.0.2.7:51826 --code 031-45-154 --replay haptest-fuzz-json-7.json", "whether it is mended"),
    ]
  ) { (arguments, console) throws(UsageError) in
    try haptest("fuzz", console) {
      let replayed = try arguments.value(replayFile).map { try reading($0) }
      var session = FuzzSession(target: try fuzzTarget(arguments))
      session.command = try arguments.value(RunRequest.exec)
      session.readyLimit = .seconds(try arguments.value(RunRequest.waitReady) ?? 20)
      session.code = try RunRequest.setupCode(arguments)
      session.interfaces = try arguments.all(RunRequest.interface)
      let wanted = Set(try arguments.all(area).joined())
      if !wanted.isEmpty { session.areas = FuzzArea.allCases.filter(wanted.contains) }
      session.seed =
        try arguments.value(fuzzSeed) ?? replayed?.seed
        ?? RandomSource.system.bytes(4).reduce(0) { $0 << 8 | UInt64($1) }
      session.time = .seconds(60 * (try arguments.value(minutes) ?? 1))
      session.roundLimit = try arguments.value(maxRounds)
      // The default path is checked, too: a finding takes minutes, and must not be lost.
      if replayed == nil { try checkOutputFile(try arguments.value(reproducer) ?? "haptest-fuzz.json") }
      let run = FuzzCommand(session, file: try arguments.value(reproducer), console)
      if let replayed { return try run.replay(replayed) }
      return try run.run()
    }
  }

  private static func fuzzTarget(_ arguments: Arguments) throws(UsageError) -> ConformanceSession.Target {
    if let text = arguments.operands.first { return try TargetText.read(text) }
    guard arguments.has(RunRequest.exec) else { throw UsageError("HOST:PORT or NAME is missing, or --exec") }
    return .child
  }

  private static func reading(_ path: String) throws -> FuzzReproducer {
    let bytes = try readFile(path, limit: 16 << 20)
    do throws(JSONProblem) { return try FuzzReproducer(bytes) } catch {
      let place = "\(path):\(error.place.line):\(error.place.column)"
      throw Refusal(.usage, "\(place): " + (error.path.isEmpty ? error.message : "\(error.path): \(error.message)"))
    }
  }
}

/// One run of fuzzing: shows it, and writes down what it found.
struct FuzzCommand {
  private let session: FuzzSession
  private let file: String?
  private let console: Console

  init(_ session: FuzzSession, file: String?, _ console: Console) {
    self.session = session
    self.file = file
    self.console = console
  }

  func run() throws -> ExitCode {
    console.print("seed \(session.seed)")
    let (session, console) = (session, console)
    let ended = try perform { loop in try await session.run(on: loop) { show($0, console) } }
    guard let outcome = ended else { return .cannotRun }
    if let finding = outcome.finding, let reproducer = outcome.reproducer {
      return tell(finding, reproducer, outcome)
    }
    for line in outcome.tally.lines { console.print(line) }
    if let leftover = outcome.leftover { console.complain("haptest fuzz: \(leftover)") }
    if outcome.wasInterrupted {
      console.print("ended before its time; nothing was found")
    } else {
      console.print("nothing was found")
    }
    return .well
  }

  func replay(_ reproducer: FuzzReproducer) throws -> ExitCode {
    let session = session
    guard let outcome = try perform({ loop in try await session.replay(reproducer, on: loop) }) else {
      return .cannotRun
    }
    if let leftover = outcome.leftover { console.complain("haptest fuzz: \(leftover)") }
    if outcome.wasInterrupted { return .cannotRun }
    guard let finding = outcome.finding else {
      console.print("it doesn't happen any more: \(reproducer.message)")
      return .well
    }
    for line in finding.details { console.print("  | \(line)") }
    let isSame = finding.kind == reproducer.kind
    console.print(
      isSame ? "it still happens: \(finding.message)" : "something else happens: \(finding.message)")
    return .problem
  }

  /// - Returns: nil when there was no accessory, which has been told.
  private func perform(
    _ body: @escaping @Sendable (EventLoop) async throws -> FuzzSession.Outcome
  ) throws -> FuzzSession.Outcome? {
    do { return try onLoop(console, body) } catch let failure as ConformanceSession.Failure {
      for line in failure.details.suffix(10) { console.complain("  | \(line)") }
      console.complain("haptest fuzz: \(failure.message)")
      return nil
    }
  }

  private func tell(
    _ finding: FuzzFinding, _ reproducer: FuzzReproducer, _ outcome: FuzzSession.Outcome
  ) -> ExitCode {
    for line in finding.details { console.print("  | \(line)") }
    let place = "area \(reproducer.area.rawValue), seed \(reproducer.seed), after \(outcome.tally.messages) messages"
    console.print("\(finding.message) (\(place))")
    let count = reproducer.messages.count
    let which = count == 1 ? "1 message does it" : "\(count) messages do it"
    console.print(
      (reproducer.isConfirmed ? which : "the last \(count) messages, which didn't do it again")
        + (reproducer.messages.last.map { ": \($0.summary)" } ?? ""))
    let path = file ?? "haptest-fuzz-\(reproducer.area.rawValue)-\(reproducer.seed).json"
    do throws(FileError) {
      try writeFile(path, reproducer.bytes, overwriting: true)
      console.print("written to \(path); again with --replay \(path)")
    } catch {
      console.complain("haptest fuzz: \(error.message)")
      // Standard output is the only place left for it.
      console.show(String(decoding: reproducer.bytes, as: UTF8.self))
    }
    if let leftover = outcome.leftover { console.complain("haptest fuzz: \(leftover)") }
    return .problem
  }
}

/// Shows what happens, in lines.
private func show(_ event: FuzzSession.Event, _ console: Console) {
  switch event {
  case .began(let address, let areas):
    console.print("\(address): \(areas.map(\.rawValue).joined(separator: ", "))")
  case .remark(let text): console.complain("haptest fuzz: \(text)")
  case .entered: break
  case .ended(let area, let state, let tally):
    console.print("\(area.rawValue), \(state.rawValue): \(tally.rounds) rounds, \(tally.messages) messages")
  case .found(let finding): console.print("found: \(finding.message); making it smaller")
  case .tried(let trials, let messages, let bytes):
    if console.output.isTerminal { console.show("\r\u{1B}[2Ktrial \(trials): \(messages) messages, \(bytes) bytes\r") }
  }
}
