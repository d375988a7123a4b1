import HAPCommandLine
import HAPController
import HAPLoop
import HAPModel
import HAPWire

extension Command {
  private static let code = Option<String>(
    "code", "CODE", "the setup code (031-45-154 or 03145154), or the setup payload (X-HM://…)")
  private static let codeFile = Option<String>(
    "code-file", "FILE", "a file with the code or payload in the first line; - is standard input")
  private static let alias = Option<String>("alias", "NAME", "the alias of the accessory (default: its name)")

  /// `hapctl pair`
  static let pair = Command(
    "pair", "pair with an accessory and save the pairing",
    operands: .some(label: "[TARGET]", count: 0...1),
    options: [code.definition, codeFile.definition, alias.definition, CommonOptions.json.definition]
      + CommonOptions.all,
    discussion: [
      "TARGET is HOST:PORT, or the name or device ID that 'hapctl discover' shows. Omit it if the code is a setup payload with a setup ID: the "
        + "accessory is found by that ID. The payload may also be given as TARGET.",
      "The pairing is saved only after the accessory has confirmed it. Each pairing has separate keys.",
      "Other users of this machine can see a code on the command line; --code-file hides it from them.",
    ],
    examples: [
      ("hapctl pair \"Hall Lamp\" --code 031-45-154", "pairs with the accessory of that name"),
      (
        "hapctl pair 192.0.2.7:51826 --code 031-45-154 --alias garage",
        "pairs, and saves the pairing under the alias garage"
      ),
      ("hapctl pair X-HM://0023ISYWY1QJ8", "pairs with the accessory that has this QR code"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let alias = try arguments.value(alias)
    if let alias, alias.contains("/") { throw UsageError("--alias \(shown(alias)): an alias can't contain a slash") }
    let secret: SetupSecret
    var target = arguments.operands.first
    if let operand = target, SetupPayload.isMeant(by: operand) {
      guard !arguments.has(code), !arguments.has(codeFile) else {
        throw UsageError("the payload contains the code: omit --code and --code-file")
      }
      do { secret = try SetupSecret(commandLine: operand) } catch { throw UsageError("\(shown(operand)): \(error)") }
      target = nil
    } else {
      secret = try givenSecret(arguments)
    }
    let visit = try Visit("pair", to: try secret.target(named: target), arguments, console)
    let isJSON = arguments[CommonOptions.json]
    return visit.run { loop in
      let pairing = try await PairingProcedure(
        pairFinder(visit, on: loop), with: visit.target, secret, alias: alias
      ).run()
      visit.console.print(
        isJSON
          ? JSONWriter.text { json in json.object { pairing.writeFacts(to: &$0) } }
          : "Paired with \(pairing.accessoryName), called \(shown(pairing.alias)).")
      return .well
    }
  }

  /// The code or payload from --code or --code-file.
  private static func givenSecret(_ arguments: Arguments) throws(UsageError) -> SetupSecret {
    switch (try arguments.value(code), try arguments.value(codeFile)) {
    case (_?, _?): throw UsageError("--code and --code-file exclude each other")
    case (nil, nil): throw UsageError("--code or --code-file is missing")
    case (let text?, nil):
      do { return try SetupSecret(commandLine: text) } catch { throw UsageError("--code \(shown(text)): \(error)") }
    case (nil, let path?):
      let text: String
      do throws(FileError) { text = try firstLine(ofFile: path) } catch {
        throw UsageError(FileError(message: "--code-file: \(error)"))
      }
      // The line isn't shown, because it may be another secret.
      do { return try SetupSecret(commandLine: text) } catch {
        throw UsageError("--code-file \(shown(path)): the first line isn't a code: \(error)")
      }
    }
  }
}

/// Returns a finder that also reports a category that differs.
private func pairFinder(_ visit: Visit, on loop: EventLoop) -> AccessoryFinder {
  let finder = visit.finder(on: loop)
  let console = visit.console
  return AccessoryFinder(
    on: loop, storage: finder.storage, timeout: finder.timeout, interfaces: finder.interfaces
  ) {
    guard case .categoryDiffers(let payload, let number) = $0 else { return finder.progress($0) }
    let (said, advertised) = (category(payload), category(number))
    console.complain("hapctl pair: the payload has \(said), but the accessory advertises \(advertised)")
  }
}

private func category(_ number: UInt8) -> String {
  Catalogue.category(number: number).map { "category \($0.name)" } ?? "category \(number)"
}
