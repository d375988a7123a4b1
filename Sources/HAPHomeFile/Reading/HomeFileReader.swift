import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire
import HAPYAML

extension HomeFile {
  /// The maximum size of a document in bytes: 8 MiB.
  package static let byteLimit = 8 << 20
  private static let valueLimit = 500_000

  /// Reads a document in YAML or JSON.
  /// - Throws: all errors that the text alone shows. Whether the home has the objects is checked by `plan`.
  package static func read(_ bytes: [UInt8]) throws(HomeFileProblems) -> HomeFile {
    let start = JSONPlace(line: 1, column: 1)
    guard bytes.count <= byteLimit else {
      throw HomeFileProblems([HomeFileProblem(start, "the file has more than 8 MiB")])
    }
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONNode.yaml(bytes, depthLimit: JSONNode.homeDepthLimit, nodeLimit: valueLimit)
    } catch { throw HomeFileProblems([HomeFileProblem(error.place, error.message)]) }
    var reader = HomeFileReader()
    let file = reader.file(node)
    guard reader.problems.isEmpty, let file else { throw HomeFileProblems(reader.problems) }
    return file
  }
}

/// A parser of documents. It reports all errors at once.
struct HomeFileReader {
  private(set) var problems: [HomeFileProblem] = []

  /// The members of a document, in the order in which they are written.
  static let members = [
    "home", "timeZone", "location", "rooms", "zones", "accessories", "groups", "scenes", "triggers",
  ]

  mutating func attempt<R>(_ body: (inout HomeFileReader) throws(JSONProblem) -> R) -> R? {
    if problems.count >= HomeFileProblems.limit { return nil }
    do throws(JSONProblem) { return try body(&self) } catch {
      problems.append(HomeFileProblem(error))
      return nil
    }
  }

  /// Reports each member that an object does not have.
  mutating func refuseUnknown(_ node: JSONNode, except names: [String]) {
    if problems.count >= HomeFileProblems.limit { return }
    for problem in node.unknownMembers(except: names) { problems.append(HomeFileProblem(problem)) }
  }

  mutating func complain(_ place: JSONPlace, _ message: String) { problems.append(HomeFileProblem(place, message)) }

  mutating func file(_ node: JSONNode) -> HomeFile? {
    guard attempt({ _ throws(JSONProblem) in try node.asObject() }) != nil else { return nil }
    // "zone" is nearer to "zones", which is something else.
    if let zone = node.members?.first(where: { $0.name == "zone" }) {
      complain(zone.place, "there is no member \"zone\" here: the time zone of the home is called \"timeZone\"")
    }
    refuseUnknown(node, except: Self.members + ["zone"])
    let name = attempt { _ throws(JSONProblem) in try node.required("home").placedText() }
    var file = HomeFile(home: name ?? Placed(""))
    file.timeZone = node["timeZone"].flatMap { node in
      attempt { _ throws(JSONProblem) in Placed(try node.zoneName(), at: node.place) }
    }
    file.location = node["location"].flatMap { node in
      attempt { _ throws(JSONProblem) in Placed(node.isNull ? nil : try node.coordinate(), at: node.place) }
    }
    file.rooms = node["rooms"].flatMap { names($0) }
    if let rooms = file.rooms { refuseTwice(rooms) }
    file.zones = node["zones"].flatMap { node in
      entries(node) { reader, name, node in
        reader.names(node).map { HomeFile.ZoneEntry(name: name, rooms: $0) }
      }
    }
    for zone in file.zones ?? [] { refuseTwice(zone.rooms) }
    file.accessories = node["accessories"].flatMap { node in
      entries(node) { reader, name, node in reader.accessory(name, node) }
    }
    if let accessories = file.accessories { refuseTwice(accessories) }
    file.groups = node["groups"].flatMap { node in
      entries(node) { reader, name, node in
        reader.paths(node).map { HomeFile.GroupEntry(name: name, services: $0) }
      }
    }
    file.scenes = node["scenes"].flatMap { node in
      entries(node) { reader, name, node in reader.scene(name, node) }
    }
    if let scenes = file.scenes { refuseTwice(scenes) }
    file.triggers = node["triggers"].flatMap { node in
      entries(node) { reader, name, node in reader.trigger(name, node) }
    }
    return name == nil ? nil : file
  }

  // MARK: Parts

  /// Reads the members of an object, whose names are names of objects.
  private mutating func entries<Entry>(
    _ node: JSONNode, _ read: (inout HomeFileReader, Placed<String>, JSONNode) -> Entry?
  ) -> [Entry]? {
    guard let members = attempt({ _ throws(JSONProblem) in try node.asObject() }) else { return nil }
    let names = members.map { Placed($0.name, at: $0.place) }
    refuseTwice(names)
    var entries: [Entry] = []
    for (member, name) in zip(members, names) {
      if let entry = read(&self, name, member.value) { entries.append(entry) }
    }
    return entries
  }

  private mutating func names(_ node: JSONNode) -> [Placed<String>]? {
    guard let elements = attempt({ _ throws(JSONProblem) in try node.asList() }) else { return nil }
    return elements.compactMap { element in
      attempt { _ throws(JSONProblem) in try element.placedText() }
    }
  }

  private mutating func paths(_ node: JSONNode) -> [Placed<HomeFilePath>]? {
    guard let elements = attempt({ _ throws(JSONProblem) in try node.asList() }) else { return nil }
    let paths = elements.compactMap { element in attempt { _ throws(JSONProblem) in try element.placedPath() } }
    refuseTwice(paths) { $0.description }
    return paths
  }

  /// Reports names that count as the same (rule N3).
  private mutating func refuseTwice(_ names: [Placed<String>]) {
    refuseTwice(names) { HomeName($0).key }
  }

  mutating func refuseTwice<V>(_ values: [Placed<V>], key: (V) -> String) {
    var seen: [String: Placed<V>] = [:]
    for value in values {
      if let first = seen.updateValue(value, forKey: key(value.value)) {
        complain(
          value.place,
          "\"\(value.value)\" counts as the same as \"\(first.value)\" in line \(first.place.line): keep one of them")
      }
    }
  }
}

extension JSONNode {
  /// A text that is not empty.
  func placedText() throws(JSONProblem) -> Placed<String> {
    let text = try asString()
    guard !text.isEmpty else { throw problem("the name is empty") }
    return Placed(text, at: place)
  }

  func placedPath() throws(JSONProblem) -> Placed<HomeFilePath> {
    let text = try asString()
    do throws(HomeFilePath.Malformed) {
      return Placed(try HomeFilePath(text), at: place)
    } catch { throw problem(error.message) }
  }

  /// A value as it is written: names of values and base64 get their meaning from the characteristic.
  func placedValue() throws(JSONProblem) -> Placed<Value> {
    if isNull { throw problem("a value is a name, a text, a number, true or false, not null") }
    return Placed(try Value(exact: self), at: place)
  }
}
