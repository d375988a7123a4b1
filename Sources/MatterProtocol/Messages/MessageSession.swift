import HAPCrypto
import HAPWire
import MatterModel
import MatterWire

/// A session of a message layer. It is never reused for another session.
package struct SessionHandle: Hashable, Sendable {
  package let number: UInt64
}

/// The state of one session. Matter 1.4 §4.13.
struct MessageSession {
  /// The node that began an unsecured session, by a random identifier.
  struct EphemeralNode: Hashable {
    var id: UInt64
    var isOwn: Bool
  }

  let handle: SessionHandle
  /// The identifier of messages to this end; 0: the session is unsecured.
  let localID: UInt16
  /// nil: the session is unsecured.
  var channel: SealedChannel?
  /// nil: the session is secured.
  let ephemeral: EphemeralNode?
  var peer: PeerAddress
  let parameters: SessionParameters
  var window: ReceptionWindow
  /// The time of the last message of the peer, or of the handshake. nil: nothing was heard.
  var heard: Duration?
  var lastUse: Duration
  /// Whether the peer has acknowledged a message, so it receives at its address.
  var isConfirmed = false
  /// Whether the session ends with its last exchange.
  var isEnding = false
  var exchanges: [MessageExchange] = []

  init(
    _ handle: SessionHandle, _ established: EstablishedSession, _ peer: PeerAddress, _ counter: OutgoingCounter,
    at now: Duration
  ) {
    (self.handle, localID, self.peer) = (handle, established.localSession, peer)
    (parameters, ephemeral) = (established.peerParameters, nil)
    channel = SealedChannel(established, counter)
    (window, lastUse, heard) = (ReceptionWindow(isSealed: true), now, now)
  }

  init(
    _ handle: SessionHandle, _ ephemeral: EphemeralNode, _ peer: PeerAddress, _ parameters: SessionParameters,
    at now: Duration
  ) {
    (self.handle, localID, self.peer, self.ephemeral) = (handle, 0, peer, ephemeral)
    (self.parameters, channel) = (parameters, nil)
    (window, lastUse) = (ReceptionWindow(isSealed: false), now)
  }

  /// The wait before a retransmission, without the back-off. Matter 1.4 §4.12.2.1.
  func interval(at now: Duration) -> Duration {
    if let heard, now - heard < parameters.activeThreshold { return parameters.activeInterval }
    return parameters.idleInterval
  }

  func indexOfExchange(_ header: ExchangeHeader) -> Int? {
    exchanges.firstIndex { $0.number == header.exchange && $0.isOwn != header.isFromInitiator }
  }

  /// Writes a packet into an empty buffer.
  func write(_ header: ExchangeHeader, _ payload: [UInt8], counter: UInt32, into buffer: inout ByteBuffer) {
    if let channel { return channel.write(header, payload, counter: counter, into: &buffer) }
    let node = ephemeral?.id ?? 0
    let isOwn = ephemeral?.isOwn == true
    MessageHeader(
      session: 0, counter: counter, source: isOwn ? node : nil, destination: isOwn ? .none : .node(node)
    ).encode(into: &buffer)
    header.encode(into: &buffer)
    buffer.append(payload)
  }
}

/// The keys and the identifiers of a secured session. A class, because copies of its ciphers take time.
final class SealedChannel {
  let peerID: UInt16
  let localNode: NodeID
  let peerNode: NodeID
  let attestationChallenge: SecretBytes
  var subject: Subject
  var counter: OutgoingCounter
  private let inbound: CCMCipher
  private let outbound: CCMCipher

  init(_ established: EstablishedSession, _ counter: OutgoingCounter) {
    (peerID, self.counter, subject) = (established.peerSession, counter, established.subject)
    (localNode, peerNode) = (established.localNode, established.peerNode)
    attestationChallenge = established.attestationChallenge
    inbound = CCMCipher(key: established.inboundKey, .opening)
    outbound = CCMCipher(key: established.outboundKey, .sealing)
  }

  /// Writes a sealed packet into an empty buffer.
  func write(_ header: ExchangeHeader, _ payload: [UInt8], counter: UInt32, into buffer: inout ByteBuffer) {
    let message = MessageHeader(session: peerID, counter: counter)
    message.encode(into: &buffer)
    let headerCount = buffer.readableCount
    header.encode(into: &buffer)
    buffer.append(payload)
    let textEnd = buffer.readableCount
    _ = buffer.reserve(CCMCipher.tagByteCount)
    buffer.commit(CCMCipher.tagByteCount)
    buffer.withReadable { packet in
      Self.withNonce(message, localNode) { nonce in
        outbound.seal(
          UnsafeMutableRawBufferPointer(rebasing: packet[headerCount..<textEnd]),
          tag: packet.baseAddress! + textEnd, nonce: nonce,
          aad: UnsafeRawBufferPointer(rebasing: packet[..<headerCount]))
      }
    }
  }

  /// Decrypts a packet in place, and removes its MIC.
  /// - Parameter headerCount: the length of `header` in the packet.
  /// - Returns: false if the MIC is wrong or missing.
  func open(_ packet: inout [UInt8], _ header: MessageHeader, _ headerCount: Int) -> Bool {
    let textEnd = packet.count - CCMCipher.tagByteCount
    guard textEnd >= headerCount else { return false }
    let isOpen = packet.withUnsafeMutableBytes { packet in
      Self.withNonce(header, peerNode) { nonce in
        inbound.open(
          UnsafeMutableRawBufferPointer(rebasing: packet[headerCount..<textEnd]),
          tag: packet.baseAddress! + textEnd, nonce: nonce,
          aad: UnsafeRawBufferPointer(rebasing: packet[..<headerCount]))
      }
    }
    if isOpen { packet.removeLast(CCMCipher.tagByteCount) }
    return isOpen
  }

  /// Passes the nonce of a message: its security flags, its counter and the node that sent it. Matter 1.4 §4.8.1.1.
  private static func withNonce<R>(
    _ header: MessageHeader, _ sender: NodeID, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    withUnsafeTemporaryAllocation(byteCount: CCMCipher.nonceByteCount, alignment: 8) { nonce in
      nonce.storeBytes(of: header.securityFlags, toByteOffset: 0, as: UInt8.self)
      nonce.storeBytes(of: header.counter.littleEndian, toByteOffset: 1, as: UInt32.self)
      nonce.storeBytes(of: sender.littleEndian, toByteOffset: 5, as: UInt64.self)
      return body(UnsafeRawBufferPointer(nonce))
    }
  }
}
