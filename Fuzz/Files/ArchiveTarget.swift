import FuzzSupport
import HAPAppleArchive
import HAPModel

package func fuzzArchive(_ bytes: UnsafeRawBufferPointer) {
  let bytes = [UInt8](bytes)
  let archive: AppleArchive
  do throws(AppleArchiveError) { archive = try AppleArchive(bytes) } catch {
    require(!error.description.isEmpty)
    return
  }
  require(AppleArchive.isArchive(bytes), "another kind of file was read")
  guard let database = try? AttributeDatabase(archive.accessories) else { fatalError("the archive is not a database") }
  require(archive.accessories.first?.aid == 1, "the first accessory has another aid than 1")
  require(archive.names.keys.allSatisfy(database.hasAccessory), "a name belongs to no accessory")
  for service in database.services {
    require(service.iid != 1 || service.type == 0x3E, "instance ID 1 is not Accessory Information")
  }
  for var characteristic in database.characteristics where characteristic.value != .null {
    // A value may be off the grid of its step.
    characteristic.constraints.minStep = nil
    require(characteristic.allows(characteristic.value), "\(characteristic.type) has a value that it refuses")
    require(characteristic.perms.contains(.pairedRead), "\(characteristic.type) has a value that is not readable")
  }
  for remark in archive.remarks { require(!remark.message.isEmpty && !"\(remark)".isEmpty) }
}
