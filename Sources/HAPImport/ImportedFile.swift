import HAPAppleArchive
import HAPIP
import HAPModel
import HAPProfile
import HAPWire

/// A file that can be imported. It contains accessory databases as stored by controllers.
///
/// - `database`: the response to `GET /accessories`, or only its list.
/// - `diagnostics`: the diagnostics of a HomeKit device that Home Assistant offers for download. They describe one accessory.
/// - `cache`: aiohomekit's characteristic cache, also as stored by Home Assistant (`homekit_controller-entity-map`), with many accessories.
/// - `pairings`: the pairing file of homekit_python and of early aiohomekit, with a database for each pairing. Its keys are ignored.
/// - `archive`: a file of Apple's HomeKit Accessory Simulator.
package struct ImportedFile: Sendable {
  /// The format of a file. Its raw value is a description.
  package enum Form: String, Sendable {
    case database = "an attribute database"
    case diagnostics = "Home Assistant diagnostics"
    case cache = "an aiohomekit cache"
    case pairings = "a pairing file with databases"
    case archive = "an archive of Apple's simulator"
  }

  package let form: Form
  /// At least one.
  package let devices: [ImportedDevice]

  /// Reads a file and detects its form from its content.
  package init(_ bytes: [UInt8]) throws(ImportError) {
    guard !AppleArchive.isArchive(bytes) else {
      form = .archive
      devices = [try Self.device(inArchive: bytes)]
      return
    }
    if bytes.starts(with: "<?xml".utf8) || bytes.starts(with: "<plist".utf8) {
      throw ImportError("\(AppleArchiveError.xml)")
    }
    var reader = AttributeReader()
    do throws(JSONProblem) {
      let document = try reader.parse(bytes)
      guard let (form, found) = Self.databases(document) else {
        throw document.problem(
          "this is none of these: the response to GET /accessories, Home Assistant diagnostics, an aiohomekit cache")
      }
      var devices: [ImportedDevice] = []
      for (name, node) in found { devices.append(try Self.device(name, node, reader)) }
      guard !devices.isEmpty else { throw document.problem("there is no accessory in the file") }
      self.form = form
      self.devices = devices
    } catch { throw ImportError(error) }
  }

  /// Finds the lists of accessories and the names of their devices.
  private static func databases(_ document: JSONNode) -> (Form, [(String?, JSONNode)])? {
    if document.elements != nil { return (.database, [(nil, document)]) }
    if let list = document["accessories"] { return (.database, [(nil, list)]) }
    let data = document["data"] ?? document
    if let list = data["entity-map"] {
      return (.diagnostics, [(data["config-entry"]?["data"]?["AccessoryPairingID"]?.stringValue, list)])
    }
    if let members = data["pairings"]?.members {
      return (.cache, members.compactMap { member in member.value["accessories"].map { (member.name, $0) } })
    }
    let members = document.members ?? []
    let found = members.compactMap { member in member.value["accessories"].map { (Optional(member.name), $0) } }
    return found.isEmpty ? nil : (.pairings, found)
  }

  /// - Parameter reader: contains the remarks about the whole file.
  private static func device(
    _ name: String?, _ node: JSONNode, _ reader: AttributeReader
  ) throws(JSONProblem) -> ImportedDevice {
    _ = try node.asList()
    var reader = reader
    var copy = DeviceCopy(try reader.accessories(node))
    guard !copy.accessories.isEmpty else { throw node.problem("there is no accessory in the file") }
    copy.saysBooleansInWords = reader.sawBooleanInWords
    copy.listsEmptyTLV8AsNull = reader.sawNullTLV8
    return ImportedDevice(name: name, copy: copy, remarks: reader.remarks.map(\.description))
  }

  /// Reads the device in an archive. Such files are largely undocumented, so a part that is left out is only a note.
  /// The device is incomplete: units and links are missing.
  private static func device(inArchive bytes: [UInt8]) throws(ImportError) -> ImportedDevice {
    let archive: AppleArchive
    do throws(AppleArchiveError) { archive = try AppleArchive(bytes) } catch { throw ImportError("\(error)") }
    var copy = DeviceCopy(archive.accessories)
    copy.isWhole = false
    copy.category = archive.category
    copy.setupCode = archive.setupCode
    copy.setupID = archive.setupID
    copy.deviceID = archive.deviceID
    return ImportedDevice(name: nil, copy: copy, remarks: [], notes: archive.remarks.map(\.description))
  }
}
