import HAPCrypto
import MatterModel
import MatterWire

/// A commissioning that is not complete, and whose changes are undone if it does not complete. Matter 1.4 §11.10.7.2.
struct FailSafe: Sendable {
  enum Change: Sendable { case none, added, updated }

  /// The fabric that owns it: of the subject that armed it, and since AddNOC the new one. 0: a passcode session.
  var fabric: FabricIndex
  let armed: Duration
  var deadline: Duration
  /// The state that expiry returns to, which is also the durable one until then.
  var before: NodeState
  /// The key of the last CSRRequest.
  var key: CurveKey?
  var isKeyForUpdate = false
  /// The certificate of AddTrustedRootCertificate.
  var root: Root?
  /// Whether AddNOC or UpdateNOC has been executed.
  var change = Change.none

  struct Root: Sendable {
    var encoded: [UInt8]
    var certificate: MatterCertificate
  }

  /// The time in which a commissioning has to complete, however often the fail-safe is armed.
  static let mostSeconds: UInt16 = 900
}

extension MatterNode {
  /// Arms the fail-safe, or extends it.
  mutating func arm(for subject: Subject, seconds: UInt16) {
    let deadline = now + .seconds(seconds)
    var next = failSafe ?? FailSafe(fabric: subject.fabric, armed: now, deadline: deadline, before: state)
    next.deadline = min(deadline, next.armed + .seconds(FailSafe.mostSeconds))
    failSafe = next
  }

  /// Undoes the commissioning that is not complete, and ends its sessions.
  /// - Parameter reason: a phrase for logs.
  mutating func expireFailSafe(_ reason: String) {
    guard let failSafe else { return }
    // An administrator that only arms the fail-safe commissions nothing.
    if failSafe.fabric == 0 || failSafe.change == .added {
      effects.append(.report(.commissioningFailed(reason: reason, peer: nil)))
    }
    let old = state
    state = failSafe.before
    endFailSafe()
    noteChanges(from: old)
    if failSafe.change != .none { effects.append(.endSessions(of: failSafe.fabric)) }
    if state.fabrics.isEmpty && window == nil { open(ownWindow(until: nil)) }
  }

  /// Makes the changes of the commissioning durable.
  mutating func completeCommissioning() {
    if let failSafe, failSafe.change == .added { effects.append(.report(.fabricAdded(failSafe.fabric))) }
    endFailSafe()
    needsStore = true
    endWindow(.commissioned)
  }

  private mutating func endFailSafe() {
    if failSafe?.root != nil { mark(.operationalCredentials, 4) }
    failSafe = nil
    setBreadcrumb(0)
    endPasscodeSession()
  }

  private mutating func endPasscodeSession() {
    guard hasPasscodeSession else { return }
    hasPasscodeSession = false
    effects.append(.endPasscodeSession)
  }

  mutating func setBreadcrumb(_ breadcrumb: UInt64) {
    guard self.breadcrumb != breadcrumb else { return }
    self.breadcrumb = breadcrumb
    mark(.generalCommissioning, 0)
  }

  /// The fail-safe of a subject that owns it.
  func ownFailSafe(_ subject: Subject) throws(InteractionStatus) -> FailSafe {
    guard let failSafe, failSafe.fabric == subject.fabric else { throw InteractionStatus(.failsafeRequired) }
    return failSafe
  }
}
