import HAPExpectation
import HAPLoop
import HAPTarget
import HAPWire

/// What cases reach besides connections: hooks and multicast. Belongs to the loop's thread.
package final class CaseWorld: @unchecked Sendable {
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

  package init() {}
}
