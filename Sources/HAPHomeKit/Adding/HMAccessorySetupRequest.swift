import Foundation
import HAPLoop

/// The known answers to the questions of adding an accessory. HMAccessorySetupRequest
public final class HMAccessorySetupRequest: NSObject, NSCopying, Sendable {
  struct Values: Sendable {
    var payload: HMAccessorySetupPayload?
    var home: UUID?
    var room: UUID?
    var name: String?
  }

  private let state: Guarded<Values>

  /// Creates a request without answers: the person gives all of them.
  public override convenience init() { self.init(Values()) }

  private init(_ values: Values) { state = Guarded(values) }

  var values: Values { state.withLock { $0 } }

  /// The content of the accessory's QR code; nil: the person enters the setup code.
  public var payload: HMAccessorySetupPayload? {
    get { values.payload }
    set { state.withLock { $0.payload = newValue } }
  }

  /// The identifier of the home that gets the accessory; nil: the person chooses one if there are several.
  public var homeUniqueIdentifier: UUID? {
    get { values.home }
    set { state.withLock { $0.home = newValue } }
  }

  /// The identifier of the suggested room. The person can choose another one. A room of another home is ignored.
  public var suggestedRoomUniqueIdentifier: UUID? {
    get { values.room }
    set { state.withLock { $0.room = newValue } }
  }

  /// The suggested name of the first service of the accessory. The person can enter another one.
  public var suggestedAccessoryName: String? {
    get { values.name }
    set { state.withLock { $0.name = newValue } }
  }

  /// Returns a request with the same answers.
  public func copy(with zone: NSZone? = nil) -> Any { HMAccessorySetupRequest(values) }
}
