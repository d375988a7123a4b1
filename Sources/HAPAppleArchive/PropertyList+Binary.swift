import CPlist

extension PropertyList {
  /// Reads a binary property list, within `PropertyListBounds`.
  init(binary bytes: [UInt8]) throws(AppleArchiveError) {
    guard bytes.starts(with: "bplist00".utf8) else {
      throw bytes.starts(with: "<?xml".utf8) || bytes.starts(with: "<!DOCTYPE plist".utf8) ? .xml : .notAnArchive
    }
    try PropertyListBounds.check(bytes)
    let root = bytes.withUnsafeBytes { buffer in
      cplist_from_bin(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(buffer.count))
    }
    guard let root else { throw .damaged("it is not a property list") }
    defer { plist_free(root) }
    self.init(root)
  }

  /// Converts libplist's tree, whose depth `PropertyListBounds` has checked.
  private init(_ node: plist_t) {
    switch plist_get_node_type(node) {
    case PLIST_BOOLEAN:
      var value: UInt8 = 0
      plist_get_bool_val(node, &value)
      self = .bool(value != 0)
    case cplist_integer:
      var value: UInt64 = 0
      plist_get_uint_val(node, &value)
      self = .integer(Int64(bitPattern: value))
    case PLIST_REAL:
      var value = 0.0
      plist_get_real_val(node, &value)
      self = .real(value)
    case PLIST_STRING:
      var length: UInt64 = 0
      let text = UnsafeRawBufferPointer(start: plist_get_string_ptr(node, &length), count: Int(length))
      self = .string(String(decoding: text, as: UTF8.self))
    case PLIST_DATA:
      var length: UInt64 = 0
      self = .data([UInt8](UnsafeRawBufferPointer(start: plist_get_data_ptr(node, &length), count: Int(length))))
    case PLIST_UID:
      var value: UInt64 = 0
      plist_get_uid_val(node, &value)
      self = .uid(value)
    case PLIST_DATE: self = .date
    case PLIST_ARRAY: self = .array(Self.elements(of: node))
    case PLIST_DICT: self = .dictionary(Self.members(of: node))
    default: self = .null
    }
  }

  private static func elements(of node: plist_t) -> [PropertyList] {
    var iterator: plist_array_iter?
    plist_array_new_iter(node, &iterator)
    defer { cplist_free(iterator) }
    var elements: [PropertyList] = []
    while true {
      var element: plist_t?
      plist_array_next_item(node, iterator, &element)
      guard let element else { return elements }
      elements.append(PropertyList(element))
    }
  }

  /// Returns the members of a dictionary. If a key occurs twice, the first one counts.
  private static func members(of node: plist_t) -> [String: PropertyList] {
    var iterator: plist_dict_iter?
    plist_dict_new_iter(node, &iterator)
    defer { cplist_free(iterator) }
    var members: [String: PropertyList] = [:]
    while true {
      var key: UnsafeMutablePointer<CChar>?
      var value: plist_t?
      plist_dict_next_item(node, iterator, &key, &value)
      defer { cplist_free(key) }
      guard let key, let value else { return members }
      let name = String(cString: key)
      if members[name] == nil { members[name] = PropertyList(value) }
    }
  }
}
