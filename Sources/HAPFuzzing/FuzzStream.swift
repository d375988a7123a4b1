import HAPCrypto
import HAPExpectation
import HAPIP
import HAPModel
import HAPWire

/// The endless stream of messages of a fuzzing run. The same area, seed and facts give the same stream.
///
/// Sealed, signed and proof bytes differ between runs, because they depend on the keys of both sides; see `FuzzMark`.
package struct FuzzStream: Sendable {
  static let roundSize = 8
  /// The number of attempts for a mutation, because some have no result.
  private static let attempts = 8

  let area: FuzzArea
  let facts: FuzzFacts
  private var chance: FuzzChance
  private var proofsLeft: Int
  private let bodies: BodyMaker
  private let mutator: ByteMutator

  package init(_ area: FuzzArea, seed: UInt64, facts: FuzzFacts) {
    self.area = area
    self.facts = facts
    chance = FuzzChance(seed: seed, label: "\(area.rawValue) \(facts.state.rawValue)")
    proofsLeft = facts.proofLimit
    bodies = BodyMaker(facts: facts)
    switch area {
    case .tlv: mutator = ByteMutator()
    case .json: mutator = ByteMutator(words: BodyMaker.words)
    case .http, .frame:
      mutator = ByteMutator(words: [
        "Content-Length: ", "Transfer-Encoding: chunked", "HTTP/1.1", "EVENT/1.0", "GET ", "PUT ",
        "/characteristics?id=",
      ])
    }
  }

  /// Returns the messages between two checks of the accessory.
  package mutating func round() -> [FuzzMessage] {
    var messages: [FuzzMessage] = []
    for _ in 0..<Self.roundSize {
      var message = message()
      message.connection = chance.below(2)
      if chance.oneIn(25) { message.ending = chance.pick(FuzzMessage.Ending.allCases) }
      messages.append(message)
    }
    return messages
  }

  private mutating func message() -> FuzzMessage {
    for _ in 0..<Self.attempts {
      let message: FuzzMessage
      switch area {
      case .tlv: message = tlvMessage()
      case .http: message = httpMessage()
      case .json: message = jsonMessage()
      case .frame: message = frameMessage()
      }
      if facts.isHarmless(message.wire) { return message }
    }
    return FuzzMessage(
      facts.state == .paired ? .sealed : .plain, [], request: "GET /accessories", note: "unchanged")
  }

  // MARK: TLV8

  private struct Skeleton {
    var note: String
    var way = FuzzMessage.Way.plain
    var request: String
    var items: [TLVDraft.Item]
  }

  private mutating func tlvMessage() -> FuzzMessage {
    let skeletons = skeletons()
    let skeleton = chance.pick(skeletons)
    if skeleton.way == .proof { proofsLeft -= 1 }
    let draft = chance.oneIn(12) ? TLVDraft(skeleton.items) : TLVMutator.mutated(skeleton.items, &chance)
    var bytes = Array(draft.encoded().prefix(ByteMutator.limit))
    if chance.oneIn(3) {
      let others = skeletons.filter { $0.request == skeleton.request }
      bytes = mutator.mutated(bytes, with: TLVDraft(chance.pick(others).items).encoded(), &chance)
    }
    // A message that a careless accessory could accept as a pairing with a controller with an unknown key.
    if skeleton.way == .exchange, !bytes.contains(facts.publicKey) { return tlvMessage() }
    return FuzzMessage(skeleton.way, bytes, request: skeleton.request, note: skeleton.note)
  }

  private mutating func skeletons() -> [Skeleton] {
    typealias Item = TLVDraft.Item
    func state(_ number: UInt8) -> Item { Item(type: TLVType.state, value: [number]) }
    let method = { (number: UInt8) in Item(type: TLVType.method, value: [number]) }
    let sealed = Item(type: TLVType.encryptedData, value: chance.bytes(120))
    let key = Item(type: TLVType.publicKey, value: chance.bytes(32))
    let setup = "POST /pair-setup"
    let verify = "POST /pair-verify"
    var list = [
      Skeleton(note: "Pair Setup M1", request: setup, items: [state(1), method(chance.pick([0, 0, 1, 2, 6]))]),
      Skeleton(
        note: "Pair Setup M1 with flags", request: setup,
        items: [state(1), method(0), Item(type: TLVType.flags, value: [0x10, 0, 0, 1])]),
      Skeleton(note: "Pair Setup M5 without M3", request: setup, items: [state(5), sealed]),
      Skeleton(note: "Pair Verify M1", request: verify, items: [state(1), key]),
      Skeleton(note: "Pair Verify M3 without M1", request: verify, items: [state(3), sealed]),
    ]
    if facts.state == .unpaired {
      if proofsLeft > 0 {
        list.append(
          Skeleton(
            note: "Pair Setup M3", way: .proof, request: setup,
            items: [
              state(3), Item(type: TLVType.publicKey, value: FuzzMark.publicKey),
              Item(type: TLVType.proof, value: FuzzMark.proof),
            ]))
      }
      if facts.hasCode {
        let exchange = Skeleton(
          note: "sealed part of M5 of Pair Setup", way: .exchange, request: setup,
          items: [
            Item(type: TLVType.identifier, value: facts.identifier),
            Item(type: TLVType.publicKey, value: facts.publicKey),
            Item(type: TLVType.signature, value: FuzzMark.signature),
          ])
        list += [exchange, exchange]
      }
    }
    if facts.state == .paired {
      let finish = Skeleton(
        note: "sealed part of M3 of Pair Verify", way: .finish, request: verify,
        items: [
          Item(type: TLVType.identifier, value: facts.identifier),
          Item(type: TLVType.signature, value: FuzzMark.signature),
        ])
      list += [finish, finish, finish]
      let guest = Item(
        type: TLVType.identifier, value: Array("HAPTEST0-0000-4000-8000-00000000000\(chance.below(4))".utf8))
      for (name, items) in [
        ("list pairings", [state(1), method(5)]),
        ("add pairing", [state(1), method(3), guest, key, Item(type: TLVType.permissions, value: [0])]),
        ("remove pairing", [state(1), method(4), guest]),
      ] {
        list.append(Skeleton(note: name, way: .sealed, request: "POST /pairings", items: items))
      }
    }
    return list
  }

  // MARK: HTTP

  private mutating func httpMessage() -> FuzzMessage {
    let isSealed = facts.state == .paired && chance.oneIn(2)
    var bytes: [UInt8] = []
    let count = chance.oneIn(5) ? 2 + chance.below(4) : 1
    for _ in 0..<count where bytes.count < ByteMutator.limit {
      var draft = request()
      if !chance.oneIn(8) { for _ in 0...chance.below(2) { draft.mutate(&chance) } }
      bytes += draft.encoded()
    }
    if chance.oneIn(4) { bytes = mutator.mutated(bytes, with: request().encoded(), &chance) }
    var message = FuzzMessage(isSealed ? .sealed : .plain, Array(bytes.prefix(ByteMutator.limit)), note: "HTTP")
    if chance.oneIn(4) { message.sizes = pieces(of: message.bytes.count, least: 1) }
    return message
  }

  /// Returns a correct request.
  private mutating func request() -> HTTPDraft {
    let json = "application/hap+json"
    switch chance.below(9) {
    case 0: return HTTPDraft("GET", "/accessories")
    case 1, 2: return HTTPDraft("GET", facts.readable.isEmpty ? "/characteristics?id=1.2" : bodies.query(&chance))
    case 3, 4: return HTTPDraft("PUT", "/characteristics", type: json, body: plainWrite())
    case 5:
      return HTTPDraft("PUT", "/prepare", type: json, body: Array("{\"ttl\":1000,\"pid\":\(chance.below(99))}".utf8))
    case 6:
      let body = TLVDraft([
        .init(type: TLVType.state, value: [1]), .init(type: TLVType.publicKey, value: chance.bytes(32)),
      ])
      return HTTPDraft("POST", "/pair-verify", type: "application/pairing+tlv8", body: body.encoded())
    case 7:
      return HTTPDraft(
        "POST", "/resource", type: json,
        body: Array("{\"resource-type\":\"image\",\"image-width\":320,\"image-height\":240}".utf8))
    default: return HTTPDraft("GET", "/")
    }
  }

  private mutating func plainWrite() -> [UInt8] {
    guard !facts.targets.isEmpty else { return Array("{\"characteristics\":[]}".utf8) }
    let target = chance.pick(facts.targets)
    return ControllerRequest.write([.init(target.id, value: chance.pick(target.values))]).body ?? []
  }

  // MARK: JSON

  private mutating func jsonMessage() -> FuzzMessage {
    let (request, body) = bodies.body(&chance)
    var bytes = Array(body.prefix(ByteMutator.limit))
    if !body.isEmpty, chance.oneIn(2) { bytes = mutator.mutated(bytes, with: bodies.body(&chance).bytes, &chance) }
    return FuzzMessage(.sealed, bytes, request: request)
  }

  // MARK: Frames

  private mutating func frameMessage() -> FuzzMessage {
    if chance.oneIn(6) {
      let garbage = [
        [0xFF, 0xFF], [0, 0], [0, 0] + [UInt8](repeating: 0, count: 16),
        Array("GET /accessories HTTP/1.1\r\n\r\n".utf8),
        chance.bytes(1 + chance.size(below: 2000)), [0x00, 0x04] + chance.bytes(1042), [1],
      ]
      return FuzzMessage(.around, chance.pick(garbage), note: "garbage between frames")
    }
    let draft = request()
    var message = FuzzMessage(.sealed, draft.encoded(), note: "\(draft.method) \(draft.target.prefix(40))")
    message.sizes = pieces(of: message.bytes.count, least: 0)
    switch chance.below(8) {
    case 0: message.fault.counterOffset = chance.pick([-1, 1, 2, 255, 65_536, Int(Int32.max), Int.max, Int.min])
    case 1: message.fault.flip = chance.pick([.ciphertext, .tag, .length])
    case 2:
      message.fault.length = chance.pick([0, 1, 2, 15, 16, 1023, 1024, 1025, 2048, 32_767, 32_768, 65_534, 65_535])
      message.fault.fills = chance.oneIn(2)
    case 3: message.cut = 1 + chance.below(20)
    case 4:
      // Frames above the size limit, sealed correctly.
      message.bytes = padded(draft, to: chance.pick([1025, 2000, 4096, 8000]))
      message.sizes = [chance.pick([1025, 1040, 2000, 4096, 7000])]
    case 5: message.bytes += Array(repeatElement(request().encoded(), count: 1 + chance.below(4)).joined())
    default: break
    }
    if message.cut > 0, message.ending == nil, chance.oneIn(2) { message.ending = .fin }
    return message
  }

  private func padded(_ draft: HTTPDraft, to count: Int) -> [UInt8] {
    var draft = draft
    draft.fields.append("X-Pad: " + String(repeating: "p", count: count))
    return draft.encoded()
  }

  /// Returns the sizes of the first pieces.
  private mutating func pieces(of count: Int, least: Int) -> [Int] {
    switch chance.below(5) {
    case 0: return [Int](repeating: 1, count: min(count, 200))
    case 1: return [max(least, 0), 1, max(count - 2, 1)]
    case 2: return (0..<chance.below(10)).map { _ in max(least, chance.below(64)) }
    case 3: return (0..<chance.below(6)).map { _ in max(least, chance.below(1025)) }
    default: return []
    }
  }
}

extension [UInt8] {
  /// Whether the array contains the bytes contiguously, not split into fragments.
  fileprivate func contains(_ other: [UInt8]) -> Bool {
    guard !other.isEmpty, count >= other.count else { return other.isEmpty }
    return (0...(count - other.count)).contains { self[$0..<($0 + other.count)].elementsEqual(other) }
  }
}
