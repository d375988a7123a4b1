/// The names that are taken in a home (rule N2), while a command names accessories and services (rule N7).
///
/// A device may have thousands of services and bridged accessories with one name. The search for a free number continues
/// where the last one ended; otherwise its time would grow with the square of their count.
struct TakenNames {
  private struct Series: Hashable {
    /// The key of the name without its number.
    let key: String
    /// The number of digits. The name is cut to make room for them.
    let digits: Int
  }

  private let home: Home
  /// The object that has each key. For a service, it is the accessory. It is made when a name is needed: a device whose
  /// database has not changed needs none.
  private lazy var owners = Self.owners(in: home)
  /// The number at which the search in a series continues.
  private var numbers: [Series: Int] = [:]

  init(in home: Home) { self.home = home }

  private static func owners(in home: Home) -> [String: HomeObjectID] {
    var owners: [String: HomeObjectID] = [:]
    _ = home.firstName { name, id, accessory in
      owners[name.key] = accessory ?? id
      return false
    }
    return owners
  }

  /// - Parameter owner: the object. For a service, it is the accessory.
  mutating func insert(_ name: HomeName, of owner: HomeObjectID) { owners[name.key] = owner }

  /// Removes the names that the services of an accessory had, and that it no longer has.
  mutating func replace(_ old: [HomeService], with new: [HomeService], of accessory: HomeObjectID, named own: HomeName)
  {
    let kept = Set(new.filter(\.isUserInteractive).map(\.name.key) + [own.key])
    for key in old.map(\.name.key) where !kept.contains(key) && owners[key] == accessory { owners[key] = nil }
  }

  /// Returns the name of an accessory, with a number if it is taken: "Lamp", "Lamp 2", "Lamp 3".
  mutating func unique(_ name: HomeName) -> HomeName { unique(name) { owners, key in owners[key] == nil } }

  /// Returns the name of a service, with a number if it is taken. A service may have the name of its accessory.
  /// - Parameter others: the keys of the accessory's other services, which were inserted.
  mutating func unique(_ name: HomeName, of accessory: HomeObjectID, besides others: Set<String>) -> HomeName {
    unique(name) { owners, key in !others.contains(key) && owners[key] ?? accessory == accessory }
  }

  private mutating func unique(_ name: HomeName, _ isFree: ([String: HomeObjectID], String) -> Bool) -> HomeName {
    if isFree(owners, name.key) { return name }
    var (digits, first) = (1, 2)
    while true {
      let text = String(name.text.prefix(HomeName.greatestLength - 1 - digits))
      let series = Series(key: HomeName(text).key, digits: digits)
      let end = first == 2 ? 10 : first * 10
      for number in (numbers[series] ?? first)..<end {
        let numbered = HomeName("\(text) \(number)")
        guard isFree(owners, numbered.key) else { continue }
        numbers[series] = number
        return numbered
      }
      numbers[series] = end
      (digits, first) = (digits + 1, end)
    }
  }
}
