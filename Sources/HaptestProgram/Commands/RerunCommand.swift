import HAPCommandLine
import HAPWire

extension Command {
  static let rerun = Command(
    "rerun", "run a case of an evidence folder again, with the same random decisions",
    operands: .some(label: "EVIDENCE [HOST:PORT|NAME]", count: 1...2), options: RunRequest.rerunOptions,
    discussion: [
      "EVIDENCE is the folder of one case, inside the folder of --evidence, or the case.json in it. The keys and the sent bytes are the same as in the run, except where they depend on random values of the accessory.",
      "Name the accessory as for haptest run.",
    ],
    examples: [("haptest rerun evidence/PS-33 192.0.2.7:51826 --code 031-45-154", "repeat a failure")]
  ) { (arguments, console) throws(UsageError) in
    try haptest("rerun", console) {
      let place = arguments.operands[0]
      let path = place.hasSuffix(".json") ? place : "\(place)/case.json"
      let bytes = try readFile(path, limit: 16 << 20)
      let evidence: EvidenceFile
      do throws(JSONProblem) { evidence = try EvidenceFile(bytes) } catch {
        throw Refusal(.usage, "\(path):\(error.place.line):\(error.place.column): \(error.path): \(error.message)")
      }
      if evidence.version != projectVersion {
        console.complain("haptest rerun: the evidence is of haptest \(evidence.version); this is \(projectVersion)")
      }
      let request = try RunRequest(rerunning: evidence, arguments, console)
      return try RunCommand("rerun", request, console).run()
    }
  }
}
