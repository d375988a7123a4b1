import HAPMatter
import HapsimFiles
import HAPCommandLine
import HAPDeviations
import HAPFleet
import HAPHost
import HAPLoop
import HAPModel

/// The options of `hapsim run`, after all checks that need no file and no network.
package struct RunOptions: Equatable, Sendable {
  /// The storage of the accessories' state.
  package enum State: Equatable, Sendable {
    case folder(String)
    /// No storage: every start is the first.
    case ephemeral
  }

  /// The announcer of the accessories.
  package enum Bonjour: String, CaseIterable, Sendable {
    /// The daemon if possible and permitted, else the responder inside this process.
    case auto
    /// The machine's mDNS daemon.
    case daemon
    /// A responder inside this process.
    case embedded
    /// No announcer.
    case off
  }

  /// The profile files, one accessory server each, in this order; empty: those of the scenario.
  package var profiles: [String]
  package var state: State
  /// The setup code of the only accessory, or of all copies; nil: the profile's, or a random one from the first start.
  package var setupCode: SetupCode?
  package var setupID: SetupID?
  /// The port of the first accessory; the others count up from it. 0: a free port for each.
  package var port: UInt16 = 0
  /// The IP address to listen on; nil: all addresses, or those of `interfaces`.
  package var bind: String?
  /// The interfaces for mDNS, and for listening if there is no `bind`. Empty: all.
  package var interfaces: [String] = []
  package var bonjour: Bonjour = .auto
  /// The name of the only accessory, or of the copies of the only profile; nil: the profile's.
  package var name: String?
  /// Whether explicit IDs may differ from those served before.
  package var renumber = false
  /// The protocol quirks; nil: each profile's.
  package var quirks: QuirksChoice?
  /// The defect of the accessories; nil: none.
  package var defect: String?
  /// How the accessories are also served over Matter; nil: they are not.
  package var matter: MatterSettings?
  /// Files of defects besides the built-in ones.
  package var defectFiles: [String] = []
  /// The maximum number of connections; nil: that of the quirks.
  package var maximumSessions: Int?
  /// The folder in which each accessory's run is recorded, with its keys; nil: no recording.
  package var capture: String?
  /// The seed of the simulation's randomness. Keys don't depend on it.
  package var seed: UInt64?
  /// The rate of simulated time.
  package var pace = SimulationClock.Pace.running(scale: 1)
  /// The initial faults of every accessory, from `--fault`.
  package var faults: [FaultChoice] = []
  /// The scenario file; nil: no scenario.
  package var scenario: String?
  /// The file for the recorded scenario; nil: no recording.
  package var recording: String?
  /// Whether a recording has controllers' writes as expectations instead of actions.
  package var recordsExpectations = false
  /// The serving time in real time, from the ready line; nil: until stopped.
  package var duration: Duration?
  /// The settings of the control API and the page.
  package var control = ControlChoice.standard
  /// The settings of the judge; nil: controllers are not judged.
  package var judging: JudgeOptions?
  /// Whether events are printed as JSON lines to standard output.
  package var json = false
  /// Whether commands are read as JSON lines from standard input; implies `json`.
  package var commands = false
  /// Whether to serve after the end of standard input.
  package var keepsRunning = false
  /// Whether to print only the most important lines.
  package var quiet = false

  /// The number of copies of each profile; nil: the accessory itself.
  package var count: Int?
  /// The fleet file, instead of profiles.
  package var fleet: String?
  /// The identity that copies are derived from; nil: that of the fleet file, or random.
  package var identity: String?
  /// The copies that this process serves.
  package var shard = Shard.whole
  /// The number of loops; nil: one for a few accessories, one per core for more.
  package var loops: Int?

  /// The command's name, for error messages.
  package var command: String {
    fleet != nil ? "fleet" : judging != nil ? "judge" : recording != nil ? "record" : "run"
  }

  /// The port of the accessory at a position; 0 means any.
  package func port(ofProfile index: Int) -> UInt16 { port == 0 ? 0 : port + UInt16(index) }

  /// Adds the option that chose the port to the reason why an accessory can't listen on it.
  package func explainingPort<Served>(ofProfile index: Int, _ serve: () throws -> Served) throws -> Served {
    do { return try serve() } catch let error as LoopError {
      guard port != 0, [.addressInUse, .permissionDenied].contains(error.code) else { throw error }
      let counted = index == 0 ? "" : ", counting up for accessory \(index + 1)"
      throw LoopError(
        error.code, "\(error.detail): set by --port \(port)\(counted); choose another port, or omit --port")
    }
  }

  /// Whether everything must run on one loop, because the order of events matters or simulated time doesn't run.
  package var needsOneLoop: Bool {
    if case .running = pace { return scenario != nil || recording != nil || judging != nil || capture != nil }
    return true
  }

  /// Returns the name pattern of copies from `--name`; nil without that option.
  package func namePattern(_ count: Int) throws(UsageError) -> NamePattern? {
    guard let name else { return nil }
    guard name.contains("{") else { return NamePattern(of: name, count: count) }
    do throws(NamePattern.PatternProblem) { return try NamePattern(name) } catch {
      throw UsageError("--name \(shown(name)): \(error.message)")
    }
  }
}
