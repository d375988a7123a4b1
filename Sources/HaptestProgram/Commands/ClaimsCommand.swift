import HAPCommandLine
import HAPConformance
import HAPExpectation
import HAPTransport
import HAPWire

extension Command {
  private static let output = Option(
    "output", letter: "o", "FILE", "write the claims to FILE (default: standard output)")
  private static let force = Flag("force", "replace a file that exists")

  static let claims = Command(
    "claims", "write a claims file with the facts that an accessory shows: haptest claims init TARGET",
    operands: .some(label: "init TARGET", count: 2...2),
    options: [
      output.definition, force.definition, RunRequest.code.definition, RunRequest.codeFile.definition,
      RunRequest.interface.definition, RunRequest.txt.definition,
    ],
    discussion: [
      "Claims that cannot be observed are \"unknown\": replace them by true, false, a number or a text. With haptest run --claims, a case that needs an unknown claim is an ERROR, and a case whose claim is false is skipped.",
      "With the setup code, the database is read, too. The accessory must be unpaired, and is unpaired again afterwards.",
    ],
    examples: [
      (
        "haptest claims init 192.0.2.7:51826 --code 031-45-154 -o claims.json",
        "write the claims; complete them, then pass them to haptest run --claims"
      )
    ]
  ) { (arguments, console) throws(UsageError) in
    try haptest("claims", console) {
      guard arguments.operands[0] == "init" else {
        throw UsageError("\(shown(arguments.operands[0])) is not known; there is: claims init TARGET")
      }
      let target = try TargetText.read(arguments.operands[1])
      if let path = try arguments.value(output) { try checkOutputFile(path, overwriting: arguments[force]) }
      let visit = ClaimsVisit(
        target: target, code: try RunRequest.setupCode(arguments), interfaces: try arguments.all(RunRequest.interface),
        txt: try arguments.all(RunRequest.txt).map { ($0.key, $0.value) })
      let claims: Claims
      do {
        claims = try onLoop(console) { try await visit.draw(on: $0, random: $0.random) }
      } catch let failure as ConformanceSession.Failure { throw Refusal(.cannotRun, failure.message) }
      guard let path = try arguments.value(output) else {
        console.show(claims.fileText)
        return .well
      }
      try writeFile(path, Array(claims.fileText.utf8), overwriting: arguments[force])
      return .well
    }
  }
}
