import HAPWeb

/// The OpenAPI document: the embedded file, with the schemas of commands and faults added to its components.
enum ControlDescription {
  static let text = "\(EmbeddedDescription.text)".addingSchemas(CommandSchemas.object)
}
