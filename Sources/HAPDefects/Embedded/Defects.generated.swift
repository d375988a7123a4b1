// swift-format-ignore-file
package enum EmbeddedDefects {
  package static let files: [(name: String, text: StaticString)] = []
}
