import HAPCommandLine
import HAPImport
import HAPModel
import HAPProfile
import HAPWire

extension Command {
  private static let output = Option<String>(
    "output", letter: "o", "FILE", "write the profile to FILE; \"-\" is standard output")
  private static let fix = Flag("fix", "write the profile even if corrections were needed to read or to serve it")
  private static let device = Option<String>("device", "NAME", "the device, in a file with several")
  private static let category = Option<String>("category", "SLUG", "the category, which a database doesn't contain")
  private static let redact = Flag(
    "redact", "replace names, serial numbers, keys and all values that may contain any of these")
  private static let force = Flag("force", "overwrite FILE")

  /// `hapsim import`
  package static let `import` = Command(
    "import", "create a profile from a database recorded from a device",
    operands: .some(label: "FILE", count: 1...1),
    options: [
      output.definition, fix.definition, device.definition, category.definition, redact.definition, force.definition,
    ],
    discussion: [
      "FILE is the answer to GET /accessories, Home Assistant's diagnostics of a HomeKit device, aiohomekit's cache, or an archive of Apple's simulator (experimental). The format is detected. "
        + "Errors in the file are printed with line and column. If there are errors, nothing is written without --fix.",
      "The profile is exact: it has all IDs, metadata and values of the device, and nothing else.",
    ],
    examples: [
      ("hapsim import garage.json -o garage.hasaccessory", "creates a profile for 'hapsim run garage.hasaccessory'"),
      (
        "hapsim import entity-map --device AA:BB:CC:DD:EE:FF --fix -o lamp.hasaccessory",
        "imports one of several devices"
      ),
    ]
  ) { (arguments, console) throws(UsageError) in
    let file = arguments.operands[0]
    guard let path = try arguments.value(output) else { throw UsageError("-o FILE is missing") }
    let wanted = try arguments.value(device)
    var chosen: HAPModel.Category?
    if let slug = try arguments.value(category) {
      guard let found = Catalogue.category(slug: slug) else {
        let meant = nearestName(to: slug, in: Catalogue.categories.map(\.slug)).map { "; did you mean \($0)?" } ?? ""
        throw UsageError("--category \(shown(slug)): unknown category\(meant)")
      }
      chosen = found
    }
    let imported = try importedDevice(file, wanted, console)
    guard var device = imported.device else { return imported.code }
    for note in device.notes { console.complain("\(file): note: \(note)") }
    var changes = device.remarks + device.copy.mend()
    if let chosen { device.copy.category = chosen }
    if arguments[redact] { device.copy.redact() }
    let text = device.copy.profileText
    let loaded = LoadedProfile(file: path, json: Array(text.utf8))
    for problem in loaded.problems where problem.severity == .error { changes.append("\(problem)") }
    for change in changes { console.complain("\(file): \(change)") }
    guard loaded.isServable else {
      console.complain("hapsim import: the file yields no profile that can be served")
      return .problem
    }
    guard changes.isEmpty || arguments[fix] else {
      console.complain("hapsim import: nothing was written; --fix writes the profile with these changes")
      return .problem
    }
    if path == "-" {
      console.print(String(text.dropLast()))
      return .well
    }
    do throws(FileError) { try writeFile(path, Array(text.utf8), overwriting: arguments[force]) } catch {
      console.complain("hapsim import: \(error)")
      return .cannotRun
    }
    let count = loaded.problems.count
    let hint = count == 0 ? "" : "; 'hapsim validate' reports \(count == 1 ? "a warning" : "\(count) warnings")"
    console.print("Wrote \(path)\(hint).")
    return .well
  }
}

/// Returns the only device of a file, or the selected one of several. Prints the reason if there is none.
private func importedDevice(
  _ file: String, _ wanted: String?, _ console: Console
) throws(UsageError) -> (device: ImportedDevice?, code: ExitCode) {
  let bytes: [UInt8]
  do throws(FileError) { bytes = try readFile(file) } catch {
    console.complain("hapsim import: \(error)")
    return (nil, .cannotRun)
  }
  let found: ImportedFile
  do throws(ImportError) { found = try ImportedFile(bytes) } catch {
    console.complain("\(file):\(error)")
    return (nil, .problem)
  }
  let names = found.devices.compactMap(\.name).map { shown($0) }.joined(separator: ", ")
  if let wanted {
    if let device = found.devices.first(where: { $0.name?.uppercased() == wanted.uppercased() }) {
      return (device, .well)
    }
    let list = names.isEmpty ? "the file names none" : "it has \(names)"
    throw UsageError("--device \(shown(wanted)): no such device in \(file): \(list)")
  }
  guard found.devices.count == 1 else {
    throw UsageError("\(file) has \(found.devices.count) devices; choose one with --device: \(names)")
  }
  return (found.devices[0], .well)
}
