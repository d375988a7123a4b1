import HAPIP
import HAPModel
import HAPWire

/// What is done to the record that an accessory tells in DNS-SD.
package struct RecordChange: Sendable {
  package enum Port: Equatable, Sendable { case fixed(UInt16), beside(Int) }
  package enum Conflict: String, CaseIterable, Sendable { case silent, keep }

  /// Which records: nil: all.
  package var isPaired: Bool?
  package var restarts: CountPattern?
  package var updates: CountPattern?
  /// It started anew, by one of these, as its last start.
  package var causes: Set<RestartChange.Cause> = []
  /// nil as a value: the key is taken away.
  package var txt: [(key: String, value: String?)] = []
  /// Keys whose value is told in small letters.
  package var lowered: [String] = []
  /// In place of the whole record, as it stands.
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
  /// Told by a responder of our own, which doesn't do all that RFC 6762 asks for; nil: by the usual one.
  package var responder: ResponderManner?
  /// Told again and again, unasked, with this pause.
  package var again: Duration?
  /// Somebody else tells a service of the same name.
  package var hasRival = false

  package init() {}

  /// Whether it is about a record at this moment.
  package func fits(isPaired: Bool, restarts: Int, updates: Int, cause: RestartChange.Cause?) -> Bool {
    (causes.isEmpty || cause.map { causes.contains($0) } ?? false) && (self.isPaired.map { $0 == isPaired } ?? true)
      && (self.restarts?.fits(restarts) ?? true)
      && (self.updates?.fits(updates) ?? true)
  }
}

/// What a multicast DNS responder doesn't do. RFC 6762.
package struct ResponderManner: Equatable, Sendable {
  /// Answers what the question says is known already, §7.1.
  package var passesOverKnownAnswers = false
  /// Answers questions that ask for a unicast answer by multicast alone, §5.4.
  package var answersUnicast = true
  /// Answers questions that ask for a unicast answer at all.
  package var hearsUnicast = true
  /// Sets the cache-flush bit, §10.2.
  package var flushesCaches = true
  /// Tells its records unasked, §8.3 and §8.4; one that doesn't tells them to nobody but who asks.
  package var announces = true
  /// Says goodbye, §10.1.
  package var saysGoodbye = true
  /// Gives a name up that another one has, §9.
  package var yieldsNames = true

  package init() {}

  /// One that does nothing that either of the two doesn't.
  package func joined(with other: ResponderManner) -> ResponderManner {
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

/// What is done to what the device behind the accessory says, or is told.
package struct DeviceChange: Sendable {
  package enum Cause: String, CaseIterable, Sendable { case hand, time, write, start }
  package enum Replacement: Sendable { case drop, value(JSONNode), beside(Double) }
  package enum Written: String, CaseIterable, Sendable { case ignore, undo, `repeat` }

  /// Of characteristics of this type.
  package var type: TypeID
  /// Of this accessory alone.
  package var aid: UInt64?
  /// Caused so; nil: however.
  package var cause: Cause?
  /// This value alone.
  package var value: JSONNode?
  package var change: Replacement?
  package var delay: Duration?
  /// With each change or write of it, the first characteristic of these types in the same service, or else in the accessory, changes too.
  package var also: [(type: TypeID, value: JSONNode)] = []
  package var written: Written?
  /// How long it identifies itself, where it is Identify.
  package var lasts: Duration?
}

/// What goes wrong when an accessory starts anew.
package struct RestartChange: Sendable {
  package enum Cause: String, CaseIterable, Sendable {
    case reboot
    /// Another profile takes the place of its own.
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
  /// Over a factory reset.
  package var keeps: Set<Memory> = []
  /// Added to `c#`.
  package var number = 0
  /// Every pairing loses its admin bit.
  package var makesUsers = false
  /// iids that the profile doesn't write down go to others of the same accessory.
  package var shufflesIDs = false

  /// What all of them do of which this is a cause; nil: none is.
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

/// What is wrong with an accessory's long-term identity.
package struct IdentityChange: Sendable {
  /// Its signatures are made with another key than its LTPK says.
  package var signsWithOther = false
  /// Its messages name another Accessory Pairing ID than its record.
  package var saysOtherID = false
  /// It has this setup code, which may be one that is too easy to guess.
  package var setupCode: SetupCode?
}

/// Errors in the numbers of Pair Setup.
package struct SetupChange: Equatable, Sendable {
  package enum Secret: String, CaseIterable, Sendable { case zeroLed = "zero-led" }
  /// Which secrets make a right setup code count as a wrong one.
  package var refusedSecret: Secret
}

/// Where chance is none.
package struct RandomChange: Sendable {
  package enum Manner: String, CaseIterable, Sendable { case same }
  /// While a request of this path is worked on; nil: always.
  package var path: String?
  package var manner: Manner
}

/// What is wrong with the frames of a message.
struct SealingChange: Sendable {
  /// Of which messages; nil: of all.
  var condition: MessageCondition?
  /// From the frame of this number on; with `isOnce`, on the first message from there alone.
  var after: UInt64 = 0
  var isOnce = false
  var frames: FrameAlteration
}
