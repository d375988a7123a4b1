import HAPCommandLine
import HAPConformance
import HAPCrypto
import HAPFuzzing
import HAPTransport
import HAPWire

extension Command {
  private static let area = Option(
    "area", "AREA", repeated: true, "tlv, http, json or frame; several separated by commas (default: all)"
  ) { (text: String) throws(UsageError) -> [FuzzArea] in
    var areas: [FuzzArea] = []
    for word in text.split(separator: ",") {
      guard let area = FuzzArea(rawValue: String(word)) else {
        throw UsageError(
          "there is no \(shown(String(word))); there are \(FuzzArea.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      areas.append(area)
    }
    guard !areas.isEmpty else { throw UsageError("the list of areas must not be empty") }
    return areas
  }
  private static let fuzzSeed = Option(
    "seed", "N", in: 0...UInt64.max, "send the same messages as the run that printed this seed")
  private static let minutes = Option(
    "minutes", "M", in: 1...10_080, "the time limit for all areas together (default: 1)")
  private static let maxRounds = Option(
    "max-rounds", "N", in: 1...1_000_000_000, "end each area after N rounds of messages")
  private static let reproducer = Option(
    "reproducer", "FILE", "write the reproducer of a failure to FILE (default: haptest-fuzz-AREA-SEED.json)")
  private static let replayFile = Option(
    "replay", "FILE", "send the messages of a reproducer, and report whether the failure still occurs")
  private static let asJSON = Flag("json", "print only the result, as JSON, to standard output")

  static let fuzz = Command(
    "fuzz", "send malformed messages, and check that the accessory survives",
    operands: .some(label: "[HOST:PORT|NAME]", count: 0...1),
    options: [
      RunRequest.exec.definition, RunRequest.waitReady.definition, RunRequest.code.definition,
      RunRequest.codeFile.definition, RunRequest.interface.definition, area.definition, fuzzSeed.definition,
      minutes.definition, maxRounds.definition, reproducer.definition, replayFile.definition, asJSON.definition,
    ],
    discussion: [
      "haptest sends correct messages with random changes. These are failures: the accessory's process ends; the accessory does not answer on a new connection within 10 seconds; a session that sent only correct messages is lost or receives no more events; the accessory becomes paired or unpaired without a request. The answers to malformed messages are not judged.",
      "haptest minimizes the messages of a failure, and writes them to a file for --replay. For that, it restarts an accessory that --exec started.",
      "With the setup code, the accessory must be unpaired. It is paired for most areas, and unpaired afterwards. Only characteristics that cause no movement, sound or locking are written, and their values are restored. Use this command only on your own accessories: a faulty one may need a reset afterwards.",
    ],
    examples: [
      (
        "haptest fuzz --exec \"hapsim run lamp.hasaccessory --commands\" --minutes 10",
        "all areas, against an accessory that haptest starts"
      ),
      ("haptest fuzz 192.0.2.7:51826 --code 031-45-154 --area json --seed 7", "the messages of seed 7 in one area"),
      (
        "haptest fuzz 192.0.2.7:51826 --code 031-45-154 --replay haptest-fuzz-json-7.json",
        "check whether the failure is fixed"
      ),
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
      // The default path is checked, too, because a finding takes minutes and must not be lost.
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
