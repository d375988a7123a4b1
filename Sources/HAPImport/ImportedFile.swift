import HAPAppleArchive
import HAPIP
import HAPModel
import HAPProfile
import HAPWire

/// What can be imported: databases of accessories as controllers record them.
///
/// - `database`: the answer to `GET /accessories`, or its list alone.
/// - `diagnostics`: what Home Assistant offers for download at a HomeKit Device, of one accessory.
/// - `cache`: aiohomekit's characteristic cache, also as Home Assistant stores it (`homekit_controller-entity-map`), of many.
/// - `pairings`: the pairing file of homekit_python and of early aiohomekit, with the database of each beside its keys. The keys are left alone.
package struct ImportedFile: Sendable {
  ///
  /// And `archive`: the files of Apple's HomeKit Accessory Simulator.
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

  /// Reads a file whose form is told by what is in it.
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
          "this is none of: the answer to GET /accessories, Home Assistant diagnostics, an aiohomekit cache")
      }
      var devices: [ImportedDevice] = []
      for (name, node) in found { devices.append(try Self.device(name, node, reader)) }
      guard !devices.isEmpty else { throw document.problem("there is no accessory in it") }
      self.form = form
      self.devices = devices
    } catch { throw ImportError(error) }
  }

  /// Where the lists of accessories are, with the names of their devices.
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

  /// - Parameter reader: with the remarks about the whole file.
  private static func device(
    _ name: String?, _ node: JSONNode, _ reader: AttributeReader
  ) throws(JSONProblem) -> ImportedDevice {
    _ = try node.asList()
    var reader = reader
    var copy = DeviceCopy(try reader.accessories(node))
    guard !copy.accessories.isEmpty else { throw node.problem("there is no accessory in it") }
    copy.saysBooleansInWords = reader.sawBooleanInWords
    copy.listsEmptyTLV8AsNull = reader.sawNullTLV8
    return ImportedDevice(name: name, copy: copy, remarks: reader.remarks.map(\.description))
  }

  /// What isn't known of such files is a great deal, so what is left out of one is a note. It is no whole device: units and links are missing.
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
