import HAPModel
import HAPWire

/// Provides the images for `POST /resource`. HAP R2 §11.5 "Image Snapshot".
package protocol SnapshotSource: AnyObject {
  /// - Returns: a JPEG of about the requested size; nil if no image of this accessory is available.
  func snapshot(_ request: SnapshotRequest) -> [UInt8]?
}

/// A controller's request for an image.
package struct SnapshotRequest: Equatable, Sendable {
  /// The accessory ID of a bridged camera; nil: the only camera.
  package var aid: UInt64?
  /// In pixels, at least 1.
  package var width: Int
  package var height: Int

  package init(aid: UInt64? = nil, width: Int, height: Int) {
    self.aid = aid
    self.width = width
    self.height = height
  }

  /// The largest side that is accepted: 16K.
  private static let largestSide: Int128 = 16_384

  /// - Returns: nil if the body is not a request for an image.
  init?(_ body: UnsafeRawBufferPointer) {
    guard let node = try? JSONNode.parse([UInt8](body)), node["resource-type"]?.stringValue == "image",
      let width = node["image-width"]?.integerValue, let height = node["image-height"]?.integerValue,
      (1...Self.largestSide).contains(width), (1...Self.largestSide).contains(height)
    else { return nil }
    if let written = node["aid"] {
      guard let aid = written.integerValue.flatMap({ UInt64(exactly: $0) }) else { return nil }
      self.aid = aid
    }
    self.width = Int(width)
    self.height = Int(height)
  }
}

extension AccessoryCore {
  /// Handles `POST /resource`.
  func receiveResource(_ body: UnsafeRawBufferPointer, on connection: ConnectionCore) {
    guard let snapshotSource else {
      refuse(connection, request: "POST /resource", reason: "the accessory has no camera")
      return answer(quirks.noResource, on: connection)
    }
    guard let request = SnapshotRequest(body) else {
      refuse(connection, request: "POST /resource", reason: "the body requests no image with sides of 1 to 16384")
      return connection.answer(.badRequest)
    }
    guard let picture = snapshotSource.snapshot(request) else {
      refuse(connection, request: "POST /resource", reason: "no image is available")
      return connection.answer(.notFound)
    }
    connection.answer(.ok, .jpeg) { $0.append(picture) }
  }

  /// Handles `POST /secure-message`, which is for software authentication. A simulator can't support it, so a
  /// well-formed PDU is answered "unsupported PDU"; HomeKitADK gives the same answer to unknown operations. HAP R2
  /// §7.3.3.
  func receiveSecureMessage(_ body: UnsafeRawBufferPointer, _ type: HTTPContentType, on connection: ConnectionCore) {
    guard type == .octetStream, Self.isRequestPDU(body) else {
      refuse(connection, request: "POST /secure-message", reason: "the body is not a HAP PDU")
      return connection.answer(.badRequest)
    }
    refuse(connection, request: "POST /secure-message", reason: "software authentication is not supported")
    let response: UInt8 = 0b10
    let unsupportedPDU: UInt8 = 1
    connection.answer(.ok, .octetStream) { buffer in
      buffer.append(response)
      buffer.append(body[2])
      buffer.append(unsupportedPDU)
    }
  }

  /// Returns whether the bytes are a request PDU: control field 0, opcode, transaction, two bytes of iid, and
  /// optionally a body of the length in its two length bytes.
  private static func isRequestPDU(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 5, bytes[0] == 0 else { return false }
    if bytes.count == 5 { return true }
    guard bytes.count >= 7 else { return false }
    return bytes.count - 7 == Int(bytes[5]) | Int(bytes[6]) << 8
  }
}
