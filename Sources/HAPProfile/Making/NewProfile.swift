import HAPModel
import HAPWire

/// A new profile from a few command-line arguments. It leaves out everything that the format adds by default.
package struct NewProfile: Sendable {
  package var name: String
  package var category: HAPModel.Category
  private var services: [ServiceRequest]

  /// - Parameters:
  ///   - name: `nil`: the catalogue's name of the first service.
  ///   - category: `nil`: the usual category of the first service.
  ///   - services: at least one.
  package init(name: String?, category: HAPModel.Category?, services: [ServiceRequest]) {
    precondition(!services.isEmpty, "an accessory has services")
    self.name = name ?? services[0].plainName
    self.category = category ?? .usual(for: services[0].type)
    self.services = services
  }

  /// The text of the profile, with a line break at the end.
  package var text: String {
    let primary = services.firstIndex { $0.type != .accessoryInformation }
    let counts = services.reduce(into: [:]) { $0[$1.type, default: 0] += 1 }
    var numbers: [TypeID: Int] = [:]
    let nodes = services.enumerated().map { index, service in
      let number = numbers[service.type, default: 0] + 1
      numbers[service.type] = number
      // Services of one type need different names.
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

extension ServiceRequest {
  /// The catalogue's name without its text in brackets and without hyphens, which iOS doesn't accept.
  fileprivate var plainName: String {
    let name = definition?.name ?? "Service"
    return String((name.split(separator: " (").first ?? "").filter { $0 != "-" })
  }
}
