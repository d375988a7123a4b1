import HAPHome
import HAPModel

/// The names of the objects of a home, and the names of values, for messages.
struct HomeNames: Sendable {
  private let home: Home

  init(_ home: Home) { self.home = home }

  /// The accessory, its service if it has several with such a characteristic, and the type: "Front Door Lock/Lock Current
  /// State".
  func characteristic(_ id: HomeObjectID) -> String {
    guard let (accessory, service, characteristic) = home.characteristic(id) else { return id.description }
    let similar = accessory.services.filter { $0.characteristics.contains { $0.type == characteristic.type } }
    let path = [accessory.name.text] + (similar.count > 1 ? [service.name.text] : []) + [characteristic.displayName]
    return path.joined(separator: "/")
  }

  /// The catalogue's word for a value, such as "unsecured", or the value with its unit.
  func value(_ value: Value, of id: HomeObjectID) -> String {
    guard let characteristic = home.characteristic(id)?.characteristic else { return value.shown }
    if characteristic.type == CharacteristicDefinition.on.type, value.boolValue != nil || value.doubleValue != nil {
      return value.boolValue ?? (value.doubleValue != 0) ? "on" : "off"
    }
    if let word = Catalogue.characteristic(characteristic.type)?.word(for: value) { return word }
    let whole = if case .float(let number) = value { Int64(exactly: number) } else { Int64?.none }
    let text = whole.map { "\($0)" } ?? value.shown
    return text + (value.doubleValue == nil ? "" : characteristic.shownUnit?.suffix ?? "")
  }

  /// The name of a user.
  func user(_ id: HomeObjectID) -> String { home.users.find(id)?.name ?? id.description }
}
