import HAPModel

extension MatterEvent {
  /// The value of the `event` member.
  var name: String {
    switch self {
    case .windowOpened: "window-opened"
    case .windowClosed: "window-closed"
    case .subscriptionBegan: "subscription-began"
    case .subscriptionEnded: "subscription-ended"
    case .message: "message"
    }
  }

  /// One line for users.
  var text: String {
    switch self {
    case .windowOpened(let window):
      "commissioning window opened: \(window.kind.rawValue), "
        + (window.seconds.map { "for \($0) s" } ?? "until the accessory is commissioned")
        + (window.fabric.map { ", by Matter fabric \($0)" } ?? "")
    case .windowClosed(let end): "commissioning window closed: \(end.text)"
    case .subscriptionBegan(let subscription):
      "\(subscription.controller) began subscription \(subscription.id): \(subscription.paths), "
        + "every \(subscription.minimum) to \(subscription.maximum) s"
    case .subscriptionEnded(let subscription, let reason):
      "subscription \(subscription.id) of \(subscription.controller) ended: \(reason)"
    case .message(let traffic): traffic.text
    }
  }

  /// Calls `body` with each member of the event's JSON object besides `event` and `accessory`.
  func forEachMember(_ body: (String, Value) -> Void) {
    switch self {
    case .windowOpened(let window):
      body("kind", .string(window.kind.rawValue))
      body("discriminator", .integer(Int128(window.discriminator)))
      if let seconds = window.seconds { body("seconds", .integer(Int128(seconds))) }
      if let fabric = window.fabric { body("fabric", .integer(Int128(fabric))) }
    case .windowClosed(let end): body("reason", .string(end.rawValue))
    case .subscriptionBegan(let subscription):
      subscription.forEachMember(body)
      body("attributes", .integer(Int128(subscription.attributes)))
      body("events", .integer(Int128(subscription.events)))
      body("minimum", .integer(Int128(subscription.minimum)))
      body("maximum", .integer(Int128(subscription.maximum)))
    case .subscriptionEnded(let subscription, let reason):
      subscription.forEachMember(body)
      body("reason", .string(reason))
    case .message(let traffic): traffic.forEachMember(body)
    }
  }

  /// The approximate number of bytes that it holds of data from a peer.
  var weight: Int {
    guard case .message(let traffic) = self else { return 0 }
    return traffic.bytes.count + traffic.parts.reduce(0) { $0 + $1.utf8.count }
  }

  var isMessage: Bool { if case .message = self { true } else { false } }
}

extension MatterWindow.End {
  fileprivate var text: String {
    switch self {
    case .expired: "its time is over"
    case .commissioned: "the accessory was commissioned"
    case .revoked: "a controller has revoked it"
    case .closed: "a command has closed it"
    case .wrongPasscodes: "too many wrong passcodes"
    }
  }
}

extension MatterSubscription {
  fileprivate func forEachMember(_ body: (String, Value) -> Void) {
    body("controller", .string(controller))
    body("subscription", .integer(Int128(id)))
  }

  /// "2 attribute paths and 1 event path"
  fileprivate var paths: String {
    [(attributes, "attribute"), (events, "event")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1) path\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
  }
}
