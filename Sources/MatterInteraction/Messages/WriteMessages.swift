import HAPWire
import MatterModel
import MatterWire

/// Asks for changes of attributes. Matter 1.4 §10.7.6.
package struct WriteRequest: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    /// Cluster and attribute are never nil.
    package var path: AttributePattern
    package var change: AttributeChange
    /// The data version that the cluster must have; nil: any.
    package var version: UInt32?

    package init(_ path: AttributePattern, _ change: AttributeChange, version: UInt32? = nil) {
      (self.path, self.change, self.version) = (path, change, version)
    }
  }

  package var suppressesResponse: Bool
  package var isTimed: Bool
  package var items: [Item]
  /// Whether another request with more items follows on the same exchange.
  package var hasMore: Bool

  package init(_ items: [Item], isTimed: Bool = false, suppressesResponse: Bool = false, hasMore: Bool = false) {
    (self.items, self.isTimed) = (items, isTimed)
    (self.suppressesResponse, self.hasMore) = (suppressesResponse, hasMore)
  }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    let fields = try MessageFields(payload)
    suppressesResponse = try fields.flag(0)
    isTimed = try fields.flag(1)
    items = try fields.each(2, .structure, Item.init(_:))
    hasMore = try fields.flag(3)
  }

  package var encoded: [UInt8] {
    ByteBuffer.message { buffer in
      buffer.appendFlag(0, suppressesResponse)
      buffer.appendFlag(1, isTimed)
      buffer.appendArray(2, items) { $0.encode(into: &$1) }
      buffer.appendFlag(3, hasMore)
    }
  }
}

extension WriteRequest.Item {
  init(_ fields: MessageFields) throws(InteractionStatus) {
    let path = try fields.neededFields(1, .list)
    let pattern = try AttributePattern(anyIndex: path)
    guard pattern.cluster != nil, pattern.attribute != nil, let value = fields[2] else {
      throw InteractionStatus(.invalidAction)
    }
    self.init(pattern, try path.isAppended() ? .append(value) : .replace(value), version: try fields.number(0))
  }

  func encode(into buffer: inout ByteBuffer) {
    buffer.openContainer(.anonymous, .structure)
    buffer.appendNumber(0, version)
    switch change {
    case .replace(let value):
      buffer.appendPath(.context(1), path)
      Element(.context(2), value).encode(into: &buffer)
    case .append(let value):
      buffer.appendPath(.context(1), path, isAppended: true)
      Element(.context(2), value).encode(into: &buffer)
    }
    buffer.closeContainer()
  }
}

/// The results of a write. Matter 1.4 §10.7.7.
package struct WriteResponse: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    package var path: AttributePattern
    package var isAppended: Bool
    package var status: InteractionStatus

    package init(_ path: AttributePattern, isAppended: Bool = false, _ status: InteractionStatus) {
      (self.path, self.isAppended, self.status) = (path, isAppended, status)
    }
  }

  package var items: [Item]

  package init(_ items: [Item]) { self.items = items }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    items = try MessageFields(payload).each(0, .structure) { fields throws(InteractionStatus) -> Item in
      let path = try fields.neededFields(0, .list)
      return Item(
        try AttributePattern(anyIndex: path), isAppended: try path.isAppended(), try fields.status(1))
    }
  }

  package var encoded: [UInt8] {
    ByteBuffer.message { buffer in
      buffer.openContainer(.context(0), .array)
      for item in items {
        buffer.appendStructure(.anonymous) { buffer in
          buffer.appendPath(.context(0), item.path, isAppended: item.isAppended)
          buffer.appendStatus(1, item.status)
        }
      }
      buffer.closeContainer()
    }
  }
}
