/// The state of an accessory as a Matter node.
public struct MatterNodeState: Hashable, Sendable {
  /// The UDP port.
  public let port: UInt16
  /// The codes of the accessory itself. They are valid while its own window or a basic one is open.
  public let codes: MatterCodes
  /// The open commissioning window; `nil`: none is open.
  public let window: MatterWindow?
  /// The fabrics whose commissioning is complete, sorted by index.
  public let fabrics: [MatterFabric]
  /// The number of secured sessions.
  public let sessions: Int
  /// The number of subscriptions of all controllers.
  public let subscriptions: Int

  package init(
    port: UInt16, codes: MatterCodes, window: MatterWindow?, fabrics: [MatterFabric], sessions: Int, subscriptions: Int
  ) {
    (self.port, self.codes, self.window, self.fabrics) = (port, codes, window, fabrics)
    (self.sessions, self.subscriptions) = (sessions, subscriptions)
  }

  /// Whether the accessory is in a fabric.
  public var isCommissioned: Bool { !fabrics.isEmpty }
}

/// The data with which a commissioner finds a Matter node and proves that it knows the passcode.
public struct MatterCodes: Hashable, Sendable {
  /// The text of the QR code: "MT:Y.K90AFN00KA0648G00".
  public let payload: String
  /// The code that a person types: "34970112332".
  public let manualCode: String
  /// 0 to 4095.
  public let discriminator: UInt16

  package init(payload: String, manualCode: String, discriminator: UInt16) {
    (self.payload, self.manualCode, self.discriminator) = (payload, manualCode, discriminator)
  }
}

/// A time in which a Matter node can be commissioned with a passcode.
public struct MatterWindow: Hashable, Sendable {
  /// The passcode of a window; the raw value is a word of the command `open-window`.
  public enum Kind: String, CaseIterable, Sendable {
    /// The passcode of the accessory.
    case basic
    /// A passcode of the window alone.
    case enhanced
  }

  /// Why a window is closed; the raw value is the `reason` of an event.
  package enum End: String, CaseIterable, Sendable {
    case expired, commissioned, revoked, closed
    case wrongPasscodes = "wrong-passcodes"
  }

  /// Whether it has the passcode of the accessory.
  public let kind: Kind
  /// The discriminator that the accessory announces: 0 to 4095.
  public let discriminator: UInt16
  /// The time until it closes; `nil`: it is open until the accessory has been commissioned.
  public let remaining: Duration?
  /// The index of the fabric whose administrator has opened it; `nil`: the accessory or a command has, or the fabric was
  /// removed since.
  public let fabric: UInt8?
  /// Its codes; `nil`: only the administrator that has opened it knows them.
  public let codes: MatterCodes?

  package init(kind: Kind, discriminator: UInt16, remaining: Duration?, fabric: UInt8?, codes: MatterCodes?) {
    (self.kind, self.discriminator, self.remaining) = (kind, discriminator, remaining)
    (self.fabric, self.codes) = (fabric, codes)
  }

  /// The seconds that a window of a command or of an administrator can be open. Matter 1.4 §11.19.8.1.
  public static let timeouts: ClosedRange<Int> = 180...900

  /// The time until it closes in seconds, rounded up; `nil`: it has no limit.
  package var seconds: Int? {
    remaining.map { $0.components.attoseconds > 0 ? Int($0.components.seconds) + 1 : Int($0.components.seconds) }
  }
}

/// A fabric that a Matter node belongs to: an ecosystem with its controllers. Its IDs have 16 hexadecimal digits.
public struct MatterFabric: Hashable, Sendable {
  /// 1 to 254. A removed fabric's index can be given to another one.
  public let index: UInt8
  /// The label that a controller has set; empty if none has.
  public let label: String
  /// The vendor ID of the commissioner.
  public let vendor: UInt16
  /// Unique only together with the root certificate of the fabric.
  public let fabricID: String
  /// The ID of the accessory in the fabric.
  public let nodeID: String
  /// The name of the fabric in multicast DNS.
  public let compressedID: String

  package init(
    index: UInt8, label: String, vendor: UInt16, fabricID: String, nodeID: String, compressedID: String
  ) {
    (self.index, self.label, self.vendor) = (index, label, vendor)
    (self.fabricID, self.nodeID, self.compressedID) = (fabricID, nodeID, compressedID)
  }

  /// The indices of fabrics. Matter 1.4 §7.5.2.
  package static let indices: ClosedRange<UInt8> = 1...254
}
