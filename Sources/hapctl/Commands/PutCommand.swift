import HAPCommandLine

extension Command {
  /// `hapctl put`
  static let put = Command(
    "put", "write characteristics",
    operands: .some(label: "TARGET/CHARACTERISTIC VALUE…", count: 2...1000), options: CommonOptions.all,
    discussion: [
      "A value is a word of the catalogue such as open, a number, true or false, text, or bytes as hexadecimal digits. Several are written in one request. "
        + "A characteristic that takes timed writes only gets one."
    ],
    examples: [
      ("hapctl put garage/\"Target Door State\" open", "by name and word"),
      ("hapctl put lamp/On on lamp/Brightness 40", "two in one request"),
    ]
  ) { (arguments, console) throws(UsageError) in
    guard arguments.operands.count % 2 == 0 else { throw UsageError("the last one has no value") }
    let pairs = stride(from: 0, to: arguments.operands.count, by: 2).map {
      (Reference(arguments.operands[$0]), arguments.operands[$0 + 1])
    }
    for (reference, _) in pairs where reference.path == nil {
      throw UsageError("\(shown(reference.target)) says no characteristic: \(reference.target)/NAME")
    }
    let visit = try Visit("put", to: try oneTarget(pairs.map(\.0)), arguments, console)
    let assignments = pairs.map { Assignment(path: $0.path ?? "", text: $1) }
    return visit.withAccessory { accessory in
      let refusals = try await accessory.write(assignments, in: try await accessory.mirror().database)
      for refusal in refusals { console.complain("hapctl put: \(refusal)") }
      return refusals.isEmpty ? .well : .problem
    }
  }
}
