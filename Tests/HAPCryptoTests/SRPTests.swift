import HAPTestSupport
import Testing

@testable import HAPCrypto

/// One case of `Tests/Vectors/srp.json`.
private struct SRPCase: CustomTestStringConvertible, Sendable {
  let name: String
  let salt, a, b, x, v, clientKey, serverKey, u, s, k, proof1, proof2: [UInt8]
  let code: String
  /// K, M1, M2 of a peer that pads all values.
  let padded: (k: [UInt8], proof1: [UInt8], proof2: [UInt8])?
  let proof2OverStripped: [UInt8]?

  var testDescription: String { name }
  var verifier: SRPVerifier { SRPVerifier(salt: salt, verifier: SecretBytes(v)) }
  var server: SRPServer { SRPServer(verifier, privateKey: SecretBytes(b)) }
  var client: SRPClient { SRPClient(code: code, privateKey: SecretBytes(a)) }

  init(_ json: [String: Any]) {
    name = json.text("name")
    code = json.text("passwordText")
    salt = json.bytes("salt")
    a = json.bytes("a")
    b = json.bytes("b")
    x = json.bytes("x")
    v = json.bytes("v")
    clientKey = json.bytes("A")
    serverKey = json.bytes("B")
    u = json.bytes("u")
    s = json.bytes("S")
    k = json.bytes("K")
    proof1 = json.bytes("M1")
    proof2 = json.bytes("M2")
    let alternatives = json["alternatives"] as? [String: Any]
    padded = (alternatives?["everythingPadded"] as? [String: Any]).map {
      ($0.bytes("K"), $0.bytes("M1"), $0.bytes("M2"))
    }
    proof2OverStripped = (alternatives?["proof2OverStrippedA"] as? [String: Any]).map { $0.bytes("M2") }
  }

  static let all = try! vectorFile("srp").list("cases").map(SRPCase.init)
}

private func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withBytes { Array($0) } }
private func strip(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.drop { $0 == 0 }) }

@Suite struct SRPTests {
  @Test("[PS.1] [PS.2] The group's constants are those of the vectors") func group() throws {
    let group = try vectorFile("srp").object("group")
    #expect(SRPGroup.primeBytes == group.bytes("N"))
    #expect(SRPGroup.multiplier == group.bytes("k"))
    #expect(SRPGroup.primeXorGenerator == group.bytes("HNxorHg"))
    #expect(SRPGroup.user == group.bytes("user"))
  }

  @Test("[PS.1] The verifier of a code and salt is that of the vectors", arguments: SRPCase.all)
  fileprivate func verifier(_ vector: SRPCase) {
    #expect(bytes(SRPGroup.privateExponent(salt: vector.salt, code: vector.code).padded()).suffix(64) == vector.x)
    let verifier = SRPVerifier(code: vector.code, salt: vector.salt)
    #expect(bytes(verifier.verifier) == vector.v)
    #expect(verifier.salt == vector.salt)
  }

  @Test(
    "[PS.2] [PS.3] [PS.9] The accessory computes B, S, K and proof 2 of the vectors", arguments: SRPCase.all,
    [true, false])
  fileprivate func server(_ vector: SRPCase, strict: Bool) throws {
    let server = vector.server
    #expect(server.publicKey == strip(vector.serverKey))
    #expect(server.startsWithZero == (vector.serverKey[0] == 0))
    #expect(server.salt == vector.salt)
    #expect(bytes(SRPGroup.scrambler(vector.clientKey, server.publicKey).padded()).suffix(64) == vector.u)
    for sent in [vector.clientKey, strip(vector.clientKey)] {
      let proof = try #require(server.agree(with: sent))
      #expect(bytes(proof.secret) == vector.s)
      let outcome = try #require(proof.verify(vector.proof1, forms: strict ? .stripped : .either))
      #expect(bytes(outcome.key) == vector.k)
      #expect(outcome.proof2 == vector.proof2)
    }
  }

  @Test(
    "[PS.6] [PS.8] A peer that pads S and A is accepted with its own K, unless the check is strict",
    arguments: SRPCase.all)
  fileprivate func paddedPeer(_ vector: SRPCase) throws {
    guard let padded = vector.padded else { return }
    let proof = try #require(vector.server.agree(with: vector.clientKey))
    #expect(proof.verify(padded.proof1, forms: .stripped) == nil)
    let outcome = proof.verify(padded.proof1, forms: .either)
    if vector.serverKey[0] == 0 {
      // The accessory redraws B until it doesn't start with zero, so this case never occurs.
      #expect(outcome == nil)
    } else {
      #expect(outcome.map { bytes($0.key) } == padded.k)
      #expect(outcome?.proof2 == padded.proof2)
    }
  }

  @Test(
    "[PS.3] [PS.4] [PS.11] [PS.12] The controller computes A, S, K and proof 1 of the vectors",
    arguments: SRPCase.all)
  fileprivate func client(_ vector: SRPCase) throws {
    let client = vector.client
    #expect(client.publicKey == strip(vector.clientKey))
    #expect(client.startsWithZero == (vector.clientKey[0] == 0))
    let proof = try #require(client.agree(salt: vector.salt, serverPublicKey: strip(vector.serverKey)))
    #expect(bytes(proof.secret) == vector.s)
    #expect(proof.startsWithZero == (vector.s[0] == 0))
    #expect(bytes(proof.key) == vector.k)
    #expect(proof.proof == vector.proof1)
    #expect(proof.check(proof2: vector.proof2))
    if let other = vector.proof2OverStripped { #expect(proof.check(proof2: other)) }
    var wrong = vector.proof2
    wrong[63] ^= 1
    #expect(!proof.check(proof2: wrong))
    #expect(!proof.check(proof2: []))
    #expect(!proof.check(proof2: Array(vector.proof2.dropLast())))
  }

  @Test("The first candidate of a search is the controller of the vectors", arguments: SRPCase.all)
  fileprivate func firstCandidate(_ vector: SRPCase) throws {
    var candidates = try #require(
      SRPCandidates(
        code: vector.code, salt: vector.salt, serverPublicKey: strip(vector.serverKey), privateKey: vector.a))
    let publicKey = candidates.next()
    #expect(strip(publicKey) == strip(vector.clientKey))
    #expect(candidates.secret(publicKey: publicKey) == vector.s)
  }

  @Test("Each later candidate of a search agrees with the accessory on the secret", arguments: SRPCase.all)
  fileprivate func laterCandidates(_ vector: SRPCase) throws {
    var candidates = try #require(
      SRPCandidates(code: vector.code, salt: vector.salt, serverPublicKey: vector.serverKey, privateKey: vector.a))
    var seen: Set<[UInt8]> = []
    for _ in 0..<4 {
      let publicKey = candidates.next()
      #expect(seen.insert(publicKey).inserted)
      let proof = try #require(vector.server.agree(with: publicKey))
      #expect(bytes(proof.secret) == candidates.secret(publicKey: publicKey))
    }
  }

  @Test("A search refuses a B that is zero modulo N, or too long") func worthlessServerKeys() {
    for key in [[], [0], SRPChoices.prime, [UInt8](repeating: 1, count: 385)] {
      let candidates = SRPCandidates(code: "031-45-154", salt: [1], serverPublicKey: key, privateKey: [1])
      #expect(candidates.map { _ in true } == nil)
    }
  }

  @Test("[PS.13] A that is zero modulo N is refused", arguments: [0, 1, 384])
  func zeroClientKey(_ count: Int) {
    #expect(SRPCase.all[0].server.agree(with: [UInt8](repeating: 0, count: count)) == nil)
    #expect(SRPCase.all[0].server.agree(with: SRPGroup.primeBytes) == nil)
  }

  @Test("B that is zero modulo N is refused") func zeroServerKey() {
    let client = SRPCase.all[0].client
    for key in [[], [0], [UInt8](repeating: 0, count: 384), SRPGroup.primeBytes] {
      #expect(client.agree(salt: SRPCase.all[0].salt, serverPublicKey: key) == nil)
    }
  }

  @Test("A public key longer than 384 bytes is refused") func longKeys() {
    let long = [UInt8](repeating: 1, count: 385)
    #expect(SRPCase.all[0].server.agree(with: long) == nil)
    #expect(SRPCase.all[0].client.agree(salt: SRPCase.all[0].salt, serverPublicKey: long) == nil)
  }

  @Test("An A at or above N, within 384 bytes, is taken modulo N and hashed as received") func largeClientKey() throws {
    let key = [UInt8](repeating: 0xFF, count: 384)
    let proof = try #require(SRPCase.all[0].server.agree(with: key))
    let k = sessionKey(proof.secret, padded: false)
    let proof1 = clientProof(
      salt: proof.salt, clientKey: key, serverKey: proof.serverKey, sessionKey: k)
    #expect(proof.verify(proof1, forms: .stripped)?.key == k)
  }

  @Test("A wrong code, a changed proof and a proof of another length are refused", arguments: [true, false])
  func wrongProofs(strict: Bool) throws {
    let vector = SRPCase.all[0]
    let client = SRPClient(code: "518-08-583", privateKey: SecretBytes(vector.a))
    let wrong = try #require(client.agree(salt: vector.salt, serverPublicKey: vector.serverKey))
    let proof = try #require(vector.server.agree(with: client.publicKey))
    #expect(proof.verify(wrong.proof, forms: strict ? .stripped : .either) == nil)
    for index in 0..<64 {
      var changed = vector.proof1
      changed[index] ^= 0x80
      #expect(proof.verify(changed, forms: strict ? .stripped : .either) == nil)
    }
    for other in [[], Array(vector.proof1.dropLast()), vector.proof1 + [0]] {
      #expect(proof.verify(other, forms: strict ? .stripped : .either) == nil)
    }
  }

  @Test("Both sides agree for each seed, with and without leading zeros", arguments: 0..<40)
  func bothEnds(_ seed: Int) throws {
    let random = RandomSource.seeded(UInt64(seed))
    let server = SRPServer(
      SRPVerifier(code: "031-45-154", salt: random.bytes(16)), privateKey: random.secret(32))
    let client = SRPClient(code: "031-45-154", privateKey: random.secret(32))
    let mine = try #require(client.agree(salt: server.salt, serverPublicKey: server.publicKey))
    let outcome = try #require(server.agree(with: client.publicKey)?.verify(mine.proof, forms: .stripped))
    #expect(outcome.key == mine.key)
    #expect(mine.check(proof2: outcome.proof2))
  }

  @Test("A table of exponentiations returns correct results, and computes each only once") func powerTable() {
    let numbers = [[], [1], [5], [1, 0], [UInt8](repeating: 255, count: 384)].map(BigNumber.init)
    let plain = PowerTable.$isBypassed.withValue(true) {
      numbers.flatMap { base in numbers.map { SRPGroup.power(base, $0).bytes() } }
    }
    PowerTable.use()
    for _ in 0..<2 {
      #expect(numbers.flatMap { base in numbers.map { SRPGroup.power(base, $0).bytes() } } == plain)
    }
    for base in numbers {
      for exponent in numbers {
        _ = PowerTable.result(.power, of: [base.bytes(), exponent.bytes()]) { () -> [UInt8] in
          Issue.record("the result is missing in the table")
          return []
        }
      }
    }
  }

  @Test("A table of exponentiations returns correct curve results for each combination of inputs")
  func curveTable() throws {
    let seeds = (0..<4).map { SecretBytes([UInt8](repeating: $0, count: 32)) }
    let texts: [[UInt8]] = [[], [1], [1, 2]]
    func all() -> [[UInt8]] {
      let signing = seeds.map { SigningKey(seed: $0) }
      let agreement = seeds.map { AgreementKey(privateKey: $0) }
      let peers = agreement.map(\.publicKey) + [[UInt8](repeating: 0, count: 32), [1]]
      let signatures = signing.flatMap { key in texts.map { key.sign($0) } }
      return signing.map(\.publicKey) + agreement.map(\.publicKey) + signatures
        + agreement.flatMap { key in peers.map { key.sharedSecret(with: $0).map { $0.withBytes { Array($0) } } ?? [] } }
        + signatures.flatMap { signature in
          texts.map { text in signing.map { isValidSignature(signature, of: text, by: $0.publicKey) ? 1 : 0 } }
        }
    }
    let plain = PowerTable.$isBypassed.withValue(true) { all() }
    PowerTable.use()
    #expect(all() == plain)
    #expect(all() == plain)
  }

  @Test("A salt, verifier or private key of a wrong length is a programming error and traps") func traps() async {
    await #expect(processExitsWith: .failure) { _ = SRPVerifier(code: "031-45-154", salt: [1, 2]) }
    await #expect(processExitsWith: .failure) {
      _ = SRPVerifier(salt: [UInt8](repeating: 1, count: 16), verifier: SecretBytes([1]))
    }
    await #expect(processExitsWith: .failure) { _ = SRPClient(code: "031-45-154", privateKey: SecretBytes([])) }
    await #expect(processExitsWith: .failure) {
      let verifier = SRPVerifier(code: "031-45-154", salt: [UInt8](repeating: 1, count: 16))
      _ = SRPServer(verifier, privateKey: SecretBytes([1]))
    }
  }
}
