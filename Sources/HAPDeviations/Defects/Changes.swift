import HAPIP
import HAPModel
import HAPWire

/// Changes to the record that an accessory announces in DNS-SD.
package struct RecordChange: Sendable {
  package enum Port: Equatable, Sendable { case fixed(UInt16), beside(Int) }
  package enum Conflict: String, CaseIterable, Sendable { case silent, keep }

  /// Only records of a paired accessory change, or only those of an unpaired one; `nil`: both.
  package var isPaired: Bool?
  package var restarts: CountPattern?
  package var updates: CountPattern?
  /// The last start was a restart with one of these causes; empty: any.
  package var causes: Set<RestartChange.Cause> = []
  /// `nil` as a value: the key is removed.
  package var txt: [(key: String, value: String?)] = []
  /// Keys whose values are announced in lowercase.
  package var lowered: [String] = []
  /// Replaces the whole record.
  package var wholeTXT: [String]?
  package var type: String?
  package var name: String?
  package var port: Port?
  package var address: String?
  package var isFrozen = false
  package var delay: Duration?
  package var saysGoodbye = true
  package var conflict: Conflict?
  /// A second instance with the same port and TXT record, under this name.
  package var also: String?
  /// The record is announced by a responder with these deviations from RFC 6762; `nil`: by the usual responder.
  package var responder: ResponderQuirk?
  /// The interval at which the record is announced again without a query.
  package var again: Duration?
  /// Whether a conflicting host announces a service of the same name.
  package var hasRival = false

  package init() {}

  /// Returns whether the change applies to a record at this moment.
  package func fits(isPaired: Bool, restarts: Int, updates: Int, cause: RestartChange.Cause?) -> Bool {
    (causes.isEmpty || cause.map { causes.contains($0) } ?? false) && (self.isPaired.map { $0 == isPaired } ?? true)
      && (self.restarts?.fits(restarts) ?? true)
      && (self.updates?.fits(updates) ?? true)
  }
}

/// Deviations of an mDNS responder from RFC 6762.
package struct ResponderQuirk: Equatable, Sendable {
  /// Whether it answers a question even if the question lists the answer as known, §7.1.
  package var passesOverKnownAnswers = false
  /// If false, it answers questions that request a unicast answer only by multicast, §5.4.
  package var answersUnicast = true
  /// Whether it answers questions that request a unicast answer.
  package var hearsUnicast = true
  /// Whether it sets the cache-flush bit, §10.2.
  package var flushesCaches = true
  /// Whether it announces its records without a query, §8.3 and §8.4. If false, it only answers queries.
  package var announces = true
  /// Whether it sends goodbyes, §10.1.
  package var saysGoodbye = true
  /// Whether it gives up a name that another host has, §9.
  package var yieldsNames = true

  package init() {}

  /// Returns the responder with the deviations of both.
  package func joined(with other: ResponderQuirk) -> ResponderQuirk {
    var both = self
    both.passesOverKnownAnswers = passesOverKnownAnswers || other.passesOverKnownAnswers
    both.answersUnicast = answersUnicast && other.answersUnicast
    both.hearsUnicast = hearsUnicast && other.hearsUnicast
    both.flushesCaches = flushesCaches && other.flushesCaches
    both.announces = announces && other.announces
    both.saysGoodbye = saysGoodbye && other.saysGoodbye
    both.yieldsNames = yieldsNames && other.yieldsNames
    return both
  }
}

/// Changes to the values that the accessory's device reports or receives.
package struct DeviceChange: Sendable {
  package enum Cause: String, CaseIterable, Sendable { case hand, time, write, start }
  package enum Replacement: Sendable { case drop, value(JSONNode), beside(Double) }
  package enum Written: String, CaseIterable, Sendable { case ignore, undo, `repeat` }

  /// The type of the characteristics.
  package var type: TypeID
  /// Only in this accessory; `nil`: in any.
  package var aid: UInt64?
  /// The cause of the value; `nil`: any.
  package var cause: Cause?
  /// Only this value; `nil`: any.
  package var value: JSONNode?
  package var change: Replacement?
  package var delay: Duration?
  /// With each change or write, the first characteristic of these types changes too: in the same service, or else in
  /// the accessory.
  package var also: [(type: TypeID, value: JSONNode)] = []
  package var written: Written?
  /// How long the accessory identifies itself, if the characteristic is Identify.
  package var lasts: Duration?
}

/// Errors of an accessory when it restarts.
package struct RestartChange: Sendable {
  package enum Cause: String, CaseIterable, Sendable {
    case reboot
    /// Another profile replaces its profile.
    case replace
    case powerCut = "power-cut"
    case factoryReset = "factory-reset"
  }
  package enum Memory: String, CaseIterable, Sendable {
    /// Pairings; those that weren't made by Pair Setup; values; failed tries; iids and aids; the device ID; the long-term key; `c#`.
    case pairings, added, values, tries, ids, id, key, configuration
  }

  package var after: Set<Cause> = Set(Cause.allCases).subtracting([.replace])
  package var forgets: Set<Memory> = []
  /// Kept across a factory reset.
  package var keeps: Set<Memory> = []
  /// Added to `c#`.
  package var number = 0
  /// Whether every pairing loses its admin bit.
  package var makesUsers = false
  /// Whether iids that are not in the profile are shuffled within the accessory.
  package var shufflesIDs = false

  /// Returns the combination of all changes that have this cause; `nil`: there is none.
  package static func joined(_ changes: [RestartChange], by cause: Cause) -> RestartChange? {
    let fitting = changes.filter { $0.after.contains(cause) }
    guard var all = fitting.first else { return nil }
    for change in fitting.dropFirst() {
      all.forgets.formUnion(change.forgets)
      all.keeps.formUnion(change.keeps)
      all.number &+= change.number
      all.makesUsers = all.makesUsers || change.makesUsers
      all.shufflesIDs = all.shufflesIDs || change.shufflesIDs
    }
    return all
  }
}

/// Errors in an accessory's long-term identity.
package struct IdentityChange: Sendable {
  /// Its signatures are made with a key that does not match its LTPK.
  package var signsWithOther = false
  /// Its messages contain another Accessory Pairing ID than its record.
  package var saysOtherID = false
  /// It uses this setup code, which may be one that is too easy to guess.
  package var setupCode: SetupCode?
}

/// Errors in the numbers of Pair Setup.
package struct SetupChange: Equatable, Sendable {
  package enum Secret: String, CaseIterable, Sendable { case zeroLed = "zero-led" }
  /// The secrets with which a correct setup code is refused as wrong.
  package var refusedSecret: Secret
}

/// Values that should be random but are not.
package struct RandomChange: Sendable {
  package enum Manner: String, CaseIterable, Sendable { case same }
  /// Only while a request for this path is processed; `nil`: always.
  package var path: String?
  package var manner: Manner
}

/// Errors in the frames of a message.
struct SealingChange: Sendable {
  /// The messages; `nil`: all.
  var condition: MessageCondition?
  /// From the frame with this number on. With `isOnce`, only for the first message from there.
  var after: UInt64 = 0
  var isOnce = false
  var frames: FrameAlteration
}
