import HAPHome
import HAPModel

/// A request of `SceneRun` to its shell. The shell performs actions in their order, and before the next input.
public enum SceneAction: Hashable, Sendable {
  /// Send this request once, and answer with `answered`.
  case put(ScenePut)
  /// Stop waiting for the answer to this PUT and close its connection: a late answer could be assigned to another
  /// request. The next input about the connection reports a new one.
  case giveUp(ScenePut.ID)
  /// An execution has ended. The shell stores the changes and applies them to the model.
  case ended(SceneTicket, SceneResult, [HomeChange])
}

/// One `PUT /characteristics`. HAP R2 §6.7.2.
public struct ScenePut: Hashable, Sendable {
  /// The connection, and the number of the PUT. No other PUT of the machine has the number.
  public struct ID: Hashable, Sendable {
    /// The paired device: the bridge of bridged accessories.
    public let device: DeviceID
    let number: Int
  }

  /// One entry.
  public struct Entry: Hashable, Sendable {
    /// The accessory and the characteristic in the request.
    public let id: AttributeID
    /// The characteristic in the home.
    public let characteristic: HomeObjectID
    /// The value, canonical for the characteristic's format.
    public let value: Value
  }

  /// The greatest number of entries.
  public static let mostEntries = 100

  /// The connection and the number.
  public let id: ID
  /// The execution.
  public let ticket: SceneTicket
  /// Whether `PUT /prepare` comes first, because the characteristics require a timed write. HAP R2 §6.7.2.4.
  public let isTimed: Bool
  /// The entries, 1...100 of them; none has the same `id` as another.
  public let entries: [Entry]
}

/// How a PUT ended.
public enum SceneAnswer: Hashable, Sendable {
  /// The accessory confirmed all entries (204).
  case done
  /// The accessory answered with a status for each entry (207). Other entries are ignored.
  case statuses([Status])
  /// The accessory refused the whole request, or its `PUT /prepare`; nil: an HTTP error without a HAP status.
  case refused(status: Int?)
  /// The connection ended before the request was sent. The accessory certainly did not execute it.
  case notSent
  /// The connection ended after the request was sent, or perhaps sent.
  case connectionLost
  /// The answer was not valid JSON, HTTP or a valid frame.
  case unreadable
  /// A frame of the answer had a wrong authentication tag.
  case wrongSignature

  /// The status of one entry.
  public struct Status: Hashable, Sendable {
    /// The accessory and the characteristic in the answer.
    public var id: AttributeID
    /// HAP status; 0: success. HAP R2 §6.7.1.4.
    public var status: Int

    /// Creates a status.
    public init(_ id: AttributeID, _ status: Int) { (self.id, self.status) = (id, status) }
  }
}
