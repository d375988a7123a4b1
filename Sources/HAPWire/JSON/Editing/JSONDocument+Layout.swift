/// Determines where a change goes and how it is laid out.
extension JSONDocument {
  /// Adds an item after another one; `after` is -1 for an empty list or object.
  func adding(_ new: Addition, after index: Int, in trail: Trail) -> Splice {
    guard index >= 0 else {
      return replacing(trail, with: new.name.map { .object([($0, new.value)]) } ?? .list([new.value]))
    }
    let neighbour = trail.layout.items[index]
    let here = neighbour.end..<neighbour.end
    switch setting(of: index, in: trail.layout) {
    case .ownLine(let margin):
      let hasFollower = index + 1 < trail.layout.items.count && !hasBreak(trail.layout.gap(before: index + 1))
      let line = style.comma + line(new)
      if hasFollower, fits(line, in: here) { return Splice(range: here, text: line) }
      return Splice(range: here, text: "," + style.newline + margin + text(new, margin: margin))
    case .manyLines(let margin):
      let column = bytes.column(of: neighbour.end)
      return Splice(range: here, text: style.comma + text(new, margin: margin, column: column + style.comma.count))
    case .oneLine:
      let line = style.comma + line(new)
      if fits(line, in: here) { return Splice(range: here, text: line) }
      return spreading(trail.steps + [(trail.layout, index)]) { text, margin in
        text + "," + style.newline + margin + self.text(new, margin: margin)
      }
    }
  }

  func replacing(_ trail: Trail, with value: JSONNode) -> Splice {
    let range = trail.layout.range
    let column = bytes.column(of: range.lowerBound)
    guard let (parent, index) = trail.steps.last else { return Splice(range: range, text: style.text(value)) }
    switch setting(of: index, in: parent) {
    case .ownLine(let margin), .manyLines(let margin):
      return Splice(range: range, text: style.text(value, margin: margin, column: column))
    case .oneLine:
      let line = style.line(value)
      if fits(line, in: range) || value.elements == nil && value.members == nil {
        return Splice(range: range, text: line)
      }
      let name = String(decoding: bytes[parent.items[index].start..<range.lowerBound], as: UTF8.self)
      return spreading(trail.steps) { _, margin in
        name + style.text(value, margin: margin, column: margin.count + name.count)
      }
    }
  }

  /// Removes an item with its comma, and with its line if no other item is on the line.
  func removing(_ index: Int, from container: JSONLayout) -> Splice {
    let items = container.items
    guard items.count > 1 else {
      return Splice(range: (container.range.lowerBound + 1)..<(container.range.upperBound - 1), text: "")
    }
    let isLast = index == items.count - 1
    let leadsItsLine =
      !isLast && hasBreak(container.gap(before: index)) && !hasBreak(container.gap(before: index + 1))
    if index == 0 || leadsItsLine { return Splice(range: items[index].start..<items[index + 1].start, text: "") }
    return Splice(range: items[index - 1].end..<items[index].end, text: "")
  }

  // MARK: Lines

  /// The position of an item relative to the others, with the indentation of its lines.
  private enum Setting { case ownLine(String), manyLines(String), oneLine }

  private func setting(of index: Int, in container: JSONLayout) -> Setting {
    let item = container.items[index]
    if hasBreak(container.gap(before: index)) { return .ownLine(bytes.indentation(at: item.start)) }
    if hasBreak(item.start..<item.end) { return .manyLines(bytes.indentation(at: item.end)) }
    return .oneLine
  }

  private func hasBreak(_ range: Range<Int>) -> Bool { bytes[range].contains(0x0A) }

  /// Returns whether a line stays within the width, or gets no longer, if a text replaces some of its bytes.
  private func fits(_ text: String, in range: Range<Int>) -> Bool {
    if style.isOneLine || text.utf8.count <= range.count { return true }
    let end = bytes[range.upperBound...].firstIndex(of: 0x0A) ?? bytes.count
    let rest = bytes[range.upperBound..<end].count { $0 & 0xC0 != 0x80 && $0 != 0x0D }
    return bytes.column(of: range.lowerBound) + text.unicodeScalars.count + rest <= style.width
  }

  /// Breaks up a line that is too long: the innermost list or object, and those around it on the same line, get a
  /// line for each item.
  ///
  /// - Parameter change: returns the replacement of the innermost item.
  private func spreading(
    _ steps: [(container: JSONLayout, index: Int)], _ change: (_ text: String, _ margin: String) -> String
  ) -> Splice {
    var outermost = steps.count - 1
    while outermost > 0, !hasBreak(steps[outermost - 1].container.gap(before: steps[outermost - 1].index)) {
      outermost -= 1
    }
    let range = steps[outermost].container.range
    let margin = bytes.indentation(at: range.lowerBound)
    return Splice(range: range, text: spread(steps[outermost...], margin, change))
  }

  private func spread(
    _ steps: ArraySlice<(container: JSONLayout, index: Int)>, _ margin: String, _ change: (String, String) -> String
  ) -> String {
    guard let (container, onTheWay) = steps.first else { preconditionFailure("there is no step") }
    let inner = margin + style.indent
    let lines = container.items.enumerated().map { index, item in
      if index != onTheWay { return inner + written(item.start..<item.end) }
      if steps.count == 1 { return inner + change(written(item.start..<item.end), inner) }
      return inner + written(item.start..<item.value.range.lowerBound) + spread(steps.dropFirst(), inner, change)
    }
    let open = written(container.range.lowerBound..<(container.range.lowerBound + 1))
    let close = written((container.range.upperBound - 1)..<container.range.upperBound)
    return open + style.newline + lines.joined(separator: "," + style.newline) + style.newline + margin + close
  }

  private func written(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func line(_ new: Addition) -> String {
    (new.name.map { style.quoted($0) + style.colon } ?? "") + style.line(new.value)
  }

  private func text(_ new: Addition, margin: String, column: Int? = nil) -> String {
    let name = new.name.map { style.quoted($0) + style.colon } ?? ""
    let column = (column ?? margin.unicodeScalars.count) + name.unicodeScalars.count
    return name + style.text(new.value, margin: margin, column: column)
  }
}
