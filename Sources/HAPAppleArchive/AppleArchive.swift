import HAPModel

/// One of the files that Apple's HomeKit Accessory Simulator keeps its accessories in, as far as it can be made out. Experimental.
///
/// Nothing is published about these files, and no real one was at hand: see docs/importing.md for what is known and what is guessed.
/// Reading is tolerant: what is off or not understood becomes a remark.
package struct AppleArchive: Sendable {
  /// The accessory, or a bridge and what is behind it: the first has aid 1. `AttributeDatabase` takes them as they are.
  package var accessories: [Accessory] = []
  /// What the accessories call themselves, by aid.
  package var names: [UInt64: String] = [:]
  package var category: HAPModel.Category?
  package var setupCode: SetupCode?
  package var setupID: SetupID?
  package var deviceID: DeviceID?
  /// What was left out, mended or not understood.
  package var remarks: [Remark] = []

  /// Something about a file that whoever imports it should know.
  package struct Remark: Equatable, Sendable, CustomStringConvertible {
    /// A path such as "accessory.HAK.services[0].HAK.uuid".
    package var place: String
    package var message: String

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
  }

  /// - Throws: where there is no accessory at all to be had.
  package init(_ bytes: [UInt8]) throws(AppleArchiveError) {
    var reader = ArchiveReader(try KeyedArchive(try PropertyList(binary: bytes)))
    try reader.read(into: &self)
    remarks = reader.log.remarks
  }

  /// Whether the file begins as such files do: as a binary property list.
  package static func isArchive(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist00".utf8) }
}
