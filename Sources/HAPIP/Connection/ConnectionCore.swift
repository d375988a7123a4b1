import HAPAttributes
import HAPCrypto
import HAPModel
import HAPPairing
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
  /// Requests in plain with which a tap replaced others; they are worked off first.
  var substituted = ByteBuffer(capacity: 0)

  var phase = Phase.open
  /// Set between the answer M4 and the end of the connection.
  var session: SecureSession?
  package let pairing: PairingSession
  var parser = HTTPRequestParser()
  /// A request was taken whose answer needs slow work or the store; the next one waits.
  package var isWaiting = false {
    didSet {
      session?.attributes.holdsEvents = isWaiting
      if oldValue, !isWaiting { noteForShell() }
    }
  }
  /// The read that waits for the device.
  var pendingRead: PendingRead?
  /// When the last whole request came, or the connection itself: bytes alone are no sign of life.
  package internal(set) var lastHeard: Duration
  package let remoteAddress: RemoteAddress
  package var slotState = SlotState.none
  let outbox: Outbox
  /// Whether it is in the outbox.
  fileprivate var isNoted = false

  /// The answers that are sent in chunks.
  let chunked: IPQuirks.Chunked

  init(
    id: ConnectionID, peer: String, openedAt now: Duration, pairing: PairingSession, quirks: IPQuirks, outbox: Outbox
  ) {
    self.outbox = outbox
    self.id = id
    self.peer = peer
    remoteAddress = RemoteAddress(peer: peer)
    self.lastHeard = now
    self.pairing = pairing
    chunked = quirks.chunked
    parser.limits.acceptsChunked = quirks.takesChunkedRequests
    parser.limits.acceptsAnyCase = quirks.takesAnyHeaderCase
  }

  package var isSecured: Bool { session != nil }
  package var isClosed: Bool { phase == .closed }
  /// Frames that were sealed on it.
  package var sealedFrameCount: UInt64 { session?.sealer.counter ?? 0 }
  package var isVerifying: Bool { pairing.isVerifying }
  package var isSettingUp: Bool { pairing.isSettingUp }
  package var isSubscribed: Bool { session?.attributes.isSubscribed ?? false }
  package func isSubscribed(toSlot slot: Int) -> Bool { session?.attributes.isSubscribed(toSlot: slot) ?? false }
  /// The identifier under which the controller was verified.
  package var verifiedController: String? { session?.controller.map { String(decoding: $0, as: UTF8.self) } }
  /// The identifier under which the controller was verified, for reports.
  package var controller: String { session?.controller.map { String(decoding: $0, as: UTF8.self) } ?? peer }

  /// Bytes of answers that may lie unsent before no further request is worked off. One answer may be longer. Who isn't verified has
  /// nothing to ask that is long.
  package var answerLimit: Int { session == nil ? 8 << 10 : 256 << 10 }

  /// The key of the pairing message that is being answered: of Pair Setup's M5 and M6, or of Pair Verify's M2 and M3.
  package var pairingKey: SecretBytes? { pairing.messageKey }

  /// Whether something came that isn't worked off.
  package var hasInput: Bool { !incoming.isEmpty || !substituted.isEmpty }

  /// Whether another request may be worked off: not while an answer is owed, nor while too much waits to be sent.
  var takesRequests: Bool { phase == .open && !isWaiting && outgoing.readableCount < answerLimit }

  /// Whether the shell should read on; otherwise a controller that sends on and on is held back by its own socket.
  package var wantsInput: Bool { takesRequests }
}

extension ConnectionCore: SlotHolder {
  package var isAnswerOwed: Bool { isWaiting }
  package var verifyStarted: Duration? { pairing.verifyStarted }
}

extension ConnectionCore {
  /// There is something to send, or requests may be taken again.
  func noteForShell() {
    guard !isNoted else { return }
    isNoted = true
    outbox.connections.append(self)
  }
}

/// The connections that the shell has to look at, so that it needn't look at all.
final class Outbox {
  fileprivate(set) var connections: [ConnectionCore] = []
  /// Shown every message in plain; true: from the controller.
  var onPlain: ((ConnectionID, Bool, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void)? {
    didSet { noteWatchers() }
  }
  /// Alters messages.
  weak var tap: (any MessageTap)? { didSet { noteWatchers() } }
  /// Whether anybody looks at messages: the only question that a request pays for.
  private(set) var isWatched = false

  private func noteWatchers() { isWatched = onPlain != nil || tap != nil }

  func drain(_ body: (ConnectionCore) -> Void) {
    for connection in connections {
      connection.isNoted = false
      body(connection)
    }
    connections.removeAll(keepingCapacity: true)
  }
}

/// A verified controller's keys and rights.
final class SecureSession {
  var opener: FrameOpener
  var sealer: FrameSealer
  let attributes: AttributeSession

  init(_ keys: SessionKeys, _ attributes: AttributeSession, quirks: IPQuirks) {
    opener = FrameOpener(
      key: keys.controllerToAccessory,
      maximumPlaintext: quirks.takesLongFrames ? Int(UInt16.max) : FrameOpener.maximumPlaintext)
    sealer = FrameSealer(key: keys.accessoryToController)
    self.attributes = attributes
  }

  /// The controller's pairing identifier; nil in a transient session, which has no pairing.
  var controller: [UInt8]? { attributes.controller }
  var isTransient: Bool { controller == nil }
}
