/// The properties of a case that a selector can match.
package struct SelectableCase: Equatable, Sendable {
  /// "PS-29".
  package var id: String
  /// "m1-while-paired".
  package var name: String
  /// "pair-setup".
  package var area: String
  /// One or several sections: "HAP R2 §5.6.2, §5.14".
  package var section: String
  /// "must", "should" or "info".
  package var level: String
  /// Tags such as "long" or "reset".
  package var tags: [String]

  package init(id: String, name: String, area: String, section: String, level: String, tags: [String]) {
    self.id = id
    self.name = name
    self.area = area
    self.section = section
    self.level = level
    self.tags = tags
  }
}
