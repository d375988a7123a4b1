import Foundation
import HAPHome
import HAPLoop

// Safe: its content is in a lock.
/// Persons who come or leave. HMPresenceEvent
public class HMPresenceEvent: HMEvent, NSCopying, NSMutableCopying, @unchecked Sendable {
  fileprivate struct Content: Sendable {
    var type: HMPresenceEventType
    var userType: HMPresenceEventUserType
    /// The users of a home for `customUsers`, which Apple's API does not show.
    var users: Set<HomeObjectID> = []
  }

  fileprivate let content: Guarded<Content>

  fileprivate init(_ content: Content) {
    self.content = Guarded(content)
    super.init(of: ())
  }

  /// Creates an event.
  /// - Parameters:
  ///   - presenceEventType: which arrivals and departures count.
  ///   - presenceUserType: the current user, or all users. A home refuses `customUsers`, because the app can't name them.
  public convenience init(presenceEventType: HMPresenceEventType, presenceUserType: HMPresenceEventUserType) {
    self.init(Content(type: presenceEventType, userType: presenceUserType))
  }

  convenience init(_ presence: PresenceEvent) { self.init(Content(presence)) }

  /// Which arrivals and departures count.
  public var presenceEventType: HMPresenceEventType { content.withLock { $0.type } }
  /// The users who count.
  public var presenceUserType: HMPresenceEventUserType { content.withLock { $0.userType } }

  /// Returns the event itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns an event with the same content that can be changed.
  public func mutableCopy(with zone: NSZone? = nil) -> Any { HMMutablePresenceEvent(content.withLock { $0 }) }

  /// - Throws: 3 for `customUsers` of an event that is not from a home.
  func presence() throws(HMError) -> PresenceEvent {
    let content = content.withLock { $0 }
    switch content.userType {
    case .currentUser: return PresenceEvent(content.kind, of: .currentUser)
    case .homeUsers: return PresenceEvent(content.kind, of: .homeUsers)
    case .customUsers:
      guard !content.users.isEmpty else {
        throw .invalid("HomeKit has no way to name the users of customUsers: use currentUser or homeUsers")
      }
      return PresenceEvent(content.kind, of: .users(content.users))
    }
  }

  override func record(in home: Home) throws(HMError) -> HomeEvent { .presence(try presence()) }

  override var isLasting: Bool { true }
}

// Safe: its content is in the lock of `HMPresenceEvent`.
/// Persons who come or leave, which the app can change. HMMutablePresenceEvent
///
/// A trigger of a home does not see the changes before `updateEvents`.
public final class HMMutablePresenceEvent: HMPresenceEvent, @unchecked Sendable {
  /// Which arrivals and departures count.
  public override var presenceEventType: HMPresenceEventType {
    get { content.withLock { $0.type } }
    set { content.withLock { $0.type = newValue } }
  }

  /// The users who count.
  public override var presenceUserType: HMPresenceEventUserType {
    get { content.withLock { $0.userType } }
    set { content.withLock { $0.userType = newValue } }
  }

  /// Returns an event with the same content that never changes.
  public override func copy(with zone: NSZone? = nil) -> Any { HMPresenceEvent(content.withLock { $0 }) }

  override var isLasting: Bool { false }
}

extension HMPresenceEvent.Content {
  init(_ presence: PresenceEvent) {
    type =
      switch presence.kind {
      case .everyEntry: .everyEntry
      case .everyExit: .everyExit
      case .firstEntry: .firstEntry
      case .lastExit: .lastExit
      }
    switch presence.users {
    case .currentUser: userType = .currentUser
    case .homeUsers: userType = .homeUsers
    case .users(let users): (userType, self.users) = (.customUsers, users)
    }
  }

  fileprivate var kind: PresenceEvent.Kind {
    switch type {
    case .everyEntry: .everyEntry
    case .everyExit: .everyExit
    case .firstEntry: .firstEntry
    case .lastExit: .lastExit
    }
  }
}
