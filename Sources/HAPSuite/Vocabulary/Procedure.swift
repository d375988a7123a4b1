/// A procedure that many cases use and few judge. A case lists the procedures that it judges in `owns`.
///
/// If a case fails in a procedure that it only uses, and a case that owns the procedure fails in the same run, the second case blocks the
/// first: the requirement of the first case remains untested.
package enum Procedure: String, CaseIterable, Hashable, Sendable {
  /// The accessory's DNS-SD record and its announcements.
  case discovery
  case pairSetup = "pair-setup"
  /// The answer to a Pair Setup while another one runs, and after that one ends.
  case busy
  case pairVerify = "pair-verify"
  /// The answer to a controller that is not paired, or no longer paired.
  case refuseStranger = "refuse-stranger"
  /// The answer to a message of Pair Setup that must be refused.
  case refuseSetup = "refuse-setup"
  /// The first request after M4 of Pair Verify.
  case firstRequest = "first-request"
  /// Frames of a session, in both directions, until it ends.
  case session
  /// Several sessions at the same time.
  case sessions
  case listPairings = "list-pairings"
  case addPairing = "add-pairing"
  case removePairing = "remove-pairing"
  /// `GET /accessories`.
  case database
  /// `GET /characteristics` for one characteristic or several.
  case read
  /// `PUT /characteristics` with values.
  case write
  /// `PUT /characteristics` with `ev`.
  case subscribe
  case event
  case prepare
  /// The answer to a write whose `pid` is not prepared.
  case refusePID = "refuse-pid"
  /// The answer to a write of a value that the characteristic does not accept.
  case refuseValue = "refuse-value"
  /// The rights of a controller without the admin permission.
  case regularUser = "regular-user"
  /// The movement of a device to its target state.
  case followTarget = "follow-target"
  /// A press of a programmable switch.
  case press
  case identify
  /// The state that the accessory keeps over a restart.
  case restart

  /// Whether each request in a session uses the procedure. Because of one failure, haptest does not add the cases that
  /// own such a procedure to a run. They run only if they are selected.
  package var isTransport: Bool {
    switch self {
    case .session, .sessions, .firstRequest: true
    default: false
    }
  }

  /// One line for the documentation.
  package var summary: String {
    switch self {
    case .discovery: "the accessory's DNS-SD record and its announcements"
    case .pairSetup: "Pair Setup from M1 to M6"
    case .busy: "the answer to a Pair Setup while another one runs, and after that one ends"
    case .pairVerify: "Pair Verify from M1 to M4"
    case .refuseStranger: "the answer to a controller that is not paired, or no longer paired"
    case .refuseSetup: "the answer to a message of Pair Setup that must be refused"
    case .firstRequest: "the first request after M4 of Pair Verify"
    case .session: "the frames of a session, in both directions"
    case .sessions: "several sessions at the same time"
    case .listPairings: "`POST /pairings`, List"
    case .addPairing: "`POST /pairings`, Add"
    case .removePairing: "`POST /pairings`, Remove"
    case .database: "`GET /accessories`"
    case .read: "`GET /characteristics`"
    case .write: "`PUT /characteristics` with values"
    case .subscribe: "`PUT /characteristics` with `ev`"
    case .event: "events"
    case .prepare: "`PUT /prepare`"
    case .refusePID: "the answer to a write whose `pid` is not prepared"
    case .refuseValue: "the answer to a write of a value that the characteristic does not accept"
    case .regularUser: "the rights of a controller without the admin permission"
    case .followTarget: "the movement of a device to its target state"
    case .press: "a press of a programmable switch"
    case .identify: "the identify routine"
    case .restart: "the state that the accessory keeps over a restart"
    }
  }
}
