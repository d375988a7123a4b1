import HAPAttributes
import HAPIP
import HAPModel
import HAPPairing

/// The behaviour of an accessory where the protocol leaves a choice or where real stacks differ: the quirks of each layer.
///
/// The default behaves as Apple's HomeKitADK does, except for the fields that docs/reference/quirks.md lists. Each layer gets its own quirks.
/// As in profiles, a field is found by its name alone: `quirks.maximumTries` is `quirks.pairing.maximumTries`.
@dynamicMemberLookup
public struct Quirks: Hashable, Sendable {
  /// For reads, writes and events.
  public var attributes = AttributeQuirks()
  /// For Pair Setup, Pair Verify and the pairings.
  public var pairing = PairingQuirks()
  /// For HTTP, JSON, connections and the TXT record.
  public var ip = IPQuirks()

  /// The default behaviour.
  public init() {}

  /// A field of `attributes`.
  public subscript<Value>(dynamicMember path: WritableKeyPath<AttributeQuirks, Value>) -> Value {
    get { attributes[keyPath: path] }
    set { attributes[keyPath: path] = newValue }
  }

  /// A field of `attributes.values`.
  public subscript<Value>(dynamicMember path: WritableKeyPath<ValueQuirks, Value>) -> Value {
    get { attributes.values[keyPath: path] }
    set { attributes.values[keyPath: path] = newValue }
  }

  /// A field of `pairing`.
  public subscript<Value>(dynamicMember path: WritableKeyPath<PairingQuirks, Value>) -> Value {
    get { pairing[keyPath: path] }
    set { pairing[keyPath: path] = newValue }
  }

  /// A field of `ip`.
  public subscript<Value>(dynamicMember path: WritableKeyPath<IPQuirks, Value>) -> Value {
    get { ip[keyPath: path] }
    set { ip[keyPath: path] = newValue }
  }
}

// The types of the fields, so that a user needs to import only this module.
extension Quirks {
  /// The accepted values of a flag in a query.
  public typealias QueryFlags = IPQuirks.QueryFlags
  /// An answer to a write in which some entries failed.
  public typealias PartialWrite = IPQuirks.PartialWrite
  /// The answers that are sent in chunks.
  public typealias Chunked = IPQuirks.Chunked
  /// A form of Boolean values.
  public typealias Booleans = IPQuirks.Booleans
  /// A value of `pv`.
  public typealias ProtocolVersion = IPQuirks.ProtocolVersion
  /// An answer to a Pair Setup message out of order.
  public typealias OutOfOrder = PairingQuirks.OutOfOrder
  /// A byte encoding of the SRP secret and of A.
  public typealias ProofForms = PairingQuirks.ProofForms
  /// An answer to a malformed M5.
  public typealias ExchangeFailure = PairingQuirks.ExchangeFailure
  /// An answer to Pair Setup M1 with method 1.
  public typealias SetupMethod1 = PairingQuirks.SetupMethod1
  /// An answer to Pair Verify M1 without a pairing.
  public typealias UnpairedVerify = PairingQuirks.UnpairedVerify
  /// The sessions for which a timed write is prepared.
  public typealias TimedWriteScope = AttributeQuirks.TimedWriteScope
  /// The handling of a value that is out of range.
  public typealias OutOfRange = ValueQuirks.OutOfRange
  /// The answer to a whole request: an HTTP status and optionally a HAP status, or no answer.
  public typealias Answer = HTTPAnswer
}
