import HAPWire

/// The OpenAPI document: the embedded file, with the schemas of commands and faults added to its components.
enum ControlDescription {
  static let text: String = {
    let file = "\(EmbeddedDescription.text)"
    // Blanks are removed when the file is embedded.
    let start = #""schemas":{"#
    guard let place = file.firstRange(of: start) else {
      preconditionFailure("the OpenAPI document has no components")
    }
    return file[..<place.upperBound] + CommandSchemas.members + "," + file[place.upperBound...]
  }()
}
