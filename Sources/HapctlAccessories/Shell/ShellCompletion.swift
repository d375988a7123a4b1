import HAPIP
import HAPModel

/// The effect of the Tab key on the line before the cursor.
struct ShellCompletion: Equatable {
  /// The number of Unicode scalars to remove before the cursor.
  var removing = 0
  /// The text that replaces the removed scalars.
  var inserting = ""
  /// The possible completions, if there is more than one.
  var choices: [String] = []

  /// - Parameter line: the line up to the cursor.
  init(of line: String, in database: AttributeDatabase) {
    let parsed = ShellWords(line)
    guard !parsed.endsInBackslash else { return }
    var words = parsed.words.map(\.text)
    let partial = parsed.isBetweenWords ? "" : words.removeLast()
    let start = parsed.isBetweenWords ? line.unicodeScalars.count : parsed.words.last?.start ?? 0
    let found = Self.candidates(after: words, partial, database).filter {
      $0.utf8.count <= Self.longestName && Self.begins($0, with: partial)
    }
    guard let first = found.first else { return }
    removing = line.unicodeScalars.count - start
    if found.count == 1 {
      let goesOn = first.hasSuffix("/")
      inserting = ShellWords.written(first, isOpen: goesOn) + (goesOn ? "" : " ")
    } else {
      choices = found
      let common = Self.commonBeginning(found)
      // If completion adds nothing, the typed text stays unchanged.
      if common.count > partial.count {
        inserting = ShellWords.written(common, isOpen: true)
      } else {
        removing = 0
      }
    }
  }

  private static func begins(_ word: String, with partial: String) -> Bool {
    word.lowercased().hasPrefix(partial.lowercased())
  }

  private static func commonBeginning(_ words: [String]) -> String {
    words.dropFirst().reduce(words.first ?? "") { common, word in
      String(zip(common, word).prefix { $0 == $1 || $0.lowercased() == $1.lowercased() }.map(\.0))
    }
  }

  // MARK: Candidates

  private static func candidates(after words: [String], _ partial: String, _ database: AttributeDatabase) -> [String] {
    guard let command = words.first else { return ShellCommand.all.map(\.name) }
    switch command {
    case "accessories": return words.count == 1 ? ["--meta"] : []
    case "get": return paths(partial, .pairedRead, database)
    case "watch", "unwatch": return paths(partial, .events, database)
    case "put":
      guard words.count % 2 == 0, let path = words.last else { return paths(partial, .pairedWrite, database) }
      guard let id = try? database.id(forPath: path), let slot = database.slot(of: id) else { return [] }
      return database.characteristics[slot].words
    default: return []
    }
  }

  /// Returns names that select one characteristic, services with a slash at the end and, if the user typed a digit,
  /// IDs.
  private static func paths(
    _ partial: String, _ permission: Permissions, _ database: AttributeDatabase
  ) -> [String] {
    let slots = database.characteristics.indices.filter { database.characteristics[$0].perms.contains(permission) }
    if let slash = partial.firstIndex(of: "/") {
      let written = String(partial[..<slash])
      let service: ServiceSelector = UInt64(written).map { .iid($0) } ?? .name(written)
      let scope = service.services(in: database, aid: nil).flatMap(\.slots)
      let own = scope.filter { database.characteristics[$0].perms.contains(permission) }
      return unique(own, among: scope, database).map { "\(written)/\($0)" }
    }
    if partial.first?.isNumber == true { return slots.map { "\(database.id(ofSlot: $0))" } }
    let names = unique(slots, among: Array(database.characteristics.indices), database)
    // A bridge can have 100 services of one type, so each name is processed only once.
    var seen: Set<String> = []
    let services = slots.compactMap { slot -> String? in
      let service = database.service(ofSlot: slot)
      let type = Catalogue.service(service.type)?.name ?? service.type.description
      return seen.insert(type).inserted ? type + "/" : nil
    }
    return names + services
  }

  /// The maximum length of a completed name.
  private static let longestName = 200

  /// Returns the titles that select exactly one slot of the scope. It counts all titles in one pass, because a lookup
  /// per title would let a hostile accessory block the prompt.
  private static func unique(_ slots: [Int], among scope: [Int], _ database: AttributeDatabase) -> [String] {
    var count: [String: Int] = [:]
    for slot in scope { count[foldedName(database.title(ofSlot: slot)), default: 0] += 1 }
    return slots.compactMap { slot in
      let title = database.title(ofSlot: slot)
      // A title that parses as a path, an ID or a type does not select the characteristic with that title.
      guard count[foldedName(title)] == 1, !title.contains("/"), AttributeID(title) == nil else { return nil }
      if let type = TypeID(title), type != database.characteristics[slot].type { return nil }
      return title
    }
  }
}

extension Characteristic {
  /// The names of the values.
  fileprivate var words: [String] {
    let allowed = namedValues
    return allowed.isEmpty && format == .bool ? ["on", "off"] : allowed.map(\.word)
  }
}
