import HAPModel
import HAPWire

/// A profile that is made from a few words. What the format adds by itself is not written.
package struct NewProfile: Sendable {
  package var name: String
  package var category: HAPModel.Category
  private var services: [ServiceWish]

  /// - Parameters:
  ///   - name: without one, what the first service is called in the catalogue.
  ///   - category: without one, that of the first service.
  ///   - services: at least one.
  package init(name: String?, category: HAPModel.Category?, services: [ServiceWish]) {
    precondition(!services.isEmpty, "an accessory has services")
    self.name = name ?? services[0].plainName
    self.category = category ?? .usual(for: services[0].type)
    self.services = services
  }

  /// With a line break at the end.
  package var text: String {
    let primary = services.firstIndex { $0.type != .accessoryInformation }
    let counts = services.reduce(into: [:]) { $0[$1.type, default: 0] += 1 }
    var numbers: [TypeID: Int] = [:]
    let nodes = services.enumerated().map { index, service in
      let number = numbers[service.type, default: 0] + 1
      numbers[service.type] = number
      // Names tell services of one type apart.
      let name = counts[service.type] == 1 ? nil : "\(service.plainName) \(number)"
      return service.writtenOut(name: name, isPrimary: index == primary, number: number)
    }
    let document = JSONNode.object([
      ("format", .text("hasaccessory/1")), ("name", .text(name)), ("category", .text(category.slug)),
      ("services", .list(nodes)),
    ])
    return JSONStyle().text(document) + "\n"
  }
}

extension ServiceWish {
  /// The catalogue's name, without what it has in brackets and the hyphens, which iOS doesn't take.
  fileprivate var plainName: String {
    let name = definition?.name ?? "Service"
    return String((name.split(separator: " (").first ?? "").filter { $0 != "-" })
  }
}
