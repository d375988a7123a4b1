import HAPExpectation
import HAPLoop
import HAPTarget
import HAPWire

/// The process of the accessory under test, as far as the runner may see it.
struct RestartableProcess: Sendable {
  /// How it ended, "by signal 6"; `nil`: it runs.
  var ending: @Sendable () async -> String?
  /// Starts its command again, after it ended. Returns what failed; `nil`: the accessory is there again.
  var startAgain: @Sendable () async -> String?
}

/// What cases reach besides connections: hooks and multicast. Each member is read and written under a lock, because the tester tidies up between
/// cases on any thread.
@dynamicMemberLookup package final class CaseWorld: Sendable {
  package struct Members: Sendable {
    /// How long an answer may take where a case says nothing else.
    package var answerLimit: Duration = .seconds(10)
    package var hooks: any HookRunner = NoHooks()
    /// Of the claims file; nil without one.
    package var claims: Claims?
    /// nil: there is no multicast, for the reason in `noMulticast`.
    package var observer: MDNSObserver?
    package var noMulticast = "no multicast was asked for"
    /// Multicast was asked for and works, and the accessory isn't heard.
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
