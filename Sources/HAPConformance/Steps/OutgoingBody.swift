import HAPCrypto
import HAPExpectation
import HAPModel
import HAPSuite
import HAPWire

/// The body of an outgoing request.
struct OutgoingBody {
  var type: String?
  /// The bytes of the body; nil: the request has no body.
  var bytes: [UInt8]?
  /// Label for titles: "M3".
  var note = ""

  /// Creates a body from a TLV8 message.
  fileprivate init(_ draft: TLVDraft, _ note: String) {
    type = "application/pairing+tlv8"
    bytes = draft.encoded()
    self.note = note
  }

  fileprivate init(type: String?, bytes: [UInt8]?) {
    self.type = type
    self.bytes = bytes
  }
}

extension CaseRun {
  /// - Parameter procedure: the name of the Pair Setup or Pair Verify of the message.
  func body(_ body: SentRequest.Body, _ procedure: String) async throws -> OutgoingBody {
    switch body {
    case .none: return OutgoingBody(type: nil, bytes: nil)
    case .json(let node): return OutgoingBody(type: "application/hap+json", bytes: JSONWriter.bytes { $0.node(node) })
    case .bytes(let recipe): return OutgoingBody(type: nil, bytes: maker.bytes(recipe))
    case .items(let items, let alterations):
      var draft = TLVDraft(items, maker)
      try draft.alter(alterations, maker)
      return OutgoingBody(draft, Self.state(of: draft))
    case .pairings(let request, let alterations):
      var draft = try pairingsMessage(request)
      try draft.alter(alterations, maker)
      if draft.items.contains(where: { $0.type == TLVType.method && $0.value == [3] }) {
        added += draft.items.filter { $0.type == TLVType.identifier }.map(\.value)
      }
      return OutgoingBody(draft, request.name)
    case .setup(let message, let alterations):
      var draft = try await setupMessage(message, procedure)
      try draft.alter(alterations, maker)
      return OutgoingBody(draft, message.step.rawValue)
    case .verify(let message, let alterations):
      var draft = try verifyMessage(message, procedure)
      try draft.alter(alterations, maker)
      return OutgoingBody(draft, message.step.rawValue)
    }
  }

  /// Returns "M" and the number of the State item, such as "M3", if this item has one byte.
  private static func state(of draft: TLVDraft) -> String {
    draft.items.first { $0.type == TLVType.state && $0.value.count == 1 }.map { "M\($0.value[0])" } ?? ""
  }

  private func pairingsMessage(_ request: PairingsRequest) throws(StepProblem) -> TLVDraft {
    var draft = TLVDraft([.init(type: TLVType.state, value: [1])])
    func add(_ type: UInt8, _ value: [UInt8]) { draft.items.append(.init(type: type, value: value)) }
    switch request {
    case .list: add(TLVType.method, [5])
    case .remove(let name):
      add(TLVType.method, [4])
      add(TLVType.identifier, try controller(name).credentials.identifier)
    case .add(let name, let permissions):
      let controller = try controller(name)
      add(TLVType.method, [3])
      add(TLVType.identifier, controller.credentials.identifier)
      add(TLVType.publicKey, controller.credentials.key.publicKey)
      add(TLVType.permissions, [permissions])
    }
    return draft
  }

  // MARK: Pair Setup

  private func setupMessage(_ message: SetupMessage, _ procedure: String) async throws -> TLVDraft {
    switch message {
    case .start(let method, let flags):
      setups[procedure] = SetupProcedure()
      return SetupProcedure.start(method: method, flags: flags.map { maker.bytes($0) })
    case .proof(let edits): return try await proofMessage(edits, procedure)
    case .exchange(let edits): return try exchangeMessage(edits, procedure)
    }
  }

  private func begunSetup(_ procedure: String) throws(StepProblem) -> SetupProcedure {
    guard let setup = setups[procedure] else { throw StepProblem("no M2 of \"\(procedure)\" was expected yet") }
    return setup
  }

  private func proofMessage(_ edits: ProofEdits, _ procedure: String) async throws -> TLVDraft {
    let begun = try begunSetup(procedure)
    let choices = srpChoices(edits)
    guard let code = device.code else { throw CaseSkip(reason: "the setup code is not known") }
    let entered =
      switch edits.code {
      case .right: code
      case .wrong: device.wrongCode
      case .text(let text): text
      }
    let random = random
    let result = await loop.offload { () -> Result<(SetupProcedure, TLVDraft), ProcedureError> in
      var setup = begun
      return Result { () throws(ProcedureError) in
        let draft = try setup.proof(code: entered, choices, random: random)
        return (setup, draft)
      }
    }
    switch result {
    case .success(let (made, draft)):
      setups[procedure] = made
      return draft
    case .failure(let error): throw StepProblem(error.message)
    }
  }

  private func srpChoices(_ edits: ProofEdits) -> SRPChoices {
    var choices = SRPChoices()
    switch edits.publicKey {
    case .zero?: choices.publicKey = [UInt8](repeating: 0, count: 384)
    case .n?: choices.publicKey = SRPChoices.prime
    case .twoN?: choices.publicKey = SRPChoices.twicePrime
    case .short?: choices.isShort = true
    case .bytes(let recipe)?: choices.publicKey = maker.bytes(recipe)
    case nil: break
    }
    choices.secret = edits.secret.map { maker.bytes($0) }
    choices.isPadded = edits.isPadded
    choices.wantsZeroSecret = edits.wantsZeroSecret
    choices.wantsZeroKey = edits.wantsZeroKey
    choices.stripsServerKey = edits.stripsServerKey
    return choices
  }

  private func exchangeMessage(_ edits: SealedEdits, _ procedure: String) throws -> TLVDraft {
    let setup = try begunSetup(procedure)
    let controller = try identity(edits)
    exchanged.append(controller)
    do {
      var inner = try setup.exchange(controller, signedBy: try signer(edits))
      try inner.alter(edits.inner, maker)
      return try setup.sealedExchange(
        inner.encoded(), nonce: edits.nonce ?? "PS-Msg05", wrongKey: edits.hasWrongKey ? random.secret(32) : nil)
    } catch let error as ProcedureError { throw StepProblem(error.message) }
  }

  // MARK: Pair Verify

  private func verifyMessage(_ message: VerifyMessage, _ procedure: String) throws -> TLVDraft {
    switch message {
    case .start(let key):
      var verify = VerifyProcedure()
      let draft = verify.start(random: random, publicKey: key.map { maker.bytes($0) })
      verifies[procedure] = verify
      return draft
    case .finish(let edits, let ephemeral):
      let verify = verifies[procedure] ?? VerifyProcedure()
      var inner = try signedItems(edits, ephemeral, verify)
      try inner.alter(edits.inner, maker)
      return verify.sealedFinish(
        inner.encoded(), nonce: edits.nonce ?? "PV-Msg03", wrongKey: edits.hasWrongKey ? random.secret(32) : nil,
        random: random)
    }
  }

  private func signedItems(
    _ edits: SealedEdits, _ ephemeral: VerifyMessage.Ephemeral, _ verify: VerifyProcedure
  ) throws -> TLVDraft {
    var other: VerifyProcedure?
    if case .of(let name) = ephemeral {
      other = verifies[name]
      if other == nil { throw StepProblem("there is no procedure \"\(name)\"") }
    }
    guard verify.ephemeral != nil else {
      // M3 without M1: valid form, but a random signature.
      return TLVDraft([
        .init(type: TLVType.identifier, value: try identity(edits).credentials.identifier),
        .init(type: TLVType.signature, value: random.bytes(64)),
      ])
    }
    do {
      return try verify.finish(
        try identity(edits), signedBy: try signer(edits), over: other, isSwapped: ephemeral == .swapped)
    } catch let error as ProcedureError { throw StepProblem(error.message) }
  }

  // MARK: Identities

  /// Returns the controller of a procedure, with the step's identifier if given.
  private func identity(_ edits: SealedEdits) throws(StepProblem) -> TestController {
    let controller = try controller(edits.controller)
    guard let identifier = edits.identifier else { return controller }
    return TestController(
      name: controller.name, identifier: maker.bytes(identifier), key: controller.credentials.key)
  }

  private func signer(_ edits: SealedEdits) throws(StepProblem) -> SigningKey? {
    guard let name = edits.signer else { return nil }
    return try controller(name).credentials.key
  }
}
