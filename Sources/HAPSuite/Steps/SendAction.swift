import HAPWire

/// The content of a `send`: bytes for a connection.
package struct SendAction: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    /// The bytes that the `until` of an earlier step held back.
    case rest
    /// Messages in one segment.
    case messages([SentMessage])
  }

  package var on: String
  package var content: Content
  package var delivery: Delivery
  /// The number of times that the content is sent.
  package var times: Int
  /// A variable for the bytes as sent.
  package var save: String?
  /// Whether the sending side is closed afterwards.
  package var finishes: Bool

  /// The limit on the bytes that a step sends at once: 64 MiB. Exceeding it is an error in the suite.
  package static let limit = 64 << 20
}

/// The way in which bytes are sent: in one piece, in several, or only their beginning.
package struct Delivery: Equatable, Sendable {
  /// The number of bytes to send. A negative number is the number of bytes to hold back.
  package var until: Int?
  package var pieces: Sizes?
  package var pause: Duration
}

/// The sizes of the parts into which bytes are divided.
package enum Sizes: Equatable, Sendable {
  /// All parts have one size.
  case all(Int)
  /// The first parts have these sizes; the rest is one more part.
  case first([Int])

  /// Returns the sizes of the parts of `count` bytes; empty: the bytes are not divided.
  package func parts(of count: Int) -> [Int] {
    switch self {
    case .all(let size): size == 0 ? [] : [Int](repeating: size, count: (count + size - 1) / size)
    case .first(let sizes): sizes
    }
  }
}

/// One message of a `send`.
package struct SentMessage: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    /// Bytes that bypass the session.
    case raw(ByteRecipe)
    case text(String)
    case bytes(ByteRecipe)
    case request(SentRequest)
  }

  package var content: Content
  /// The procedure whose messages and keys the message uses.
  package var procedure: String
  /// Whether the message is sent in plain text, bypassing the session.
  package var isPlain: Bool
  /// Whether the message is sealed with the keys of a Pair Verify whose M4 has not arrived yet.
  package var isAhead: Bool
  /// The sizes of the message's frames.
  package var split: Sizes?
  package var fault: FrameFault
  /// The connection whose keys seal the message.
  package var keysOf: String?
  /// The procedures that the message uses. A message that the step alters is the case's own stimulus and uses none.
  package var uses: [Procedure]
}

/// Faults of the frames.
package struct FrameFault: Equatable, Sendable {
  package enum Part: String, CaseIterable, Sendable { case ciphertext, tag, length }

  /// The part in which one bit is inverted.
  package var flip: Part?
  /// A number added to the counter of the frame; the counter of the session does not change.
  package var counterOffset = 0
  /// The length that the frame announces instead of the correct one.
  package var length: Int?
  /// Whether bytes are added to match an enlarged length.
  package var fills = false

  package init() {}
}

/// An HTTP request, with its differences from the default.
package struct SentRequest: Equatable, Sendable {
  package enum Body: Equatable, Sendable {
    case none
    case json(JSONNode)
    case items([MessageItem], [MessageAlteration])
    case bytes(ByteRecipe)
    case pairings(PairingsRequest, [MessageAlteration])
    case setup(SetupMessage, [MessageAlteration])
    case verify(VerifyMessage, [MessageAlteration])
  }

  /// The value of a header field.
  package enum Field: Equatable, Sendable {
    case usual
    case missing
    case text(String)
  }

  package enum HeaderForm: String, CaseIterable, Sendable { case lower, upper, tight }

  package var method: String
  package var path: String
  package var version: String
  package var host: Field
  package var type: Field
  package var length: Field
  /// `nil`: the default form.
  package var headerForm: HeaderForm?
  /// Further header lines.
  package var headers: [String]
  package var body: Body
  package var corruptions: [Corruption]
  /// The total size of head and body in bytes. A header field pads the request to it.
  package var size: Int?
}

/// A corruption of the bytes of a body.
package enum Corruption: Equatable, Sendable {
  /// Inverts one bit of the byte at an offset. A negative offset counts from the end.
  case flip(at: Int)
  case truncate(Int)
  case append(ByteRecipe)
  case prepend(ByteRecipe)
}

/// A request to `/pairings`.
package enum PairingsRequest: Equatable, Sendable {
  case list
  case add(controller: String?, permissions: UInt8)
  case remove(controller: String?)

  package var name: String {
    switch self {
    case .list: "list"
    case .add: "add"
    case .remove: "remove"
    }
  }
}

/// A message of Pair Setup.
package enum SetupMessage: Equatable, Sendable {
  case start(method: UInt8, flags: ByteRecipe?)
  case proof(ProofEdits)
  case exchange(SealedEdits)

  package var step: PairingStep {
    switch self {
    case .start: .m1
    case .proof: .m3
    case .exchange: .m5
    }
  }
}

/// A message of Pair Verify.
package enum VerifyMessage: Equatable, Sendable {
  case start(publicKey: ByteRecipe?)
  case finish(SealedEdits, ephemeral: Ephemeral)

  /// The ephemeral keys that M3 signs.
  package enum Ephemeral: Equatable, Sendable {
    case own
    /// The procedure's own keys, in the wrong order.
    case swapped
    /// The keys of another procedure.
    case of(String)
  }

  package var step: PairingStep {
    switch self {
    case .start: .m1
    case .finish: .m3
    }
  }
}

/// The differences of M3 of Pair Setup from the correct one.
package struct ProofEdits: Equatable, Sendable {
  /// A: 0, N, 2·N, a key that begins with zeros, or any bytes.
  package enum PublicKey: Equatable, Sendable {
    case zero
    case n
    case twoN
    case short
    case bytes(ByteRecipe)
  }

  package enum Code: Equatable, Sendable {
    case right
    case wrong
    case text(String)
  }

  /// `nil`: the correct one.
  package var publicKey: PublicKey?
  /// S; `nil`: the correct one.
  package var secret: ByteRecipe?
  package var isPadded: Bool
  package var wantsZeroSecret: Bool
  package var wantsZeroKey: Bool
  package var stripsServerKey: Bool
  package var code: Code
}

/// The differences of the sealed part of M5 of Pair Setup, or of M3 of Pair Verify, from the correct one.
package struct SealedEdits: Equatable, Sendable {
  package var controller: String?
  package var identifier: ByteRecipe?
  /// The controller whose key signs.
  package var signer: String?
  package var inner: [MessageAlteration]
  /// 8 characters; `nil`: the correct one.
  package var nonce: String?
  package var hasWrongKey: Bool
}
