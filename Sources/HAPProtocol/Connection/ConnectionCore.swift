import HAPCrypto
import HAPModel
import HAPWire

/// One controller's TCP connection as the accessory sees it: what came in and is not yet worked off, what is to go out, and who is at the other end.
///
/// A connection starts in plain HTTP; after Pair Verify's M4 every byte of both directions is sealed. HAP R2 §6.5.2.
package final class ConnectionCore {
  enum Phase { case open, closed }

  package let id: ConnectionID
  package let peer: String
  /// Bytes as they came from the network; the shell adds, the core opens frames in place and consumes.
  package var incoming = ByteBuffer()
  /// Bytes as they go onto the network; the core adds, the shell consumes.
  package var outgoing = ByteBuffer()

  var phase = Phase.open
  /// Set between the answer M4 and the end of the connection.
  var session: SecureSession?
  var setup: PairSetupServer
  /// When the last message of Pair Setup came.
  var setupHeard = Duration.zero
  var verify: PairVerifyServer
  var parser = HTTPRequestParser()
  /// A request was taken whose answer needs slow work or the store; the next one waits.
  var isWaiting = false
  var subscriptions = SlotSet()
  var events = EventQueue()
  var timedWrites: [TimedWrite] = []
  var lastHeard: Duration

  /// JSON bodies longer than this leave in chunks; nil: none does.
  let chunksJSONBeyond: Int?

  init(
    id: ConnectionID, peer: String, openedAt now: Duration, setup: PairSetupServer, verify: PairVerifyServer,
    conduct: Conduct
  ) {
    self.id = id
    self.peer = peer
    self.lastHeard = now
    self.setup = setup
    self.verify = verify
    chunksJSONBeyond =
      switch conduct.chunked {
      case .json: 0
      case .longJSON: 2048
      case .never, .accessories: nil
      }
    parser.limits.acceptsChunked = conduct.takesChunkedRequests
    parser.limits.acceptsAnyCase = conduct.takesAnyHeaderCase
  }

  package var isSecured: Bool { session != nil }
  package var isClosed: Bool { phase == .closed }
  /// The identifier under which the controller was verified, for reports.
  package var controller: String { session?.controller.map { String(decoding: $0, as: UTF8.self) } ?? peer }

  /// Answers that may lie unsent before no further request is worked off. One answer may be longer.
  static let answerLimit = 256 << 10

  /// Whether another request may be worked off: not while an answer is owed, nor while too much waits to be sent.
  var takesRequests: Bool { phase == .open && !isWaiting && outgoing.readableCount < Self.answerLimit }

  /// Whether the shell should read on; otherwise a controller that sends on and on is held back by its own socket.
  package var wantsInput: Bool { takesRequests }

  /// May be closed in favour of a new connection when it was silent for long.
  var isReclaimable: Bool { phase == .open && !isWaiting }
}

/// A verified controller's keys and rights.
final class SecureSession {
  var opener: FrameOpener
  var sealer: FrameSealer
  /// The controller's pairing identifier, byte for byte as it was stored; nil in a transient session, which has no pairing.
  let controller: [UInt8]?

  init(_ keys: SessionKeys, controller: [UInt8]?, conduct: Conduct) {
    opener = FrameOpener(
      key: keys.controllerToAccessory,
      maximumPlaintext: conduct.takesLongFrames ? Int(UInt16.max) : FrameOpener.maximumPlaintext)
    sealer = FrameSealer(key: keys.accessoryToController)
    self.controller = controller
  }

  var isTransient: Bool { controller == nil }
}
