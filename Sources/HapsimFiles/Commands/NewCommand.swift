import HAPCommandLine
import HAPModel
import HAPProfile
import HAPWire

extension Command {
  private static let serviceOption = Option<ServiceRequest>(
    "service", "NAME[:CHARACTERISTICS]", repeated: true,
    "a service of Apple's catalogue and the characteristics to write to the file, separated by commas; may be given several times",
    read: { (text: String) throws(UsageError) in
      do throws(ServiceRequestError) { return try ServiceRequest(text) } catch { throw UsageError(error.message) }
    })
  private static let outputOption = Option<String>(
    "output", letter: "o", "FILE", "write the profile to FILE; - is standard output")
  private static let nameOption = Option<String>(
    "name", "NAME", "the accessory's name (default: the first service's)",
    read: { (text: String) throws(UsageError) in
      if let problem = AccessoryProfile.problem(withName: text) { throw UsageError(problem) }
      return text
    })
  private static let categoryOption = Option<HAPModel.Category>(
    "category", "SLUG", "the category that phones show (default: that of the first service)",
    read: { (text: String) throws(UsageError) in
      if let category = Catalogue.category(slug: text) { return category }
      let meant = nearestName(to: text, in: Catalogue.categories.map(\.slug))
      throw UsageError("unknown category" + (meant.map { "; did you mean \($0)?" } ?? ""))
    })
  private static let forceFlag = Flag("force", "overwrite FILE")

  /// `hapsim new`
  package static let new = Command(
    "new", "create a profile from Apple's catalogue",
    options: [
      serviceOption.definition, outputOption.definition, nameOption.definition, categoryOption.definition,
      forceFlag.definition,
    ],
    discussion: [
      "CHARACTERISTICS are written to the file with their initial values. The required characteristics of a service are not "
        + "written, because hapsim adds them when it serves the profile. 'hapsim types NAME' lists the characteristics of a service."
    ],
    examples: [
      ("hapsim new --service LightBulb:Brightness,Hue -o lamp.hasaccessory", "a lamp that can be dimmed and coloured"),
      ("hapsim new --service Outlet --service Switch --name Desk -o -", "two services, on standard output"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let services = try arguments.all(serviceOption)
    guard !services.isEmpty else {
      throw UsageError("--service NAME is missing; 'hapsim types' lists the services")
    }
    guard let path = try arguments.value(outputOption) else {
      throw UsageError("-o FILE is missing; -o - is standard output")
    }
    let profile = NewProfile(
      name: try arguments.value(nameOption), category: try arguments.value(categoryOption), services: services)
    return write(profile, path, force: arguments[forceFlag], console)
  }
}

private func write(_ profile: NewProfile, _ path: String, force: Bool, _ console: Console) -> ExitCode {
  let text = profile.text
  let made = LoadedProfile(file: path, json: Array(text.utf8))
  for line in [made].problemLines { console.complain(line) }
  guard made.isServable else { return .problem }
  if path == "-" {
    console.print(String(text.dropLast()))
    return .well
  }
  do throws(FileError) {
    if force {
      try replaceFile(path, Array(text.utf8))
    } else {
      guard !fileExists(path) else {
        throw FileError(message: "\(path) already exists; --force replaces it")
      }
      try writeNewFile(path, Array(text.utf8))
    }
  } catch {
    console.complain("hapsim new: \(error)")
    return .cannotRun
  }
  console.print("\(path): \(shown(profile.name)), \(profile.category.slug)")
  return .well
}
