import HapsimFiles
import HAPCommandLine
import HAPDeviations
import HAPFleet
import HAPHost
import HAPLoop
import HAPModel

/// All that `hapsim run` was asked for, checked: what can be judged without looking at a file or the network is right.
package struct RunOptions: Equatable, Sendable {
  /// Where accessories keep what outlives them.
  package enum State: Equatable, Sendable {
    case folder(String)
    /// Nowhere: every start is the first.
    case ephemeral
  }

  /// Who announces the accessories.
  package enum Bonjour: String, CaseIterable, Sendable {
    /// The daemon where it can and may, else the responder inside this process.
    case auto
    /// The machine's mDNS daemon.
    case daemon
    /// A responder inside this process.
    case embedded
    /// Nobody.
    case off
  }

  /// Files, one accessory server each, in this order; empty: those of the scenario.
  package var profiles: [String]
  package var state: State
  /// Of the only accessory, or of all copies; nil: the profile's, or one drawn at its first start.
  package var setupCode: SetupCode?
  package var setupID: SetupID?
  /// Of the first accessory; the others count up from it. 0: any free one for each.
  package var port: UInt16 = 0
  /// An IP address to listen at; nil: all addresses, or those of `interfaces`.
  package var bind: String?
  /// Limits mDNS, and the listener where there is no `bind`. Empty: all.
  package var interfaces: [String] = []
  package var bonjour: Bonjour = .auto
  /// Of the only accessory, or of the copies of the only profile; nil: the profile's.
  package var name: String?
  /// Take explicit ids that differ from those served before.
  package var renumber = false
  /// The protocol's manners; nil: each profile's.
  package var conduct: ConductChoice?
  /// What is wrong with the accessories on purpose; nil: nothing.
  package var defect: String?
  /// Files of defects besides the built-in ones.
  package var defectFiles: [String] = []
  /// Most connections at once; nil: as the conduct says.
  package var maximumSessions: Int?
  /// The folder in which each accessory's run is kept, keys and all; nil: none is.
  package var capture: String?
  /// Drives simulation, never keys.
  package var seed: UInt64?
  /// How the simulation's time passes.
  package var pace = SimulationClock.Pace.running(scale: 1)
  /// What goes wrong with every accessory from its start, as `--fault` has it.
  package var faults: [FaultChoice] = []
  /// The file of what happens to the accessories; nil: nothing does by itself.
  package var scenario: String?
  /// The file that what happens is written into as a scenario; nil: none.
  package var recording: String?
  /// Whether a recording has controllers' writes as something to expect, not as something to do.
  package var recordsExpectations = false
  /// How long it serves, from when it is ready, in the machine's time; nil: until it is told to stop.
  package var duration: Duration?
  /// Where the control API and the page are.
  package var control = ControlChoice.standard
  /// How controllers are judged; nil: they aren't.
  package var judging: JudgeOptions?
  /// Events as JSON lines on standard output.
  package var json = false
  /// Commands as JSON lines on standard input; implies `json`.
  package var commands = false
  /// Serve after the end of standard input too.
  package var keepsRunning = false
  /// Only what has to be said.
  package var quiet = false

  /// Copies of each profile; nil: the accessory itself.
  package var count: Int?
  /// The file of a fleet, in place of profiles.
  package var fleet: String?
  /// What copies have their identity from; nil: from the fleet's file, or by chance.
  package var identity: String?
  /// Which of the copies this process serves.
  package var shard = Shard.whole
  /// Loops that accessories are spread over; nil: one for a few accessories, one for each core for more.
  package var loops: Int?

  /// As it was called, for complaints.
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
        error.code, "\(error.detail): --port \(port) chose it\(counted); choose another port, or leave --port out")
    }
  }

  /// Whether everything has to be on one loop: for what is about the order of things, or about time that doesn't pass by itself.
  package var needsOneLoop: Bool {
    if case .running = pace { return scenario != nil || recording != nil || judging != nil || capture != nil }
    return true
  }

  /// What copies are called, as `--name` says; nil: it doesn't.
  package func namePattern(_ count: Int) throws(UsageError) -> NamePattern? {
    guard let name else { return nil }
    guard name.contains("{") else { return NamePattern(of: name, count: count) }
    do throws(NamePattern.PatternProblem) { return try NamePattern(name) } catch {
      throw UsageError("--name \(shown(name)): \(error.message)")
    }
  }
}
