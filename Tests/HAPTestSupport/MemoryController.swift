import HAPCrypto

/// A controller without a socket: it passes bytes to `deliver`, and gets the accessory's bytes through `receive`.
///
/// It implements Pair Verify, frames and HTTP itself (without HAPIP and HAPWire), so the accessory is checked against a
/// second implementation of the rules. Unreadable bytes stay in `unread`.
package final class MemoryController {
  /// Passes bytes to the accessory; its answers arrive in `receive` before this returns.
  package var deliver: ([UInt8]) -> Void = { _ in }
  package let identity: ControllerIdentity
  package var random: RandomSource

  /// All bytes from the accessory, unchanged.
  package private(set) var raw: [UInt8] = []
  /// The sizes of the accessory's writes.
  package private(set) var writes: [Int] = []
  /// Complete messages that were not taken yet.
  package private(set) var messages: [AccessoryMessage] = []
  /// Sizes of the frames received, in bytes of plaintext.
  package private(set) var frameSizes: [Int] = []
  package var isClosed = false
  /// Whether a received frame could not be opened, or was too long.
  package private(set) var sawBadFrame = false

  private var sealedInput: [UInt8] = []
  private var plainInput: [UInt8] = []
  private var keys: (send: SecretBytes, receive: SecretBytes)?
  package private(set) var sendCounter: UInt64 = 0
  private var receiveCounter: UInt64 = 0
  /// The number of bytes to pass at once; `nil` means all.
  package var segmentSize: Int?

  package init(_ identity: ControllerIdentity, random: RandomSource) {
    (self.identity, self.random) = (identity, random)
  }

  package var isSecured: Bool { keys != nil }
  package var unread: [UInt8] { plainInput + sealedInput }

  // MARK: Bytes

  package func receive(_ bytes: [UInt8]) {
    raw += bytes
    writes.append(bytes.count)
    if keys == nil {
      plainInput += bytes
    } else {
      sealedInput += bytes
      openFrames()
    }
    messages += takeMessages(&plainInput)
  }

  private func openFrames() {
    guard let keys else { return }
    while sealedInput.count >= 2 {
      let count = Int(sealedInput[0]) | Int(sealedInput[1]) << 8
      guard (1...1024).contains(count) else { return sawBadFrame = true }
      guard sealedInput.count >= 2 + count + 16 else { return }
      let sealed = Array(sealedInput[2..<(2 + count + 16)])
      guard
        let plain = ChaChaPoly.open(
          sealed, key: keys.receive, nonce: Self.nonce(receiveCounter), aad: Array(sealedInput[..<2]))
      else { return sawBadFrame = true }
      receiveCounter += 1
      frameSizes.append(count)
      plainInput += plain
      sealedInput.removeFirst(2 + count + 16)
    }
  }

  private static func nonce(_ counter: UInt64) -> [UInt8] {
    [0, 0, 0, 0] + withUnsafeBytes(of: counter.littleEndian, Array.init)
  }

  /// One frame, with the next counter.
  package func frame(_ plain: [UInt8], counter: UInt64? = nil) -> [UInt8] {
    guard let keys else { preconditionFailure("no session") }
    let length = withUnsafeBytes(of: UInt16(plain.count).littleEndian, Array.init)
    let sealed = ChaChaPoly.seal(plain, key: keys.send, nonce: Self.nonce(counter ?? sendCounter), aad: length)
    if counter == nil { sendCounter += 1 }
    return length + sealed
  }

  /// A complete message in frames of `size` bytes each.
  package func frames(_ plain: [UInt8], size: Int = 1024) -> [UInt8] {
    stride(from: 0, to: plain.count, by: size).flatMap { frame(Array(plain[$0..<min($0 + size, plain.count)])) }
  }

  /// Passes bytes unchanged, in segments of `segmentSize`.
  package func sendRaw(_ bytes: [UInt8]) {
    guard let segmentSize else { return deliver(bytes) }
    for start in stride(from: 0, to: bytes.count, by: segmentSize) {
      deliver(Array(bytes[start..<min(start + segmentSize, bytes.count)]))
    }
  }

  /// Passes a message, sealed if there is a session.
  package func send(_ plain: [UInt8]) { sendRaw(isSecured ? frames(plain) : plain) }

  // MARK: HTTP

  package static func request(
    _ method: String, _ target: String, body: [UInt8]? = nil, type: String = "application/hap+json"
  ) -> [UInt8] {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: accessory.local:51826\r\n"
    if let body { head += "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + (body ?? [])
  }

  /// Takes the next message that isn't an event; events stay.
  package func takeReply() -> AccessoryMessage? {
    guard let index = messages.firstIndex(where: { !$0.isEvent }) else { return nil }
    return messages.remove(at: index)
  }

  /// Takes all events, oldest first.
  package func takeEvents() -> [AccessoryMessage] {
    defer { messages.removeAll { $0.isEvent } }
    return messages.filter(\.isEvent)
  }

  package func exchange(_ method: String, _ target: String, body: [UInt8]? = nil, type: String = "application/hap+json")
    -> AccessoryMessage?
  {
    send(Self.request(method, target, body: body, type: type))
    return takeReply()
  }

  package func get(_ target: String) -> AccessoryMessage? { exchange("GET", target) }
  package func put(_ json: String) -> AccessoryMessage? { exchange("PUT", "/characteristics", body: Array(json.utf8)) }
  /// Writes entries, each the inside of an object: `#""aid":1,"iid":9,"value":true"#`.
  package func write(_ entries: String...) -> AccessoryMessage? {
    put(#"{"characteristics":["# + entries.map { "{\($0)}" }.joined(separator: ",") + "]}")
  }
  package func post(_ target: String, _ tlv: PlainTLV) -> AccessoryMessage? {
    exchange("POST", target, body: tlv.encoded, type: "application/pairing+tlv8")
  }

  // MARK: Pair Verify, HAP R2 §5.7

  /// The state after M1.
  package struct Verify {
    package var agreement: AgreementKey
    package var accessoryKey: [UInt8] = []
    package var shared: SecretBytes?
    package var sessionKey: SecretBytes?
    package var accessoryIdentifier: [UInt8] = []
    package var accessorySignature: [UInt8] = []
    package var m1: PlainTLV { PlainTLV([(6, [1]), (3, agreement.publicKey)]) }
  }

  package func startVerify() -> Verify { Verify(agreement: AgreementKey(privateKey: random.secret(32))) }

  /// Reads M2; `nil` if it is an error or can't be opened.
  package func readM2(_ reply: AccessoryMessage?, _ start: Verify) -> Verify? {
    var verify = start
    guard let tlv = reply?.tlv, tlv.state == 2, let key = tlv[3], let sealed = tlv[5],
      let shared = verify.agreement.sharedSecret(with: key)
    else { return nil }
    verify.accessoryKey = key
    verify.shared = shared
    let sessionKey = HKDF.sha512(shared, salt: "Pair-Verify-Encrypt-Salt", info: "Pair-Verify-Encrypt-Info")
    verify.sessionKey = sessionKey
    guard let inner = ChaChaPoly.open(sealed, key: sessionKey, nonce: "PV-Msg02").flatMap(PlainTLV.init(decoding:)),
      let identifier = inner[1], let signature = inner[0x0A]
    else { return nil }
    verify.accessoryIdentifier = identifier
    verify.accessorySignature = signature
    return verify
  }

  package func m3(_ verify: Verify, identity other: ControllerIdentity? = nil) -> PlainTLV {
    let identity = other ?? identity
    let signature = identity.key.sign(verify.agreement.publicKey + identity.identifier + verify.accessoryKey)
    let inner = PlainTLV([(1, identity.identifier), (0x0A, signature)])
    return m3(verify, inner: inner.encoded)
  }

  package func m3(_ verify: Verify, inner: [UInt8]) -> PlainTLV {
    guard let key = verify.sessionKey else { preconditionFailure("M2 was not read") }
    return PlainTLV([(6, [3]), (5, ChaChaPoly.seal(inner, key: key, nonce: "PV-Msg03"))])
  }

  /// Uses the session's keys: from now on all messages are sealed.
  package func secure(_ verify: Verify) {
    guard let shared = verify.shared else { preconditionFailure("M2 was not read") }
    secure(
      send: HKDF.sha512(shared, salt: "Control-Salt", info: "Control-Write-Encryption-Key"),
      receive: HKDF.sha512(shared, salt: "Control-Salt", info: "Control-Read-Encryption-Key"))
  }

  package func secure(send: SecretBytes, receive: SecretBytes) {
    keys = (send, receive)
    (sendCounter, receiveCounter) = (0, 0)
  }

  /// The complete procedure. Returns the error of the accessory, or `nil` if the session is secured.
  package func verify() -> String? {
    let start = startVerify()
    let m2 = post("/pair-verify", start.m1)
    guard let verify = readM2(m2, start) else {
      return "M2: \(m2?.startLine ?? "no answer"), error \(m2?.tlv?.error ?? 0)"
    }
    let m4 = post("/pair-verify", m3(verify))
    guard let tlv = m4?.tlv, m4?.status == 200, tlv.state == 4, tlv.error == nil else {
      return "M4: \(m4?.startLine ?? "no answer"), error \(m4?.tlv?.error ?? 0)"
    }
    secure(verify)
    return nil
  }
}
