import FuzzCommands
import FuzzFiles
import FuzzHomes
import FuzzMatter
import FuzzMessages

/// A function for the fuzzer. It accepts any bytes and returns; if a rule is broken, it traps.
///
/// libFuzzer runs the functions (`Fuzz/Runner`), and `swift test` runs them over the stored corpora
/// (`Tests/FuzzTests`).
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// TLV8: a message that was read can be written and read again unchanged.
  case tlv
  /// Requests and responses of HTTP, divided at any bytes. The division changes nothing.
  case http
  /// Requests of the control API: access and operation.
  case control
  /// Frames of a session: only sealed bytes are ever opened.
  case frames
  /// JSON: a document that was read can be written and read again unchanged.
  case json
  /// Profiles, and everything made from them.
  case profile
  /// Texts with special formats: types, codes, identifiers, base64.
  case texts
  /// Written values against the rules of a characteristic.
  case values
  /// An accessory and several controllers, by a program of correct and faulty messages.
  case connection
  /// The answers of an accessory to a controller: messages, and databases as devices send them.
  case controller
  /// The replay of a capture.
  case capture
  /// Recorded databases. Every import results in a profile that can be served, and that is a copy.
  case `import`
  /// Apple's own archives. Every archive that is read is a valid database.
  case archive
  /// YAML as in suites. Every tree that is read can be written as JSON, within the limits.
  case yaml
  /// Messages of the DNS: a message that was read can be written and read again unchanged.
  case dns
  /// Databases from unknown sources, checked by the lint. Each run ends, and a second run has the same findings.
  case lint
  /// Files of defects, and messages for their rules.
  case defects
  /// Commands: a command that was read can be printed and read again unchanged.
  case commands
  /// Scenario files, and events while they are played.
  case scenario
  /// Requests of controllers, checked by their judge.
  case judge
  /// A responder and a browser of multicast DNS, by a program of packets, time and interfaces.
  case mdns
  /// Files of time zones, and rules of TZ variables: civil times and instants agree, and transitions are complete.
  case tzif
  /// Commands and changes of homes, states of their engine, and rows of their store. A model that is read has valid references only.
  case home
  /// `.hashome` documents, and their plans for a home.
  case hashome
  /// Lines of a hub's socket: a line that was read can be written and read again unchanged.
  case hublink
  /// Matter's TLV, headers, status reports and codes: what was read can be written and read again unchanged.
  case matter
  /// Two message layers of Matter, the network between them and an attacker; and both ends of PASE.
  case mattermessages
  /// Certificates of Matter and of attestation, and messages of CASE: only genuine ones are accepted.
  case credentials
  /// A server of Matter's interaction model, by a program of messages, changes, events and time.
  case interaction

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
    case .tzif: fuzzTZif(bytes)
    case .home: fuzzHome(bytes)
    case .hashome: fuzzHomeFile(bytes)
    case .hublink: fuzzHubLink(bytes)
    case .matter: fuzzMatter(bytes)
    case .mattermessages: fuzzMatterMessages(bytes)
    case .credentials: fuzzCredentials(bytes)
    case .interaction: fuzzInteraction(bytes)
    }
  }

  /// The longest input worth trying, in bytes.
  package var longestInput: Int {
    switch self {
    case .tlv, .texts, .values, .matter, .credentials: 1024
    case .http, .control, .json, .connection, .controller, .yaml, .dns, .lint, .defects, .commands, .scenario, .judge,
      .mdns, .tzif, .hashome, .mattermessages, .interaction:
      4096
    case .frames, .archive, .home, .hublink: 8192
    case .profile, .capture, .import: 16384
    }
  }
}
