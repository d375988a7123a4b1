import HAPCommandLine

extension Command {
  /// `hapsim validate`
  static let validate = Command(
    "validate", "check profiles without serving them",
    operands: .some(label: "PROFILE…", count: 1...10_000), options: [CommonOptions.json.definition],
    discussion: [
      "Every problem of every profile is told, with its place: errors, with which an accessory can't be served, and warnings, which "
        + "iOS is reported to refuse or to ignore. Errors make the exit code 1; warnings alone don't."
    ]
  ) { (arguments, console) throws(UsageError) in
    console.complain("hapsim: validate is not built yet")
    return .cannotRun
  }
}
