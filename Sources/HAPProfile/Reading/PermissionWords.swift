import HAPModel
import HAPWire

/// The names that people and other libraries use for HAP's permissions, and the permissions to write instead.
enum PermissionWords {
  /// Returns the error for an invalid element of `perms`. If the name is known, the error includes the permission to write instead.
  static func message(for element: JSONNode) -> String {
    guard let word = element.stringValue else { return "\(list), not \(element.kindName)" }
    guard let names = names(for: word) else { return "\(list), not \"\(word)\"" }
    let wanted = names.map { "\"\($0)\"" }.joined(separator: ", ")
    return "there is no permission \"\(word)\": write \(wanted)"
  }

  private static let list =
    "a permission is one of pr (read), pw (write), ev (events), aa (additional authorization), tw (timed write), "
    + "hd (hidden), wr (write response)"

  /// Compares only letters, in any case: "paired-read", "PAIRED_READ" and "pairedRead" are equal.
  private static func names(for word: String) -> [String]? {
    let letters = word.lowercased().filter(\.isLetter)
    if Permissions(name: letters) != nil { return [letters] }
    return words[letters] ?? nearestName(to: letters, in: words.keys.sorted()).flatMap { words[$0] }
  }

  private static let words: [String: [String]] = {
    let table: [(names: [String], words: [String])] = [
      (["pr"], ["read", "readable", "reads", "pairedread", "pairedreads", "get"]),
      (["pw"], ["write", "writable", "writeable", "writes", "pairedwrite", "pairedwrites", "set"]),
      (["pr", "pw"], ["readwrite", "rw"]),
      (
        ["ev"],
        [
          "event", "events", "notify", "notifies", "notification", "notifications", "subscribe",
          "supportseventnotification",
        ]
      ),
      (["aa"], ["additionalauthorization", "authorization"]),
      (["tw"], ["timed", "timedwrite", "timedwrites"]),
      (["hd"], ["hidden", "hide"]),
      (["wr"], ["writeresponse", "response"]),
    ]
    return Dictionary(uniqueKeysWithValues: table.flatMap { entry in entry.words.map { ($0, entry.names) } })
  }()
}
