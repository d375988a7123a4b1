import HAPModel

/// A file of Apple's HomeKit Accessory Simulator with its accessories. Experimental.
///
/// The file format is not published, and no real file was available. docs/guides/importing.md lists what is known and what is guessed.
/// Deviations and unknown parts are tolerated; each becomes a remark.
package struct AppleArchive: Sendable {
  /// The accessory, or a bridge and its accessories. The first one has aid 1. `AttributeDatabase` accepts them unchanged.
  package var accessories: [Accessory] = []
  /// The names of the accessories, by aid.
  package var names: [UInt64: String] = [:]
  package var category: HAPModel.Category?
  package var setupCode: SetupCode?
  package var setupID: SetupID?
  package var deviceID: DeviceID?
  /// Remarks about parts that were left out, repaired or not understood.
  package var remarks: [Remark] = []

  /// A remark about a file for the user who imports it.
  package struct Remark: Equatable, Sendable, CustomStringConvertible {
    /// A path such as "accessory.HAK.services[0].HAK.uuid".
    package var place: String
    package var message: String

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
  }

  /// - Throws: if the file has no accessory.
  package init(_ bytes: [UInt8]) throws(AppleArchiveError) {
    var reader = ArchiveReader(try KeyedArchive(try PropertyList(binary: bytes)))
    try reader.read(into: &self)
    remarks = reader.log.remarks
  }

  /// Whether the file starts as such files do: as a binary property list.
  package static func isArchive(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist00".utf8) }
}
