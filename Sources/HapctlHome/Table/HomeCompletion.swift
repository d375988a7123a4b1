import HAPCommandLine
import HAPHome
import HAPModel
import HAPWire

/// Finds the words that can follow on a command line below `hapctl home`.
struct HomeCompletion: Sendable {
  /// The command that prints the words.
  static let verb = "complete"

  private let model: HomeModel?
  private let homeText: String?

  /// - Parameters:
  ///   - model: the homes; nil: unknown, so that only words of commands are found.
  ///   - homeText: the home that the names belong to; nil: the value of `--home` on the line, or the primary home.
  init(_ model: HomeModel?, homeText: String?) { (self.model, self.homeText) = (model, homeText) }

  /// Prints the candidates for the operands of the command.
  func show(_ arguments: Arguments, _ console: Console) {
    let words = candidates(arguments.operands)
    if arguments[HomeOptions.json] {
      console.print(JSONNode.object([("words", .list(words.map { .text($0) }))]).compactText)
    } else {
      for word in words { console.print(word.visible) }
    }
  }

  /// Returns the candidates for the last word, in the order of the home.
  /// - Parameter words: the words of the line; the last one is incomplete.
  func candidates(_ words: [String]) -> [String] {
    let words = words.flatMap(parts)
    let partial = words.last ?? ""
    var before = words.dropLast()
    var verbs = HomeVerb.all
    if home(homeText)?.copy != nil { verbs.removeAll { !HomeVerb.namesForCopies.contains($0.name) } }
    var depth = 0
    while let word = before.first, verbs.contains(where: { $0.words.count > depth && $0.words[depth] == word }) {
      verbs = verbs.filter { $0.words.count > depth && $0.words[depth] == word }
      depth += 1
      before = before.dropFirst()
      if verbs.count == 1, verbs[0].words.count == depth { break }
    }
    guard verbs.count == 1, verbs[0].words.count == depth else {
      var seen: Set<String> = []
      let next = verbs.compactMap { $0.words.count > depth ? $0.words[depth] : nil }
      return before.isEmpty ? matching(next.filter { seen.insert($0).inserted }, partial) : []
    }
    return candidates(verbs[0], Array(before), partial)
  }

  /// Separates an option from its value: "--room=Kitchen" is "--room" and "Kitchen".
  private func parts(_ word: String) -> [String] {
    guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return [word] }
    return [String(word[..<equals]), String(word[word.index(after: equals)...])]
  }

  private func candidates(_ verb: HomeVerb, _ words: [String], _ partial: String) -> [String] {
    let options = verb.options + HomeOptions.all
    var operands: [String] = []
    var homeName = homeText
    var index = 0
    while index < words.count {
      let option = options.first { "--\($0.definition.name)" == words[index] }
      if let option, option.kind != nil {
        if option.definition.name == "home", index + 1 < words.count { homeName = words[index + 1] }
        if index + 1 == words.count {
          return matching(names(option.kind ?? .text, home(homeName), operands, partial), partial)
        }
        index += 1
      } else if option == nil, !words[index].hasPrefix("--") {
        operands.append(words[index])
      }
      index += 1
    }
    if partial.hasPrefix("-") { return matching(options.map { "--\($0.definition.name)" }, partial) }
    guard let kind = kind(ofOperand: operands.count, verb) else { return [] }
    return matching(names(kind, home(homeName), operands, partial), partial)
  }

  /// The kind of the operand at a position. Operands of "PATH VALUE" alternate.
  private func kind(ofOperand position: Int, _ verb: HomeVerb) -> HomeOperand.Kind? {
    var position = position
    for operand in verb.operands {
      if position < operand.count.upperBound {
        return operand.label == "PATH VALUE" && position % 2 == 1 ? .value : operand.kind
      }
      position -= operand.count.upperBound
    }
    return nil
  }

  private func home(_ name: String?) -> Home? {
    guard let model else { return nil }
    if let name { return try? model.home(named: name) }
    return model.primaryHome.flatMap { model.home($0) } ?? model.homes.first
  }

  private func matching(_ candidates: [String], _ partial: String) -> [String] {
    let key = partial.lowercased()
    return candidates.filter { $0.lowercased().hasPrefix(key) }
  }

  // MARK: Names

  private func names(
    _ kind: HomeOperand.Kind, _ home: Home?, _ operands: [String], _ partial: String
  ) -> [String] {
    switch kind {
    case .words(let words): return words
    case .home: return model?.homes.map(\.name.text) ?? []
    case .file, .text: return []
    default: break
    }
    guard let home else { return [] }
    let lookup = HomeLookup(home)
    switch kind {
    case .room: return lookup.objects(.room).map(\.name)
    case .zone: return lookup.objects(.zone).map(\.name)
    case .group: return lookup.objects(.group).map(\.name)
    case .accessory: return lookup.objects(.accessory).map(\.name)
    case .scene: return lookup.objects(.actionSet).map(\.name)
    case .trigger: return lookup.objects(.trigger).map(\.name)
    case .user: return lookup.objects(.user).map(\.name)
    case .object: return lookup.objects.map(\.name) + (partial.contains("/") ? services(lookup) : [])
    case .service: return services(lookup)
    case .path: return paths(lookup, partial)
    case .value:
      guard let path = operands.last, let target = try? lookup.targets(path, for: .pairedWrite).first else { return [] }
      return target.characteristic.valueWords
    case .home, .words, .file, .text: return []
    }
  }

  private func services(_ lookup: HomeLookup) -> [String] {
    lookup.home.accessories.flatMap { accessory in
      accessory.services.filter(\.isUserInteractive).map {
        lookup.directory.path(of: $0, in: accessory).description
      }
    }
  }

  /// The names of accessories and places with a slash; after the slash, whole paths.
  private func paths(_ lookup: HomeLookup, _ partial: String) -> [String] {
    guard let slash = partial.firstIndex(of: "/") else {
      return [HomeObjectKind.accessory, .room, .zone, .group].flatMap(lookup.objects).map { $0.name + "/" }
    }
    let first = String(partial[..<slash])
    let key = HomeName(first).key
    if let accessory = lookup.home.accessories.first(where: { $0.name.key == key }) {
      return accessory.services.filter(\.isUserInteractive).flatMap { service in
        service.characteristics.map { lookup.directory.path(of: $0, of: service, in: accessory).description }
      }
    }
    guard let place = lookup.objects.first(where: { HomeName($0.name).key == key }) else { return [] }
    var seen: Set<String> = []
    return lookup.services(in: place).flatMap(\.service.characteristics).map { "\(first)/\($0.typeText)" }
      .filter { seen.insert($0).inserted }
  }
}
