import Testing

@testable import HAPCrypto

@Suite struct SecretBytesTests {
  @Test("A secret returns its original bytes") func contents() {
    #expect(SecretBytes([1, 2, 3]).withBytes { Array($0) } == [1, 2, 3])
    #expect(SecretBytes(count: 4) { _ in }.withBytes { Array($0) } == [0, 0, 0, 0])
    #expect(SecretBytes([]).count == 0)
    #expect(SecretBytes([]).withBytes { $0.count } == 0)
    #expect(([9, 8] as [UInt8]).withUnsafeBytes { SecretBytes(copying: $0) } == SecretBytes([9, 8]))
  }

  @Test("Secrets with equal bytes are equal") func equality() {
    #expect(SecretBytes([1, 2]) == SecretBytes([1, 2]))
    #expect(SecretBytes([]) == SecretBytes([]))
    #expect(SecretBytes([1, 2]) != SecretBytes([1, 3]))
    #expect(SecretBytes([1, 2]) != SecretBytes([1, 2, 0]))
    #expect(equalInConstantTime([1, 2], [1, 2]))
    #expect(!equalInConstantTime([1, 2], [2, 2]))
    #expect(!equalInConstantTime([1, 2], [1]))
    #expect(equalInConstantTime([], []))
  }

  @Test("A secret's bytes are wiped when it is released") func wiped() {
    // Freed memory can't be inspected. `deinit` only calls `wipe`, so `wipe` is tested.
    let secret = SecretBytes([1, 2, 3])
    secret.wipe()
    #expect(secret.withBytes { Array($0) } == [0, 0, 0])
  }

  @Test("A secret does not print its bytes") func printing() {
    let secret = SecretBytes([77, 78])
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains("77"), "\(text)") }
  }

  @Test("The stream of a secret is the keystream of ChaCha20 with a nonce for each draw") func derived() {
    // With a key and a nonce of zeros: draft-agl-tls-chacha20poly1305-04, section 7.
    let source = RandomSource.derived(from: SecretBytes(count: 32) { _ in })
    #expect(source.bytes(8) == [0x76, 0xB8, 0xE0, 0xAD, 0xA0, 0xF1, 0x3D, 0x90])
    let second = source.bytes(8)
    #expect(second != [0x76, 0xB8, 0xE0, 0xAD, 0xA0, 0xF1, 0x3D, 0x90])
    let again = RandomSource.derived(from: SecretBytes(count: 32) { _ in })
    #expect(again.bytes(8) != second && again.bytes(8) == second)
  }

  @Test("Equal seeds give equal streams, and different seeds different ones") func seeded() {
    let a = RandomSource.seeded(1), b = RandomSource.seeded(1), c = RandomSource.seeded(2)
    let first = a.bytes(40)
    #expect(first == b.bytes(40))
    #expect(first != c.bytes(40))
    #expect(a.bytes(40) == b.bytes(40))
    #expect(b.bytes(40) != first)
    _ = a.bytes(40)
    #expect(a.secret(16) == b.secret(16))
    #expect(a.bytes(0) == [])
  }

  @Test("A custom source fills each draw") func handedIn() {
    let source = RandomSource { $0.initializeMemory(as: UInt8.self, repeating: 7) }
    #expect(source.bytes(3) == [7, 7, 7])
    #expect(source.secret(2) == SecretBytes([7, 7]))
  }

  @Test("A negative length is a programming error and traps") func traps() async {
    await #expect(processExitsWith: .failure) { _ = SecretBytes(count: -1) { _ in } }
    await #expect(processExitsWith: .failure) { _ = RandomSource.seeded(0).bytes(-1) }
  }
}
