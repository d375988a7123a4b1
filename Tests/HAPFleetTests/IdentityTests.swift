import HAPCrypto
import HAPFleet
import HAPModel
import Testing

@Suite struct CopiesHaveIdentities {
  @Test("Equal text, group and number give an equal identity") func same() {
    #expect(CopyIdentity("text", group: "lamps", number: 3) == CopyIdentity("text", group: "lamps", number: 3))
  }

  /// Computed with Python's `hmac` and `hashlib` from RFC 5869: salt "hapsim fleet 1", info "WHAT\nNUMBER\nGROUP".
  @Test("Identities never change between versions: existing fleets are paired by them")
  func vectors() throws {
    let one = CopyIdentity("an identity", group: "lamps", number: 1)
    #expect(one.deviceID.text == "18:31:57:6D:C8:11")
    #expect(hex(one.keySeed) == "d138f025e77dddcfb2b64bea7e923e18a8cc88d838055d4f445a26520797dac2")
    #expect(hex(one.frontEndSecret) == "f55d7fdecf715dff7c4665c2ae51729a6ea1afd2c84bc78fbeec51688772ce7b")
    #expect(one.setupCode.text == "108-18-722" && one.setupID == SetupID(number: 770_931))
    #expect(hex(SecretBytes(one.salt)) == "416a6bfb575d4a20d1bc267fc53f699a")
    let two = CopyIdentity("an identity", group: "lamps", number: 2)
    #expect(two.deviceID.text == "9E:07:76:DF:E3:CC" && two.setupCode.text == "632-35-782")
    #expect(hex(two.keySeed) == "a746e7678b1b12090b24e9bd84d35d7043298cb93da1a5f6ae78d1becdc6bfdb")
    #expect(two.setupID == SetupID(number: 900_616))
    #expect(hex(SecretBytes(two.salt)) == "12cf509f5b91bb02edd012de33eb1bcf")
  }

  private func hex(_ secret: SecretBytes) -> String {
    secret.withBytes { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
  }

  @Test("Another text, group or number changes each part of the identity") func others() {
    let one = CopyIdentity("text", group: "lamps", number: 3)
    for other in [
      CopyIdentity("text ", group: "lamps", number: 3), CopyIdentity("text", group: "lamp", number: 3),
      CopyIdentity("text", group: "lamps", number: 4), CopyIdentity("text", group: "lamps", number: 33),
    ] {
      #expect(other.deviceID != one.deviceID && other.keySeed != one.keySeed && other.salt != one.salt)
      #expect(other.frontEndSecret != one.frontEndSecret)
      #expect(other.setupCode != one.setupCode && other.setupID != one.setupID)
    }
  }

  @Test("[PS.72] No copy has a salt that starts with a zero byte, and copies have different salts") func salts() {
    // One in 256 copies would have such a salt.
    let salts = (1...2000).map { CopyIdentity("a fleet", group: "lamps", number: $0).salt }
    #expect(salts.allSatisfy { $0[0] != 0 } && Set(salts).count == 2000)
  }

  @Test("Ten thousand copies have ten thousand device IDs, and valid setup codes") func many() {
    let copies = (1...10_000).map { CopyIdentity("a fleet", group: "lamps", number: $0) }
    #expect(Set(copies.map(\.deviceID)).count == 10_000)
    #expect(copies.allSatisfy { (try? SetupCode($0.setupCode.text)) == $0.setupCode })
  }
}

@Suite struct ShardsDivideAFleet {
  @Test("Each copy is in one shard", arguments: [1, 2, 3, 7]) func partition(_ count: Int) throws {
    let shards = try (0..<count).map { try #require(Shard("\($0)/\(count)")) }
    for place in 0..<100 { #expect(shards.filter { $0.has(place) }.count == 1) }
    let sizes = shards.map { shard in (0..<100).filter { shard.has($0) }.count }
    #expect(sizes.max()! - sizes.min()! <= 1)
  }

  @Test(
    "In a shard I/N, I is less than N",
    arguments: [
      "1/1", "4/4", "-1/4", "0/0", "0", "0/", "/2", "0/2/3", "0/10001", "a/2",
      "+0/2",
    ])
  func wrong(_ text: String) { #expect(Shard(text) == nil) }
}
