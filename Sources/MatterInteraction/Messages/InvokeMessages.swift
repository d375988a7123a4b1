import HAPWire
import MatterModel
import MatterWire

/// Asks for the execution of commands. Matter 1.4 §10.7.9.
package struct InvokeRequest: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    package var path: CommandPattern
    /// The members of the command's structure.
    package var fields: [Element]
    /// Returned with the answer, if there are several commands.
    package var reference: UInt16?

    package init(_ path: CommandPattern, _ fields: [Element] = [], reference: UInt16? = nil) {
      (self.path, self.fields, self.reference) = (path, fields, reference)
    }
  }

  package var suppressesResponse: Bool
  package var isTimed: Bool
  package var items: [Item]

  package init(_ items: [Item], isTimed: Bool = false, suppressesResponse: Bool = false) {
    (self.items, self.isTimed, self.suppressesResponse) = (items, isTimed, suppressesResponse)
  }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    let fields = try MessageFields(payload)
    suppressesResponse = try fields.flag(0)
    isTimed = try fields.flag(1)
    items = try fields.each(2, .structure) { fields throws(InteractionStatus) -> Item in
      Item(
        try CommandPattern(try fields.neededFields(0, .list)), try fields.fields(1, .structure)?.members ?? [],
        reference: try fields.number(2))
    }
  }

  package var encoded: [UInt8] {
    ByteBuffer.message { buffer in
      buffer.appendFlag(0, suppressesResponse)
      buffer.appendFlag(1, isTimed)
      buffer.appendArray(2, items) { item, buffer in
        buffer.appendStructure(.anonymous) { buffer in
          buffer.appendPath(.context(0), item.path)
          Element(.context(1), .container(.structure, item.fields)).encode(into: &buffer)
          buffer.appendNumber(2, item.reference)
        }
      }
    }
  }
}

/// The results of commands. Matter 1.4 §10.7.10.
package struct InvokeResponse: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    /// With a response, the path of the response command.
    package var path: CommandPattern
    package var outcome: CommandOutcome
    package var reference: UInt16?

    package init(_ path: CommandPattern, _ outcome: CommandOutcome, reference: UInt16? = nil) {
      (self.path, self.outcome, self.reference) = (path, outcome, reference)
    }
  }

  package var suppressesResponse: Bool
  package var items: [Item]
  /// Whether another message follows after a status response.
  package var hasMore: Bool

  package init(_ items: [Item], suppressesResponse: Bool = false, hasMore: Bool = false) {
    (self.items, self.suppressesResponse, self.hasMore) = (items, suppressesResponse, hasMore)
  }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    let fields = try MessageFields(payload)
    suppressesResponse = try fields.flag(0)
    items = try fields.each(1, .structure, Item.init(_:))
    hasMore = try fields.flag(2)
  }

  package var encoded: [UInt8] { Self.encode(items.map(\.encoded), hasMore: hasMore, suppresses: suppressesResponse) }

  /// Returns the message with items that are already encoded.
  static func encode(_ items: [[UInt8]], hasMore: Bool, suppresses: Bool = false) -> [UInt8] {
    ByteBuffer.message { buffer in
      buffer.appendFlag(0, suppresses)
      buffer.openContainer(.context(1), .array)
      for item in items { buffer.append(item) }
      buffer.closeContainer()
      if hasMore { buffer.appendFlag(2, true) }
    }
  }
}

extension InvokeResponse.Item {
  init(_ fields: MessageFields) throws(InteractionStatus) {
    if let command = try fields.fields(0, .structure) {
      let path = try CommandPattern(try command.neededFields(0, .list))
      let members = try command.fields(1, .structure)?.members ?? []
      self.init(path, .response(path.command, members), reference: try command.number(2))
    } else {
      let status = try fields.neededFields(1, .structure)
      self.init(
        try CommandPattern(try status.neededFields(0, .list)), .status(try status.status(1)),
        reference: try status.number(2))
    }
  }

  /// One item of the array.
  var encoded: [UInt8] {
    var buffer = ByteBuffer()
    buffer.openContainer(.anonymous, .structure)
    switch outcome {
    case .response(_, let members):
      buffer.openContainer(.context(0), .structure)
      buffer.appendPath(.context(0), path)
      Element(.context(1), .container(.structure, members)).encode(into: &buffer)
    case .status(let status):
      buffer.openContainer(.context(1), .structure)
      buffer.appendPath(.context(0), path)
      buffer.appendStatus(1, status)
    }
    buffer.appendNumber(2, reference)
    buffer.closeContainer()
    buffer.closeContainer()
    return buffer.bytes
  }
}
