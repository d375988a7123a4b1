import HAPCommandLine
import HAPConformance
import HAPCrypto
import HAPFuzzing
import HAPTransport
import HAPWire

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
  private static let asJSON = Flag("json", "print the result as JSON to standard output, and nothing else")

  static let fuzz = Command(
    "fuzz", "send messages of no good will, and see whether the accessory lives",
    operands: .some(label: "[HOST:PORT|NAME]", count: 0...1),
    options: [
      RunRequest.exec.definition, RunRequest.waitReady.definition, RunRequest.code.definition,
      RunRequest.codeFile.definition, RunRequest.interface.definition, area.definition, fuzzSeed.definition,
      minutes.definition, maxRounds.definition, reproducer.definition, replayFile.definition, asJSON.definition,
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
      let run = FuzzRun(
        session, file: try arguments.value(reproducer), isJSON: arguments[asJSON], console)
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
