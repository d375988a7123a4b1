import HAPAttributes
import HAPCrypto
import HAPModel
import HAPPairing
import HAPWire

/// One controller's TCP connection on the accessory's side: received bytes that are not handled yet, bytes to send,
/// and the controller's identity.
///
/// A connection starts with plain HTTP; after Pair Verify's M4 every byte in both directions is sealed. HAP R2
/// §6.5.2.
package final class ConnectionCore {
  enum Phase { case open, closed }

  package let id: ConnectionID
  package let peer: String
  /// Received bytes; the shell adds them, the core opens frames in place and consumes them.
  package var incoming = ByteBuffer()
  /// Bytes to send; the core adds them, the shell consumes them.
  package var outgoing = ByteBuffer()
  /// Plaintext requests with which a tap replaced others; they are handled first.
  var substituted = ByteBuffer(capacity: 0)

  var phase = Phase.open
  /// Set between the response M4 and the end of the connection.
  var session: SecureSession?
  package let pairing: PairingSession
  var parser = HTTPRequestParser()
  /// Whether a request waits for slow work or for the store; the next request waits for its response.
  package var isWaiting = false {
    didSet {
      session?.attributes.holdsEvents = isWaiting
      if oldValue, !isWaiting { noteForShell() }
    }
  }
  /// The read that waits for the device.
  var pendingRead: PendingRead?
  /// The time of the last complete request, or of connecting. Incomplete requests don't count as activity.
  package internal(set) var lastHeard: Duration
  package let remoteAddress: RemoteAddress
  package var slotState = SlotState.none
  let outbox: Outbox
  /// Whether the connection is in the outbox.
  fileprivate var isNoted = false

  /// The responses that are sent in chunks.
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
  /// The number of frames sealed on this connection.
  package var sealedFrameCount: UInt64 { session?.sealer.counter ?? 0 }
  package var isVerifying: Bool { pairing.isVerifying }
  package var isSettingUp: Bool { pairing.isSettingUp }
  package var isSubscribed: Bool { session?.attributes.isSubscribed ?? false }
  package func isSubscribed(toSlot slot: Int) -> Bool { session?.attributes.isSubscribed(toSlot: slot) ?? false }
  /// The identifier of the verified controller.
  package var verifiedController: String? { session?.controller.map { String(decoding: $0, as: UTF8.self) } }
  /// nil: the connection is not secured.
  package var attributeSession: AttributeSession? { session?.attributes }
  /// The identifier of the verified controller, otherwise the peer's address; for reports.
  package var controller: String { session?.controller.map { String(decoding: $0, as: UTF8.self) } ?? peer }

  /// The number of unsent response bytes at which no further request is handled. A single response may be longer.
  /// Unverified clients have no request with a long response.
  package var answerLimit: Int { session == nil ? 8 << 10 : 256 << 10 }

  /// The key of the pairing message that is being answered: of Pair Setup's M5 and M6, or of Pair Verify's M2 and M3.
  package var pairingKey: SecretBytes? { pairing.messageKey }

  /// Whether there is input that is not handled yet.
  package var hasInput: Bool { !incoming.isEmpty || !substituted.isEmpty }

  /// Whether another request may be handled: not while a response is pending, nor while too many bytes are unsent.
  var takesRequests: Bool { phase == .open && !isWaiting && outgoing.readableCount < answerLimit }

  /// Whether the shell should read more. Otherwise TCP flow control stops a controller that keeps sending.
  package var wantsInput: Bool { takesRequests }
}

extension ConnectionCore: SlotHolder {
  package var isAnswerOwed: Bool { isWaiting }
  package var verifyStarted: Duration? { pairing.verifyStarted }
}

extension ConnectionCore {
  /// Marks the connection for the shell: it has something to send, or accepts requests again.
  func noteForShell() {
    guard !isNoted else { return }
    isNoted = true
    outbox.connections.append(self)
  }
}

/// The connections that the shell must check, so that it needn't check all of them.
final class Outbox {
  fileprivate(set) var connections: [ConnectionCore] = []
  /// Called for every plaintext message; true: from the controller.
  var onPlain: ((ConnectionID, Bool, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void)? {
    didSet { noteWatchers() }
  }
  /// Alters messages.
  weak var tap: (any MessageTap)? { didSet { noteWatchers() } }
  /// Whether there is an observer or a tap: the only check that each request makes.
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

/// The keys and rights of a verified controller.
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
