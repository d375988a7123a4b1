import HAPAlmanac

/// The surroundings of a command, because the model has neither a clock nor files.
public struct HomeContext: Sendable {
  /// The time of the command.
  public var now: Instant
  /// The user who sends the command; nil: the owner, or the hub itself. A person who is a user of several homes has an
  /// identifier in each of them; this is the one in the home of the command.
  public var user: HomeObjectID?
  /// Whether homes of other hubs may be changed, of which this hub has copies: only by the hub itself.
  package var editsCopies = false
  /// The rules that Apple does not publish.
  public var policy: HomePolicy
  /// Returns the rules of a zone; nil if the machine does not have the zone.
  public var zoneRules: @Sendable (ZoneName) -> ZoneRules?

  /// Creates a context.
  public init(
    now: Instant, user: HomeObjectID? = nil, policy: HomePolicy = HomePolicy(),
    zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?
  ) {
    (self.now, self.user, self.policy, self.zoneRules) = (now, user, policy, zoneRules)
  }
}

/// Rules and limits that no public source states, or that sources state differently.
public struct HomePolicy: Hashable, Sendable {
  /// The characters of names (rule N4).
  public enum Names: String, CaseIterable, Hashable, Sendable {
    /// Letters, digits, spaces and apostrophes. HomeKit Developer Guide, 2016.
    case guide
    /// Also symbols and punctuation within a name. Apple's reference pages.
    case reference
  }

  /// The characters of names.
  public var names: Names = .guide
  /// The greatest number of homes (rule L1).
  public var homes = 100
  /// The greatest number of rooms, of zones, of groups, of action sets and of triggers in a home.
  public var objects = 1000
  /// The greatest number of accessories in a home.
  public var accessories = 10_000
  /// The greatest number of actions in a set.
  public var actions = 1000
  /// The greatest depth of a condition, 1...32. Rows of the store have no deeper ones.
  public var conditionDepth = 32 {
    didSet { precondition((1...32).contains(conditionDepth), "a deeper condition would not be read from its row") }
  }
  /// The greatest number of users in a home: an accessory has to have room for 16 pairings, one of them the owner's.
  public var users = 16

  /// Creates the default policy.
  public init() {}
}
