import HAPExpectation
import HAPLoop
import HAPTarget
import HAPWire

/// The runner's access to the process of the accessory under test.
struct RestartableProcess: Sendable {
  /// How the process ended, such as "by signal 6"; nil while it runs.
  var ending: @Sendable () async -> String?
  /// Restarts the command after its end. Returns the error, or nil if the accessory is up again.
  var startAgain: @Sendable () async -> String?
}

/// The environment of cases besides connections, such as hooks and multicast. Each member is read and written under a lock, because cleanup
/// between cases runs on any thread.
@dynamicMemberLookup package final class CaseWorld: Sendable {
  package struct Members: Sendable {
    /// Default time limit for an answer.
    package var answerLimit: Duration = .seconds(10)
    package var hooks: any HookRunner = NoHooks()
    /// The claims of the claims file; nil without one.
    package var claims: Claims?
    /// The observer of multicast DNS; nil without multicast, for the reason in `noMulticast`.
    package var observer: MDNSObserver?
    package var noMulticast = "multicast was not requested"
    /// Whether multicast was requested and works, but no packet of the accessory was received.
    package var isSilent = false
    /// The accessory's process, if the tester started it.
    var process: RestartableProcess?
  }

  private let members = Guarded(Members())

  package init() {}

  package subscript<T>(dynamicMember member: WritableKeyPath<Members, T>) -> T {
    get { members.withLock { $0[keyPath: member] } }
    set { members.withLock { $0[keyPath: member] = newValue } }
  }
}
