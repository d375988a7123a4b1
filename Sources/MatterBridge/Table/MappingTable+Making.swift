import HAPAttributes
import HAPModel
import MatterModel

extension MappingTable {
  /// The table of an accessory that was never served.
  /// - Parameters:
  ///   - vendor: the vendor of the device types and clusters that Matter does not know.
  ///   - path: returns the place of a service or a characteristic in the profile.
  package init(
    of database: AttributeDatabase, _ overrides: MappingOverrides, vendor: UInt16 = 0xFFF1,
    path: @escaping (AttributeID) -> String?
  ) {
    let device = NoDevice()
    let server = AttributeServer(database, quirks: AttributeQuirks(), device)
    let session = AttributeSession(controller: nil, connection: device, frontEnd: device)
    server.open(session)
    let node = MappedAccessory(
      server, session, overrides, numbers: EndpointNumbers(), nodeID: "0", vendor: vendor, random: { 0 })
    self = withExtendedLifetime(device) { TableMaker(node, path: path).table }
    server.close(session)
  }
}

/// The device and the connection of an accessory that is not served.
private final class NoDevice: AttributeActions, AttributeFrontEnd {
  let makesReports = false

  func newTicket() -> Ticket { Ticket(number: 0) }
  func wrote(_ write: ServiceWrite) {}
  func read(_ ids: [AttributeID], ticket: Ticket) {}
  func append(_ report: AccessoryReport) {}
  func isAdmin(_ session: AttributeSession) -> Bool { true }
  func sendEvents(of session: AttributeSession, at now: Duration) {}
  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {}
  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {}
  func reportMissing(_ id: AttributeID, in session: AttributeSession) {}
}
