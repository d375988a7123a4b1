import HAPCommandLine
import HAPConformance
import HAPFuzzing
import HAPLoop

/// One run of fuzzing: shows its progress, and writes a reproducer.
struct FuzzRun {
  private let session: FuzzSession
  private let file: String?
  private let isJSON: Bool
  private let console: Console

  /// - Parameters:
  ///   - file: the path of the reproducer; `nil`: a name made of area and seed.
  ///   - isJSON: whether standard output receives one JSON document instead of lines.
  init(_ session: FuzzSession, file: String?, isJSON: Bool, _ console: Console) {
    self.session = session
    self.file = file
    self.isJSON = isJSON
    self.console = console
  }

  /// Prints a line for people.
  private func print(_ line: String) { if !isJSON { console.print(line) } }

  private func printJSON(_ result: FuzzResult) { if isJSON { console.print(result.json) } }

  func run() throws -> ExitCode {
    print("seed \(session.seed)")
    let (session, console, isJSON) = (session, console, isJSON)
    let ended = try perform { loop in try await session.run(on: loop) { show($0, isJSON: isJSON, console) } }
    guard let outcome = ended else { return .cannotRun }
    if let finding = outcome.finding, let reproducer = outcome.reproducer {
      return tell(finding, reproducer, outcome)
    }
    for line in outcome.tally.lines { print(line) }
    if let leftover = outcome.leftover { console.complain("haptest fuzz: \(leftover)") }
    print(outcome.wasInterrupted ? "interrupted; no failure was found" : "no failure was found")
    printJSON(FuzzResult(outcome.wasInterrupted ? .interrupted : .nothing, seed: session.seed, outcome))
    return .well
  }

  func replay(_ reproducer: FuzzReproducer) throws -> ExitCode {
    let session = session
    guard let outcome = try perform({ loop in try await session.replay(reproducer, on: loop) }) else {
      return .cannotRun
    }
    if let leftover = outcome.leftover { console.complain("haptest fuzz: \(leftover)") }
    if outcome.wasInterrupted {
      printJSON(FuzzResult(.interrupted, seed: reproducer.seed, outcome))
      return .cannotRun
    }
    guard let finding = outcome.finding else {
      print("the failure no longer occurs: \(reproducer.message)")
      printJSON(FuzzResult(.nothing, seed: reproducer.seed, outcome))
      return .well
    }
    for line in finding.details { print("  | \(line)") }
    let isSame = finding.kind == reproducer.kind
    printJSON(FuzzResult(isSame ? .finding : .otherFinding, seed: reproducer.seed, outcome))
    print(
      isSame ? "the failure still occurs: \(finding.message)" : "another failure occurs: \(finding.message)")
    return .problem
  }

  /// - Returns: `nil` if there was no accessory, which has been reported.
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
    for line in finding.details { print("  | \(line)") }
    let place = "area \(reproducer.area.rawValue), seed \(reproducer.seed), after \(outcome.tally.messages) messages"
    print("\(finding.message) (\(place))")
    let count = reproducer.messages.count
    let which = count == 1 ? "1 message causes it" : "\(count) messages cause it"
    print(
      (reproducer.isConfirmed ? which : "the last \(count) messages, which did not cause it again")
        + (reproducer.messages.last.map { ": \($0.summary)" } ?? ""))
    let path = file ?? "haptest-fuzz-\(reproducer.area.rawValue)-\(reproducer.seed).json"
    var result = FuzzResult(.finding, seed: session.seed, outcome)
    do throws(FileError) {
      try writeFile(path, reproducer.bytes, overwriting: true)
      result.file = path
      print("written to \(path); repeat it with --replay \(path)")
    } catch {
      console.complain("haptest fuzz: \(error.message)")
      // Print the reproducer, because it could not be written to a file. With --json the document contains it.
      if !isJSON { console.show(String(decoding: reproducer.bytes, as: UTF8.self)) }
    }
    printJSON(result)
    if let leftover = outcome.leftover { console.complain("haptest fuzz: \(leftover)") }
    return .problem
  }
}

/// Prints an event of the run.
/// - Parameter isJSON: whether to print only remarks, on standard error.
private func show(_ event: FuzzSession.Event, isJSON: Bool, _ console: Console) {
  switch event {
  case .remark(let text): console.complain("haptest fuzz: \(text)")
  case _ where isJSON: break
  case .began(let address, let areas):
    console.print("\(address): \(areas.map(\.rawValue).joined(separator: ", "))")
  case .entered: break
  case .ended(let area, let state, let tally):
    console.print("\(area.rawValue), \(state.rawValue): \(tally.rounds) rounds, \(tally.messages) messages")
  case .found(let finding): console.print("found: \(finding.message); minimising")
  case .tried(let trials, let messages, let bytes):
    if console.output.isTerminal { console.show("\r\u{1B}[2Ktrial \(trials): \(messages) messages, \(bytes) bytes\r") }
  }
}
