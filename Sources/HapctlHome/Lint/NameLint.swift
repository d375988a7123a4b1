import HAPHome
import HAPHomeFile
import HAPModel
import HAPWire

/// A name that a person can't speak, or that voice control can confuse with another one; or a trigger that does nothing.
struct NameFinding: Hashable, Sendable {
  enum Rule: String, CaseIterable, Sendable {
    /// Two names differ only in a number: "Lamp 2" and "Lamp two", "Lamp" and "Lamp 3".
    case number
    /// The name is that of a type of services, which voice control understands as all of them: "light".
    case type
    /// A scene has a name that sounds like that of a room.
    case sceneLikeRoom = "scene-like-room"
    /// The name has one letter.
    case oneLetter = "one-letter"
    /// The name has only digits.
    case digits
    /// The name has characters that can't be spoken. Accessories can supply such a name (rule N4).
    case symbols
    /// An enabled trigger has no scene that sets a value, for example because its scenes were removed.
    case nothingToRun = "nothing-to-run"
  }

  var rule: Rule
  var object: NamedObject
  /// The other object; nil if the name alone is the problem.
  var other: NamedObject?
  /// The error, and a remedy.
  var message: String
}

/// Checks the names of a home that people speak, not those of triggers and users; and what triggers run.
struct NameLint: Sendable {
  private let objects: [NamedObject]
  private let home: Home

  init(_ home: Home) {
    let lookup = HomeLookup(home)
    let kinds: [HomeObjectKind] = [.home, .room, .zone, .group, .accessory, .actionSet]
    var all = kinds.flatMap(lookup.objects)
    // A service with the name of its accessory is the same to people.
    for accessory in home.accessories {
      for service in accessory.services where service.isUserInteractive && service.name.key != accessory.name.key {
        all.append(NamedObject(.service, service.id, service.name.text))
      }
    }
    objects = all.filter { $0.id != home.roomForEntireHome.id }
    self.home = home
  }

  /// The findings, by object in the order of the home.
  var findings: [NameFinding] {
    objects.flatMap(alone) + pairs(.number) { $0.withoutNumbers() } + scenesLikeRooms + idleTriggers
  }

  // MARK: Triggers

  private var idleTriggers: [NameFinding] {
    home.triggers.filter { $0.isEnabled && home.runsNothing($0) }.map { trigger in
      let object = NamedObject(.trigger, trigger.id, trigger.name.text)
      return NameFinding(
        rule: .nothingToRun, object: object, other: nil,
        message:
          "\(object.title) is enabled, but does nothing, because it has no scene that sets a value: add values to its scene, run another one with 'hapctl home trigger edit', or disable it"
      )
    }
  }

  // MARK: One name

  private static let typeWords: Set<String> = {
    let common = ["light", "fan", "lock", "blind", "heater", "camera", "thermostat", "sensor"]
    return Set((common + Catalogue.services.map(\.name)).flatMap { [foldedName($0), foldedName($0) + "s"] })
  }()

  private func alone(_ object: NamedObject) -> [NameFinding] {
    let name = object.name
    let key = HomeName(name).key
    func finding(_ rule: NameFinding.Rule, _ why: String) -> [NameFinding] {
      [NameFinding(rule: rule, object: object, other: nil, message: "\(object.title) \(why): rename it")]
    }
    if (try? HomeName.checked(name, HomePolicy())) == nil {
      return finding(.symbols, "has characters that can't be spoken")
    }
    if key.allSatisfy(\.isNumber) { return finding(.digits, "has only digits") }
    if key.count == 1 { return finding(.oneLetter, "has one letter") }
    if Self.typeWords.contains(foldedName(name)) {
      return finding(.type, "has the name of a type, so that voice control can't distinguish it from all of that type")
    }
    return []
  }

  // MARK: Two names

  /// The names that are equal in some form. Each one is compared with the first of them.
  private func pairs(_ rule: NameFinding.Rule, form: (String) -> String) -> [NameFinding] {
    var first: [String: NamedObject] = [:]
    return objects.compactMap { object in
      let key = form(object.name)
      guard !key.isEmpty else { return nil }
      guard let other = first[key] else {
        first[key] = object
        return nil
      }
      return NameFinding(
        rule: rule, object: object, other: other,
        message: "\(object.title) differs from \(other.title) only in a number: give one of them another word")
    }
  }

  private var scenesLikeRooms: [NameFinding] {
    let rooms = objects.filter { $0.kind == .room || $0.kind == .zone }
    return objects.filter { $0.kind == .actionSet }.compactMap { scene in
      guard let room = rooms.first(where: { $0.name.sound == scene.name.sound && !scene.name.sound.isEmpty }) else {
        return nil
      }
      return NameFinding(
        rule: .sceneLikeRoom, object: scene, other: room,
        message: "\(scene.title) sounds like \(room.title): rename one of them")
    }
  }
}

extension NamedObject {
  /// `the room "Kitchen"`.
  fileprivate var title: String { "the \(kind.title) \(name.quoted)" }
}

extension String {
  /// Numbers as people speak them, with words that sound the same.
  private static let numberWords: Set<String> = [
    "zero", "one", "won", "two", "to", "too", "three", "four", "for", "five", "six", "seven", "eight", "ate", "nine",
    "ten",
    "eleven", "twelve", "first", "second", "third", "fourth", "fifth",
  ]

  /// The words of the name in lower case, without numbers.
  fileprivate func withoutNumbers() -> String {
    var words: [String] = [""]
    for character in lowercased() where character != "'" && character != "\u{2019}" {
      if character.isLetter { words[words.count - 1].append(character) } else { words.append("") }
    }
    return words.filter { !$0.isEmpty && !Self.numberWords.contains($0) }.joined(separator: " ")
  }

  /// The sound of the name, by the classes of consonants of the Soundex code (R. C. Russell, US patent 1261167), without
  /// the limit of four characters. Empty for a name without Latin letters.
  fileprivate var sound: String {
    let classes: [Character: Character] = [
      "b": "1", "f": "1", "p": "1", "v": "1", "c": "2", "g": "2", "j": "2", "k": "2", "q": "2", "s": "2", "x": "2",
      "z": "2", "d": "3", "t": "3", "l": "4", "m": "5", "n": "5", "r": "6",
    ]
    let letters = lowercased().filter { ("a"..."z").contains($0) }
    guard let first = letters.first else { return "" }
    var code = String(first)
    var last = classes[first]
    for letter in letters.dropFirst() where letter != "h" && letter != "w" {
      let next = classes[letter]
      if let next, next != last { code.append(next) }
      last = next
    }
    return code
  }
}
