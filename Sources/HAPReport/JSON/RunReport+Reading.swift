import HAPWire

extension RunReport {
  /// Reads a report of `JSONReport`. Unknown members are ignored, because a later version may add some.
  package init(json node: JSONNode) throws(JSONProblem) {
    self.init()
    let format = try node.required("format")
    guard format.integerValue == Int128(JSONReport.format) else {
      throw format.problem("this is not a report of format \(JSONReport.format)")
    }
    if let run = node["run"] { take(.began(try RunHeader(json: run))) }
    var plan: [PlannedCase] = []
    var outcomes: [Int: CaseOutcome] = [:]
    var ids: Set<String> = []
    for row in try node.list("cases") {
      let description = try CaseDescription(json: row)
      guard ids.insert(description.id).inserted else {
        throw row.problem("the case \"\(description.id)\" is listed twice")
      }
      if try row.bool("planned", default: true) {
        plan.append(PlannedCase(description, skipReason: try row.optionalString("skipReason")))
      }
      if let end = row["outcome"] {
        let order = try end.count("order")
        guard outcomes.updateValue(try CaseOutcome(description, json: end), forKey: order) == nil else {
          throw end.problem("two cases have the order \(order)")
        }
      }
    }
    take(.planned(plan))
    for (_, outcome) in outcomes.sorted(by: { $0.key < $1.key }) { take(.caseEnded(outcome)) }
    for id in try node.texts("running") { take(.caseBegan(id: id)) }
    for note in try node.texts("notes") { take(.note(note)) }
    if let lost = node["lost"] {
      let bytes = try lost.required("bytes")
      guard let decoded = Hexadecimal.bytes(try bytes.asString()) else {
        throw bytes.problem("bytes in hexadecimal are expected")
      }
      take(.lost(reason: try lost.string("reason"), lastSent: try lost.string("lastSent"), bytes: decoded))
    }
    if try node.bool("interrupted", default: false) { take(.interrupted) }
    if let summary = node["summary"] { take(.ended(try RunSummary(json: summary))) }
  }
}

extension RunSummary {
  fileprivate init(json node: JSONNode) throws(JSONProblem) {
    var counts: [Verdict: Int] = [:]
    for member in try node.required("counts").asObject() {
      guard let verdict = Verdict(rawValue: member.name) else {
        throw member.value.problem("unknown verdict \"\(member.name)\"")
      }
      counts[verdict] = Int(try member.value.asInteger(in: 0...Int128(Int32.max)))
    }
    self.init(duration: try node.seconds("duration"), counts: counts, leftovers: try node.texts("leftovers"))
  }
}

extension RunHeader {
  fileprivate init(json node: JSONNode) throws(JSONProblem) {
    self.init(
      version: try node.string("version"), target: try node.string("target"),
      facts: try node.list("facts") { (node) throws(JSONProblem) in
        (name: try node.string("name"), value: try node.string("value"))
      },
      seed: try node.wideCount("seed"), time: try node.optionalString("time") ?? "",
      arguments: try node.texts("arguments"),
      program: node["program"] == nil ? .haptest : try node.word("program"),
      isPartial: try node.bool("partial", default: false))
  }
}

extension CaseDescription {
  fileprivate init(json node: JSONNode) throws(JSONProblem) {
    self.init(
      id: try node.string("id"), name: try node.string("name"), area: try node.string("area"),
      level: try node.word("level"), requirement: try node.string("requirement"), section: try node.string("section"),
      cause: try node.optionalString("cause"), fix: try node.optionalString("fix"),
      impact: try node.optionalString("impact"),
      stacks: try node.list("stacks") { (node) throws(JSONProblem) in
        Stack(
          name: try node.string("name"), behaviour: try node.string("behaviour"),
          source: try node.optionalString("source"))
      },
      aliases: try node.texts("aliases"))
  }
}

extension CaseOutcome {
  fileprivate init(_ description: CaseDescription, json node: JSONNode) throws(JSONProblem) {
    self.init(
      description, try node.word("verdict"), message: try node.optionalString("message") ?? "",
      sent: try node.optionalString("sent"), accepted: try node.texts("accepted"),
      got: try node.optionalString("got"), deviations: try node.texts("deviations"), notes: try node.texts("notes"),
      variants: try node.list("variants") { (node) throws(JSONProblem) in
        Variant(name: try node.string("name"), verdict: try node.word("verdict"), message: try node.string("message"))
      },
      start: try node.seconds("start"), duration: try node.seconds("duration"), seed: try node.wideCount("seed"),
      repetitions: try node.list("repetitions") { (node) throws(JSONProblem) in try node.asWord() },
      expected: try node.optionalString("expected"),
      transcript: try node.list("transcript") { (node) throws(JSONProblem) in try TranscriptEntry(json: node) })
    failedAt = try node.texts("failedAt")
    blockedBy = try node.optionalString("blockedBy")
  }
}

extension TranscriptEntry {
  fileprivate init(json node: JSONNode) throws(JSONProblem) {
    self.init(
      time: try node.seconds("time"), kind: try node.word("kind"), direction: try node.word("direction"),
      connection: try node.string("connection"), title: try node.string("title"),
      decoded: try node.string("decoded"),
      localAddress: try node.string("localAddress"), peerAddress: try node.string("peerAddress"))
    size = try node.count("size")
    frames = try node.list("frames") { (node) throws(JSONProblem) in
      Frame(counter: try node.wideCount("counter"), count: try node.count("count"))
    }
  }
}

extension JSONNode {
  fileprivate func texts(_ name: String) throws(JSONProblem) -> [String] {
    try list(name) { (node) throws(JSONProblem) in try node.asString() }
  }

  fileprivate func count(_ name: String) throws(JSONProblem) -> Int {
    Int(try required(name).asInteger(in: 0...Int128(Int.max)))
  }

  /// Reads a number that is a string in the report, because JavaScript cannot hold it exactly.
  fileprivate func wideCount(_ name: String) throws(JSONProblem) -> UInt64 {
    let node = try required(name)
    guard let number = UInt64(try node.asString()) else { throw node.problem("an integer in quotes is expected") }
    return number
  }

  fileprivate func seconds(_ name: String) throws(JSONProblem) -> Duration {
    let node = try required(name)
    guard let number = node.numberValue, let duration = Duration(decimalSeconds: number.text) else {
      throw node.problem("seconds as a decimal number are expected, not \(node.kindName)")
    }
    // Keeps sums of durations in range.
    guard (.seconds(-1_000_000_000)...(.seconds(1_000_000_000))).contains(duration) else {
      throw node.problem("the duration is out of range")
    }
    return duration
  }

  fileprivate func word<Word: RawRepresentable<String>>(_ name: String) throws(JSONProblem) -> Word {
    try required(name).asWord()
  }

  fileprivate func asWord<Word: RawRepresentable<String>>() throws(JSONProblem) -> Word {
    let text = try asString()
    guard let word = Word(rawValue: text) else { throw problem("\"\(text)\" is not allowed here") }
    return word
  }
}
