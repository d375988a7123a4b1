import Foundation
import HAPHome
import HAPHubLink
import HAPModel

/// A characteristic of a service, such as Brightness. HMCharacteristic
public final class HMCharacteristic: NSObject, HomeKitObject {
  let handle: Handle<HomeCharacteristic>
  init(_ handle: Handle<HomeCharacteristic>) { self.handle = handle }

  var record: HomeCharacteristic { handle.record }
  var id: HomeObjectID { handle.id }

  /// The identifier, which stays the same after relaunches.
  public var uniqueIdentifier: UUID { handle.uuid }
  /// The type: a UUID in upper case, such as `HMCharacteristicTypeBrightness`.
  public var characteristicType: String { record.type.uuid }
  /// The name of the type for people, in English; for a type that is not Apple's, the manufacturer's description.
  public var localizedDescription: String { record.displayName }

  /// What apps may do, such as `HMCharacteristicPropertyReadable`.
  public var properties: [String] {
    let names: [(Permissions, String)] = [
      (.pairedRead, HMCharacteristicPropertyReadable), (.pairedWrite, HMCharacteristicPropertyWritable),
      (.events, HMCharacteristicPropertySupportsEventNotification), (.hidden, HMCharacteristicPropertyHidden),
      (.additionalAuthorization, HMCharacteristicPropertyRequiresAuthorizationData),
    ]
    return names.filter { record.permissions.contains($0.0) }.map(\.1)
  }

  /// The format, the limits and the unit.
  public var metadata: HMCharacteristicMetadata? { HMCharacteristicMetadata(record) }

  /// The service; nil after the end of the manager.
  public var service: HMService? {
    guard let session = handle.session, let id = handle.path.service else { return nil }
    return session.known(HMService.self, id) ?? handle.homeRecord.flatMap { session.service(id, in: $0) }
  }

  /// The last known value, an `NSNumber`, `NSString` or `NSData`; nil before a read, a write or a notification.
  public var value: Any? { handle.session?.state.withLock { $0.values[id] }?.foundationValue }

  /// Whether this app gets notifications.
  public var isNotificationEnabled: Bool { handle.session?.state.withLock { $0.subscribed.contains(id) } ?? false }

  // MARK: Requests

  /// Reads the value from the accessory. Afterwards, `value` has it.
  /// - Throws: 6 for a characteristic that can't be read; 4 and 88 if the accessory can't be reached.
  public func readValue(completionHandler completion: @escaping ((any Error)?) -> Void) {
    handle.ask(.read([id])) { result in
      guard case .success(.values(let readings)) = result, let reading = readings.first else {
        return completion(result.error)
      }
      completion(reading.error.map { HMError($0) })
    }
  }

  /// Reads the value from the accessory.
  /// - Throws: as the form with a handler.
  public func readValue() async throws { try await awaiting { readValue(completionHandler: $0) } }

  /// Writes a value to the accessory: a number, a text or data, as the format demands. Afterwards, `value` has it.
  /// - Throws: 5 for a characteristic that can't be written; 43 to 46, 51, 3 for the value; 4 and 88 if the accessory can't
  ///   be reached; 87 without the authorization data that it demands.
  public func writeValue(_ value: Any?, completionHandler completion: @escaping ((any Error)?) -> Void) {
    let action = HomeAction(id, Value(written: value, format: record.rules.format))
    handle.ask(.write(home: handle.path.home, [action])) { result in
      guard case .success(.executed(let execution)) = result else { return completion(result.error) }
      let error = execution.actions.first?.error ?? execution.error
      completion(error.map { HMError($0) })
    }
  }

  /// Writes a value to the accessory.
  /// - Throws: as the form with a handler.
  public func writeValue(_ value: Any?) async throws {
    let action = UncheckedValue(value)
    try await awaiting { writeValue(action.value, completionHandler: $0) }
  }

  /// Enables or disables notifications of changes for this app: the delegate of the accessory is called.
  /// - Throws: 7 for a characteristic without notifications; 68 if they are enabled.
  public func enableNotification(_ enable: Bool, completionHandler completion: @escaping ((any Error)?) -> Void) {
    if handle.session?.begins(toSubscribe: enable, to: id) == false {
      let error = HMError(
        .notificationAlreadyEnabled, "the notifications of \(localizedDescription) are enabled in this app")
      return AppSession.refuse(error) { completion($0.error) }
    }
    handle.ask(enable ? .subscribe([id]) : .unsubscribe([id])) { [handle] result in
      handle.session?.subscribed(to: handle.id, enable, result.error)
      completion(result.error)
    }
  }

  /// Enables or disables notifications of changes for this app.
  /// - Throws: as the form with a handler.
  public func enableNotification(_ enable: Bool) async throws {
    try await awaiting { enableNotification(enable, completionHandler: $0) }
  }

  /// Sets the data that authorizes writes of this characteristic, also in action sets; nil: none.
  /// - Throws: 48 for a characteristic that takes no such data.
  public func updateAuthorizationData(_ data: Data?, completionHandler completion: @escaping ((any Error)?) -> Void) {
    handle.ask(.authorize(id, data.map { Array($0) })) { completion($0.error) }
  }

  /// Sets the data that authorizes writes of this characteristic.
  /// - Throws: as the form with a handler.
  public func updateAuthorizationData(_ data: Data?) async throws {
    try await awaiting { updateAuthorizationData(data, completionHandler: $0) }
  }

  /// Calls the delegate of the accessory. In a work item of the main queue.
  func tellValue() {
    guard let service, let accessory = service.accessory else { return }
    accessory.delegate?.accessory(accessory, service: service, didUpdateValueFor: self)
  }
}

extension AppSession {
  /// - Returns: false if the notifications are enabled, or are being enabled.
  func begins(toSubscribe enable: Bool, to id: HomeObjectID) -> Bool {
    state.withLock { state in
      if enable, state.subscribing[id] ?? state.subscribed.contains(id) { return false }
      state.subscribing[id] = enable
      return true
    }
  }

  /// The last request counts. Its answer can come first, because that to a subscription waits for the accessory.
  func subscribed(to id: HomeObjectID, _ isSubscribed: Bool, _ error: HMError?) {
    state.withLock { state in
      guard state.subscribing[id] == isSubscribed else { return }
      state.subscribing[id] = nil
      if error != nil { return }
      if isSubscribed { state.subscribed.insert(id) } else { state.subscribed.remove(id) }
    }
  }
}

extension NSNotification.Name {
  /// `HMCharacteristicPropertySupportsEventNotification`, which Swift 4 and later have under this name too: it reads like
  /// the name of a notification. It never is one.
  public static let HMCharacteristicPropertySupportsEvent = NSNotification.Name(
    HMCharacteristicPropertySupportsEventNotification)
}
