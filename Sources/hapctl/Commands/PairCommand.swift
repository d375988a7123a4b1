import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPModel
import HAPProtocol
import HAPStore
import HAPTransport
import HAPWire

extension Command {
  private static let code = Option<String>("code", "XXX-XX-XXX", "the setup code, as the label has it")
  private static let codeFile = Option<String>(
    "code-file", "FILE", "a file with the setup code in its first line; - is standard input")
  private static let alias = Option<String>("alias", "NAME", "what to call the accessory; else its own name")

  /// `hapctl pair`
  static let pair = Command(
    "pair", "pair with an accessory, and keep the pairing",
    operands: .some(label: "TARGET", count: 1...1),
    options: [code.definition, codeFile.definition, alias.definition] + CommonOptions.all,
    discussion: [
      "TARGET is HOST:PORT, or the name or device ID that 'hapctl discover' shows.",
      "The pairing is kept when the accessory has confirmed it, and not before. Each has keys of its own.",
      "A code on the command line can be seen by others on this machine; --code-file keeps it from them.",
    ],
    examples: [
      ("hapctl pair \"Hall Lamp\" --code 031-45-154", "pairs with what is found under that name"),
      ("hapctl pair 192.0.2.7:51826 --code 031-45-154 --alias garage", "pairs, and calls it garage from now on"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("pair", to: try Target(arguments.operands[0]), arguments, console)
    let alias = try arguments.value(alias)
    if let alias, alias.contains("/") { throw UsageError("--alias \(shown(alias)): it can't have a slash") }
    let setupCode: SetupCode
    switch (try arguments.value(code), try arguments.value(codeFile)) {
    case (_?, _?): throw UsageError("--code and --code-file exclude each other")
    case (nil, nil): throw UsageError("--code is missing, or --code-file")
    case (let text?, nil):
      do { setupCode = try SetupCode(text) } catch { throw UsageError("--code \(shown(text)): \(error)") }
    case (nil, let path?):
      let text: String
      do throws(FileError) { text = try firstLine(ofFile: path) } catch {
        console.complain("hapctl pair: --code-file: \(error)")
        return .cannotRun
      }
      // What stands there isn't shown: it may be some other secret.
      do { setupCode = try SetupCode(text) } catch {
        throw UsageError("--code-file \(shown(path)): its first line isn't a code: \(error)")
      }
    }
    return visit.run { loop in
      let store = try visit.store()
      let known = try store.pairings()
      if let alias, known.contains(where: { $0.alias == alias }) {
        throw Failure(.usage, "there is a pairing \(shown(alias)) already; choose another --alias")
      }
      let me = ControllerCredentials(identifier: newIdentifier(), key: SigningKey(seed: RandomSource.system.secret(32)))
      let addresses: [String]
      switch visit.target {
      case .address(let address): addresses = ["\(address)"]
      case .name(let name): addresses = try await visit.find(name, knowing: known, on: loop).addresses
      }
      let client = try await OpenAccessory.connect(addresses, on: loop, timeout: visit.timeout)
      let accessory: PairedAccessory
      do {
        guard let paired = try await client.pairSetup(code: setupCode.text, identity: me) else {
          preconditionFailure("only a transient Pair Setup ends without an accessory")
        }
        accessory = paired
      } catch ClientError.pairing(let failure) {
        visit.note(await client.remarks)
        throw Failure(pairSetup: failure)
      }
      visit.note(await client.remarks)
      // Kept at once: whatever goes wrong now, the accessory is paired.
      var pairing = ControllerPairing(
        alias: alias ?? String(decoding: accessory.identifier, as: UTF8.self), accessoryID: accessory.identifier,
        accessoryKey: accessory.publicKey, controllerID: me.identifier, controllerKey: me.key, addresses: addresses
      )
      do { try store.keep(pairing) } catch {
        // Nobody would have the keys: the accessory would be paired with nobody until its factory reset.
        try? await client.pairVerify(me, with: accessory)
        _ = try? await client.request(.pairings(.removing(pairing)))
        throw error
      }
      await client.close()
      if alias == nil, let name = try? await ownName(of: pairing, on: loop, timeout: visit.timeout) {
        let provisional = pairing.alias
        pairing.alias = freeAlias(name, among: known.map(\.alias))
        try store.keep(pairing)
        try store.remove(alias: provisional)
      }
      console.print("Paired with \(pairing.accessoryName), called \(shown(pairing.alias)).")
      return .well
    }
  }
}

/// What the accessory calls itself, in the form of an alias.
private func ownName(of pairing: ControllerPairing, on loop: EventLoop, timeout: Duration) async throws -> String? {
  let accessory = try await OpenAccessory.open(pairing, on: loop, timeout: timeout)
  let database = try await accessory.mirror().database
  await accessory.client.close()
  let name = database.characteristics.first { $0.type == CharacteristicDefinition.name.type }?.value.stringValue
  let alias = slug(name ?? "").filter { $0 != "/" && $0 != ":" }
  return alias.isEmpty ? nil : alias
}

/// "garage", "garage-2" …
func freeAlias(_ name: String, among taken: [String]) -> String {
  if !taken.contains(name) { return name }
  for number in 2... where !taken.contains("\(name)-\(number)") { return "\(name)-\(number)" }
  preconditionFailure("a range without end has ended")
}

/// A random UUID in capitals, by which the accessory will know this controller.
private func newIdentifier() -> [UInt8] {
  var bytes = RandomSource.system.bytes(16)
  bytes[6] = bytes[6] & 0x0F | 0x40
  bytes[8] = bytes[8] & 0x3F | 0x80
  let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  var rest = digits[...]
  let groups = [8, 4, 4, 4, 12].map { count in
    defer { rest = rest.dropFirst(count) }
    return String(rest.prefix(count))
  }
  return Array(groups.joined(separator: "-").utf8)
}
