import HAPWire

/// Bytes that a step sends on a connection.
package struct SendAction: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    /// The bytes that the `until` of an earlier step kept.
    case rest
    /// Messages in one segment.
    case messages([SentMessage])
  }

  package var on: String
  package var content: Content
  package var delivery: Delivery
  /// How often it is sent.
  package var times: Int
  /// A variable for the bytes as they went out.
  package var save: String?
  /// Whether sending ends after it.
  package var finishes: Bool

  /// The bytes that a step may send at once: 64 MiB. More are a mistake of the suite.
  package static let limit = 64 << 20
}

/// How bytes leave: in one piece, in several, or only their beginning.
package struct Delivery: Equatable, Sendable {
  /// The number of bytes that are sent. A negative number is the number of bytes that are kept.
  package var until: Int?
  package var pieces: Sizes?
  package var pause: Duration
}

/// How something is divided.
package enum Sizes: Equatable, Sendable {
  /// In parts of one size.
  case all(Int)
  /// The first parts have these sizes, and the rest is one more.
  case first([Int])

  /// The sizes of the parts of `count` bytes; empty: they are not divided.
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
  /// The procedure whose messages and keys it uses.
  package var procedure: String
  /// Whether it bypasses the session, unsealed.
  package var isPlain: Bool
  /// Whether it is sealed with the keys of a Pair Verify whose M4 has not come.
  package var isAhead: Bool
  /// The sizes of its frames.
  package var split: Sizes?
  package var fault: FrameFault
  /// The connection whose keys seal it.
  package var keysOf: String?
  /// The procedures that it uses. A message that the step alters is the case's own stimulus and uses none.
  package var uses: [Procedure]
}

/// How frames are wrong.
package struct FrameFault: Equatable, Sendable {
  package enum Part: String, CaseIterable, Sendable { case ciphertext, tag, length }

  /// One bit of this part is inverted.
  package var flip: Part?
  /// Is added to the counter of the frame; the counter of the session does not change.
  package var counterOffset = 0
  /// The length that the frame announces instead of the right one.
  package var length: Int?
  /// Whether bytes are added until an enlarged length is reached.
  package var fills = false

  package init() {}
}

/// An HTTP request, with everything in which it differs from the usual one.
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
  /// `nil`: as usual.
  package var headerForm: HeaderForm?
  /// Further header lines.
  package var headers: [String]
  package var body: Body
  package var corruptions: [Corruption]
  /// The bytes that head and body have together: a header field fills them.
  package var size: Int?
}

/// What is done to the bytes of a body.
package enum Corruption: Equatable, Sendable {
  /// One bit of the byte at an offset; a negative offset counts from the end.
  case flip(at: Int)
  case truncate(Int)
  case append(ByteRecipe)
  case prepend(ByteRecipe)
}

/// A request of /pairings.
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

  /// Whose ephemeral keys M3 signs.
  package enum Ephemeral: Equatable, Sendable {
    case own
    /// Its own, in the wrong order.
    case swapped
    /// Those of another procedure.
    case of(String)
  }

  package var step: PairingStep {
    switch self {
    case .start: .m1
    case .finish: .m3
    }
  }
}

/// In what M3 of Pair Setup differs from the right one.
package struct ProofEdits: Equatable, Sendable {
  /// A: 0, N, 2·N, one that begins with zeros, or any bytes.
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

  /// `nil`: the right one.
  package var publicKey: PublicKey?
  /// S; `nil`: the right one.
  package var secret: ByteRecipe?
  package var isPadded: Bool
  package var wantsZeroSecret: Bool
  package var wantsZeroKey: Bool
  package var stripsServerKey: Bool
  package var code: Code
}

/// In what the sealed part of M5 of Pair Setup, or of M3 of Pair Verify, differs from the right one.
package struct SealedEdits: Equatable, Sendable {
  package var controller: String?
  package var identifier: ByteRecipe?
  /// The controller whose key signs.
  package var signer: String?
  package var inner: [MessageAlteration]
  /// 8 characters; `nil`: the right one.
  package var nonce: String?
  package var hasWrongKey: Bool
}
