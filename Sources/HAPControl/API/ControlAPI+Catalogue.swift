import HAPModel
import HAPProfile
import HAPWeb
import HAPWire

extension ControlAPI {
  /// Returns all types that Apple defines, except withdrawn ones.
  func showCatalogue() -> WebAnswer {
    .json { json in
      json.object { json in
        json.key("services")
        json.array { json in for row in Catalogue.services where !row.isWithdrawn { row.write(to: &json) } }
        json.key("characteristics")
        json.array { json in for row in Catalogue.characteristics where !row.isWithdrawn { row.write(to: &json) } }
        json.key("categories")
        json.array { json in for row in Catalogue.categories { row.write(to: &json) } }
      }
    }
  }

  /// Returns the fields of `quirks` with their possible values, and the presets.
  func listQuirksPresets() -> WebAnswer {
    .json { json in
      json.object { json in
        json.key("presets")
        json.object { json in
          for name in Quirks.presets.keys {
            json.key(name)
            (Quirks.presets[name] ?? Quirks()).write(to: &json)
          }
        }
        json.key("fields")
        json.array { json in for field in QuirksField.all { field.write(to: &json) } }
      }
    }
  }

  /// Creates a profile from a short description, as `hapsim new` does. It doesn't serve the profile.
  func makeProfile(_ call: ControlCall) throws(WebProblem) -> WebAnswer {
    let profile = try call.reading { (node) throws(JSONProblem) -> NewProfile in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["services", "name", "category"])
      let list = try node.required("services")
      let services = try node.list("services") { node throws(JSONProblem) in
        let text = try node.asString()
        do throws(ServiceRequestError) { return try ServiceRequest(text) } catch { throw node.problem(error.message) }
      }
      guard !services.isEmpty else { throw list.problem("at least one service is expected") }
      guard services.count <= 100 else { throw list.problem("at most 100 services are expected") }
      return NewProfile(
        name: try node["name"]?.asAccessoryName(), category: try node["category"]?.asCategory(), services: services)
    }
    return WebAnswer(200, contentType: "application/json", body: Array(profile.text.utf8))
  }
}

extension JSONNode {
  fileprivate func asAccessoryName() throws(JSONProblem) -> String {
    let name = try asString()
    if let problem = AccessoryProfile.problem(withName: name) { throw self.problem(problem) }
    return name
  }

  fileprivate func asCategory() throws(JSONProblem) -> HAPModel.Category {
    let slug = try asString()
    if let category = Catalogue.category(slug: slug) { return category }
    let meant = nearestName(to: slug, in: Catalogue.categories.map(\.slug)).map { ": did you mean \"\($0)\"?" } ?? ""
    throw problem("there is no category \"\(slug.prefix(100))\"\(meant)")
  }
}
