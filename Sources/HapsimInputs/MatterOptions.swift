import HAPCommandLine
import HAPHost
import HAPLoop
import HAPMatter
import HAPModel

/// The options of Matter.
extension MatterSettings {
  static let flag = Flag("matter", "serve the accessories over Matter, too: a commissioner adds them by a QR code")
  static let portOption = Option<UInt16>(
    "matter-port", "N", in: 1...65535, "the UDP port for Matter (default: 5540, else a free one)")
  static let passcodeOption = Option<UInt32>(
    "matter-passcode", "N", "the passcode for Matter, 1 to 99999998 (default: random, then stored)",
    read: { (text: String) throws(UsageError) in
      guard let passcode = UInt32(text), Self.allows(passcode: passcode) else {
        throw UsageError(
          "a passcode is a number from 1 to 99999998; 12345678, 87654321 and numbers of equal digits are not allowed")
      }
      return passcode
    })
  static let discriminatorOption = Option<UInt16>(
    "matter-discriminator", "N", in: 0...4095, "the discriminator for Matter, 0 to 4095 (default: random, then stored)")
  static let vendorOption = identifier(
    "vendor", 0xFFF1...0xFFF4, "the vendor ID for Matter, one of those for tests, 0xFFF1 to 0xFFF4 (default: 0xFFF1)")
  static let productOption = identifier("product", 1...0xFFFF, "the product ID for Matter (default: 0x8000)")

  static let sharedPort = "--matter-port is for one accessory: several accessories can't share a port"

  /// An option for an identifier, which may be hexadecimal.
  private static func identifier(_ name: String, _ range: ClosedRange<UInt16>, _ summary: String) -> Option<UInt16> {
    Option<UInt16>(
      "matter-\(name)", "N", summary,
      read: { (text: String) throws(UsageError) in
        let number = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        guard let number, range.contains(number) else {
          throw UsageError("expected a number from \(range.lowerBound) to \(range.upperBound), such as 65521 or 0xFFF1")
        }
        return number
      })
  }

  /// - Returns: nil without `--matter`.
  /// - Throws: for an option of Matter without `--matter`.
  init?(_ arguments: Arguments) throws(UsageError) {
    let (port, passcode) = (try arguments.value(Self.portOption), try arguments.value(Self.passcodeOption))
    let discriminator = try arguments.value(Self.discriminatorOption)
    let (vendor, product) = (try arguments.value(Self.vendorOption), try arguments.value(Self.productOption))
    guard arguments[Self.flag] else {
      let given = [
        (Self.portOption.definition, port != nil), (Self.passcodeOption.definition, passcode != nil),
        (Self.discriminatorOption.definition, discriminator != nil), (Self.vendorOption.definition, vendor != nil),
        (Self.productOption.definition, product != nil),
      ]
      if let option = given.first(where: \.1)?.0 { throw UsageError("--\(option.name) needs --matter") }
      return nil
    }
    self.init()
    (self.port, self.passcode, self.discriminator) = (port, passcode, discriminator)
    self.vendor = vendor ?? self.vendor
    self.product = product ?? self.product
  }
}

extension RunOptions {
  /// Adds the front ends to the settings of a simulation.
  package func chooseFrontEnds(in setting: inout Simulation.Setting) {
    guard var matter else { return }
    matter.isSeeded = seed != nil
    setting.frontEnds.append(MatterFrontEnd.choice(matter))
  }

  /// Returns the number of open files with which one accessory listens in these places.
  package func listenerCount(at places: [ListeningPlace]) -> Int {
    places.count + (matter == nil ? 0 : places.datagramHosts.count)
  }
}

extension RunOptions {
  /// Writes the certificate that a commissioner has to trust into a folder next to the stored state, for commissioners
  /// that read a folder of such files.
  /// - Returns: the file; nil: nothing is stored.
  package func storeTrustAnchor(_ matter: MatterIntroduction, of device: DeviceID) throws(FileError) -> String? {
    guard case .folder(let state) = state else { return nil }
    let folder = state + "/matter-trust"
    try makePrivateFolder(folder)
    let file = "\(folder)/\(device.text.filter { $0 != ":" }).der"
    // Replacing a file waits for the disk, and the certificate is the same at every start.
    if (try? readFile(file, limit: 1 << 20)) != matter.trustAnchor {
      try writeFile(file, matter.trustAnchor, overwriting: true)
    }
    return file
  }
}

/// The data with which a person adds an accessory to a fabric of Matter.
package struct MatterIntroduction: Equatable, Sendable {
  package var port: UInt16
  package var qrText: String
  package var manualCode: String
  /// The certificate that a commissioner has to trust, as DER.
  package var trustAnchor: [UInt8]
}

extension SimulatedAccessory {
  /// nil: it is not served over Matter.
  package var matterIntroduction: MatterIntroduction? {
    frontEnd(MatterFrontEnd.self)?.invitation.map {
      MatterIntroduction(
        port: $0.port, qrText: $0.qrText, manualCode: $0.manualCode, trustAnchor: $0.trustAnchor)
    }
  }
}
