import HAPAlmanac
import HAPHub
import HAPLoop
import HAPWire
import HAPWorld
import HapctlHub
import WorldPrograms

/// A machine of a simulated world, on which the commands of a script run: each program is a process of its own.
///
/// The time of the world moves only while nothing can happen, so an evening takes no longer than its events.
final class Stage: @unchecked Sendable {  // confined to the world's thread
  /// The output of the run.
  struct Result: Sendable {
    /// The lines of the script, with the output of their commands.
    var transcript: [String] = []
    /// The home at the end, as `hapctl home export` prints it.
    var home: [String] = []
    /// The failures, each with its line.
    var problems: [String] = []
    /// The number of jobs from outside of the world. With any, the run can't be repeated.
    var foreignJobCount = 0
  }

  /// The time that passes after each command, as if a person read its output.
  private static let pause = Duration.seconds(1)
  /// The time that passes after the start of a program in the background.
  private static let longPause = Duration.seconds(3)
  /// The longest time of a command in the foreground.
  private static let limit = Duration.seconds(600)

  private let laboratory: SimulatedLaboratory
  private let zones = SystemZones.ofMachine
  private let onLine: @Sendable (String) -> Void
  private var zone = ZoneRules.utc
  private var jobs: [StageJob] = []
  private var variables: [String: String] = [:]
  private var result = Result()
  private var loop: EventLoop { laboratory.loop }

  /// The environment of the programs.
  private static let environment = ["HOME": "/home/you"]

  private init(_ onLine: @escaping @Sendable (String) -> Void) {
    laboratory = SimulatedLaboratory(seed: 1)
    self.onLine = onLine
  }

  /// Runs a script in a world of its own. File names in its commands are relative to the working folder.
  /// - Parameter onLine: called with each line of the transcript.
  static func run(_ script: StageScript, onLine: @escaping @Sendable (String) -> Void = { _ in }) throws -> Result {
    let stage = Stage(onLine)
    defer { stage.laboratory.world.end() }
    try stage.laboratory.world.run { try await stage.run(script) }
    stage.result.foreignJobCount = stage.laboratory.world.foreignJobCount
    return stage.result
  }

  private func run(_ script: StageScript) async throws {
    for line in script.lines {
      print(line.text)
      try await perform(line)
    }
    let export = try StageJob(["hapctl", "home", "export"], number: nil, Self.environment, on: loop) { _ in }
    if await export.end(within: Self.limit, on: loop) != .code(0) {
      result.problems.append("hapctl home export failed: \(export.output)")
    }
    result.home = export.output
    for job in jobs.reversed() where job.exit == nil {
      try job.end(on: loop)
      let exit = await job.end(within: Self.limit, on: loop)
      // A program that does not catch SIGTERM ends by it, for example `hapctl home watch`.
      if case .signal = exit { continue }
      if exit != .code(0) { result.problems.append("at the end, job \(job.number ?? 0) ended \(text(exit))") }
    }
  }

  private func perform(_ line: StageScript.Line) async throws {
    switch line.step {
    case .text: break
    case .clock(let time, let name):
      zone = try zones.read(name)
      laboratory.setClock(.nanoseconds(zone.instant(of: time).nanoseconds))
    case .command(let command): try await perform(command, line.number)
    case .variable(let name, let command, let member): try await set(name, command, member, line.number)
    case .wait(let duration): try await loop.sleep(for: duration)
    case .until(let minute): try await sleep(until: minute)
    case .kill(let number, let isForced):
      guard let job = jobs.first(where: { $0.number == number }), job.exit == nil else {
        return result.problems.append("line \(line.number): job \(number) does not run")
      }
      if isForced {
        if let id = job.processID { laboratory.kill(id) }
      } else {
        try job.end(on: loop)
      }
      print("[\(number)] ended \(text(await job.end(within: Self.limit, on: loop)))")
      try await loop.sleep(for: Self.pause)
    }
  }

  private func perform(_ command: StageScript.Command, _ line: Int) async throws {
    let number = command.isBackground ? jobs.count + 1 : nil
    let mark = number.map { "[\($0)] " } ?? ""
    let job = try StageJob(expanded(command.words), number: number, Self.environment, on: loop) { [unowned self] in
      if !Self.isCode($0) { print(mark + $0) }
    }
    guard !command.isBackground else {
      jobs.append(job)
      try await loop.sleep(for: Self.longPause)
      if let exit = job.exit { result.problems.append("line \(line): the program ended \(text(exit))") }
      return
    }
    let exit = await job.end(within: Self.limit, on: loop)
    if exit != .code(0) { print("(it ended \(text(exit)))") }
    if (exit == .code(0)) == command.fails { result.problems.append("line \(line): the command ended \(text(exit))") }
    try await loop.sleep(for: Self.pause)
  }

  private func set(_ name: String, _ command: StageScript.Command, _ member: [String], _ line: Int) async throws {
    let job = try StageJob(expanded(command.words), number: nil, Self.environment, on: loop) { _ in }
    let exit = await job.end(within: Self.limit, on: loop)
    let node = (job.output.last.flatMap { try? JSONNode.parse(Array($0.utf8)) }).flatMap { node in
      member.reduce(Optional(node)) { $0?[$1] }
    }
    guard exit == .code(0), let value = node?.stringValue else {
      return result.problems.append("line \(line): the command ended \(text(exit)) without the member \(member)")
    }
    variables[name] = value
  }

  /// Replaces the names of variables in the words of a command, such as `$room`.
  private func expanded(_ words: [String]) -> [String] {
    words.map { word in word.hasPrefix("$") ? variables[String(word.dropFirst())] ?? word : word }
  }

  /// Whether a line is part of a QR code, which makes a transcript long.
  private static func isCode(_ line: String) -> Bool {
    line.unicodeScalars.filter { "█▀▄".unicodeScalars.contains($0) }.count > 8
  }

  private func text(_ exit: ChildProcess.Exit?) -> String { exit.map { "\($0)" } ?? "not in time" }

  /// Waits until the clock in the zone shows a time of day.
  private func sleep(until minute: Int) async throws {
    let now = Instant(nanoseconds: 0).advanced(by: loop.readWallClock())
    let day = 86_400
    let second = zone.civilTime(at: now).secondOfDay
    let wait = (minute * 60 - second + day) % day
    try await loop.sleep(for: .seconds(wait) - .nanoseconds(now.nanosecond))
  }

  private func print(_ line: String) {
    result.transcript.append(line)
    onLine(line)
  }
}
