import CYAML
import HAPWire

/// The events of one YAML text in order. It owns libyaml's parser.
final class YAMLEvents {
  struct Event: Equatable {
    enum Kind: Equatable {
      case streamStart, streamEnd, documentStart, documentEnd
      case alias(String)
      case scalar(Scalar)
      case sequenceStart(Properties)
      case mappingStart(Properties)
      case sequenceEnd, mappingEnd
    }

    var kind: Kind
    /// The start of the event, including its anchor or tag.
    var place: JSONPlace
  }

  /// The optional prefixes of a value: `&anchor` and `!tag`.
  struct Properties: Equatable {
    var anchor: String?
    /// The tag as resolved by libyaml: "tag:yaml.org,2002:str" for `!!str`.
    var tag: String?
  }

  struct Scalar: Equatable {
    var text: String
    /// Neither in quotes nor a block.
    var isPlain: Bool
    var properties: Properties
  }

  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  /// The memory that libyaml reads from, until the parser is deleted.
  private let text: UnsafeMutableRawBufferPointer

  init(_ bytes: [UInt8]) {
    text = .allocate(byteCount: bytes.count, alignment: 1)
    text.copyBytes(from: bytes)
    let isInitialised = yaml_parser_initialize(parser) == 1
    precondition(isInitialised, "no memory for a YAML parser")
    // Without this call, libyaml would guess the encoding, and could take the first two bytes for UTF-16.
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.assumingMemoryBound(to: UInt8.self).baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  /// Returns the next event. It must not be called after `streamEnd` or an error.
  func next() throws(JSONError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw complaint }
    defer { yaml_event_delete(&event) }
    return Event(kind: Self.kind(of: event), place: JSONPlace(event.start_mark))
  }

  private static func kind(of event: yaml_event_t) -> Event.Kind {
    let data = event.data
    switch event.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_STREAM_END_EVENT: return .streamEnd
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_ALIAS_EVENT: return .alias(string(data.alias.anchor) ?? "")
    case YAML_SEQUENCE_START_EVENT:
      let start = data.sequence_start
      return .sequenceStart(Properties(anchor: string(start.anchor), tag: string(start.tag)))
    case YAML_MAPPING_START_EVENT:
      let start = data.mapping_start
      return .mappingStart(Properties(anchor: string(start.anchor), tag: string(start.tag)))
    case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    case YAML_SCALAR_EVENT:
      let scalar = data.scalar
      return .scalar(
        Scalar(
          text: String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self),
          isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
          properties: Properties(anchor: string(scalar.anchor), tag: string(scalar.tag))))
    default: preconditionFailure("libyaml has no other events")
    }
  }

  private static func string(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    text.map { String(cString: $0) }
  }

  /// The reason why libyaml stopped.
  private var complaint: JSONError {
    let state = parser.pointee
    let problem = state.problem.map { String(cString: $0) } ?? ""
    switch state.error {
    case YAML_READER_ERROR:
      let offset = min(state.problem_offset, text.count)
      return JSONError(
        place: JSONPlace(offset: offset, in: UnsafeRawBufferPointer(text)),
        message: YAMLMessages.message(ofBytes: problem))
    case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
      let context = state.context.map { String(cString: $0) }
      let mark = state.problem_mark
      return JSONError(
        place: JSONPlace(mark),
        message: YAMLMessages.message(
          of: problem, context: context.map { ($0, JSONPlace(state.context_mark)) }, at: character(at: mark)))
    default: preconditionFailure("no memory to read YAML")
    }
  }

  /// Returns the character at a mark, for messages; nil at the end.
  private func character(at mark: yaml_mark_t) -> Unicode.Scalar? {
    // A mark counts characters.
    var rest = mark.index
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if rest == 0 { return scalar }
      rest -= 1
    }
    return nil
  }
}

extension JSONPlace {
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
  }
}
