import HAPWire

/// The OpenAPI document: the file, with the schemas of the commands and of the faults among its components.
enum ControlDescription {
  static let text: String = {
    let file = "\(EmbeddedDescription.text)"
    // Blanks are not embedded.
    let start = #""schemas":{"#
    guard let place = file.firstRange(of: start) else {
      preconditionFailure("the OpenAPI document has no components")
    }
    return file[..<place.upperBound] + CommandSchemas.members + "," + file[place.upperBound...]
  }()
}
