import FuzzCommands
import FuzzFiles
import FuzzMessages

/// What is fed with bytes of no good will. Each takes any bytes and returns; where a rule is broken it traps.
///
/// libFuzzer runs them (`Fuzz/Runner`), and so does `swift test` over the kept corpora (`Tests/FuzzTests`).
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Reading TLV8: what is read writes and reads again as the same.
  case tlv
  /// Requests and responses of HTTP, cut anywhere: the cuts change nothing.
  case http
  /// Requests of the control API: who may ask, and for what.
  case control
  /// Frames of a session: only what was sealed is ever opened.
  case frames
  /// JSON: what is read writes and reads again as the same.
  case json
  /// Profiles, with everything that is made of them.
  case profile
  /// Texts with a form of their own: types, codes, identifiers, base64.
  case texts
  /// Written values against the rules of a characteristic.
  case values
  /// An accessory and several controllers, by a program of right and wrong messages.
  case connection
  /// What an accessory answers to a controller: messages, and databases as devices send them.
  case controller
  /// A captured run, gone through again.
  case capture
  /// Recorded databases: whatever can be imported makes a profile that can be served, and is a copy.
  case `import`
  /// Apple's own archives: what is read is a database.
  case archive
  /// YAML, as suites are written in: what is read is a tree that JSON can say too, within its limits.
  case yaml
  /// Messages of the DNS: what is read writes and reads again as the same.
  case dns
  /// Databases of strangers against the rules: what is told is told the same again, and ends.
  case lint
  /// Files of defects, and messages for their rules.
  case defects
  /// Commands: what is read is printed, and read again as the same.
  case commands
  /// Files with scenarios, and what happens while they are played.
  case scenario
  /// What controllers do, before their judge.
  case judge
  /// A responder and a browser of multicast DNS, by a program of packets, time and interfaces.
  case mdns

  package func run(_ bytes: UnsafeRawBufferPointer) {
    switch self {
    case .tlv: fuzzTLV(bytes)
    case .http: fuzzHTTP(bytes)
    case .control: fuzzControl(bytes)
    case .frames: fuzzFrames(bytes)
    case .json: fuzzJSON(bytes)
    case .profile: fuzzProfile(bytes)
    case .texts: fuzzTexts(bytes)
    case .values: fuzzValues(bytes)
    case .connection: fuzzConnection(bytes)
    case .controller: fuzzController(bytes)
    case .capture: fuzzCapture(bytes)
    case .import: fuzzImport(bytes)
    case .archive: fuzzArchive(bytes)
    case .yaml: fuzzYAML(bytes)
    case .dns: fuzzDNS(bytes)
    case .lint: fuzzLint(bytes)
    case .defects: fuzzDefects(bytes)
    case .commands: fuzzCommands(bytes)
    case .scenario: fuzzScenario(bytes)
    case .judge: fuzzJudge(bytes)
    case .mdns: fuzzMDNS(bytes)
    }
  }

  /// The longest input worth trying, in bytes.
  package var longestInput: Int {
    switch self {
    case .tlv, .texts, .values: 1024
    case .http, .control, .json, .connection, .controller, .yaml, .dns, .lint, .defects, .commands, .scenario, .judge,
      .mdns:
      4096
    case .frames, .archive: 8192
    case .profile, .capture, .import: 16384
    }
  }
}
