import HAPCrypto
import MatterModel

/// A time in which a node can be commissioned with a passcode. Matter 1.4 §5.4.2, §11.19.
struct CommissioningWindow: Sendable {
  enum Kind: Sendable {
    /// Opened by the device itself, with its own passcode.
    case own
    /// Opened by an administrator, with a passcode of its own.
    case enhanced
    /// Opened by an administrator, with the passcode of the device.
    case basic
  }

  /// The administrator that opened a window.
  struct Opener: Sendable {
    /// nil: its fabric was removed since.
    var fabric: FabricIndex?
    var vendor: UInt16
  }

  var kind: Kind
  var passcode: PasscodeAccess
  var discriminator: UInt16
  /// nil: it is open until the node has been commissioned.
  var deadline: Duration?
  var instance: UInt64
  /// nil: the device itself.
  var opener: Opener?
  var failureCount = 0

  /// Attempts with a wrong passcode until a window closes. Matter 1.4 §5.5.
  static let mostFailures = 20
  /// In seconds. Matter 1.4 §11.19.8.1.
  static let timeouts: ClosedRange<UInt16> = 180...900

  /// The value of the attribute WindowStatus.
  var status: UInt8 {
    switch kind {
    case .own: 0
    case .enhanced: 1
    case .basic: 2
    }
  }

  var advertisement: NodeAdvertisements.Commissionable {
    .init(instance: instance, discriminator: discriminator, mode: kind == .enhanced ? 2 : 1)
  }
}

extension MatterNode {
  /// What discovery announces now.
  package var advertisements: NodeAdvertisements {
    NodeAdvertisements(
      commissionable: window?.advertisement,
      operational: state.fabrics.map { .init(compressedFabric: $0.compressedID, node: $0.node) })
  }

  /// The passcode with which PASE can begin now; nil: no window is open, or another commissioner is at work.
  package var passcodeAccess: PasscodeAccess? {
    guard !hasPasscodeSession, failSafe.map({ $0.fabric == 0 }) ?? true, let window else { return nil }
    var access = window.passcode
    access.window = window.instance
    return access
  }

  /// Notes that PASE has established a session, and arms the fail-safe for 60 s. Matter 1.4 §5.5.
  ///
  /// - Parameter access: the value that `passcodeAccess` had when PASE began.
  /// - Returns: false if the window was closed since, or another commissioner is at work: the caller ends the session.
  package mutating func passcodeSessionEstablished(with access: PasscodeAccess) -> Bool {
    guard let present = passcodeAccess, present.window == access.window else { return false }
    hasPasscodeSession = true
    arm(for: .passcode(fabric: 0), seconds: 60)
    return true
  }

  /// Notes that a peer did not know the passcode. After 20 of them, the window closes.
  package mutating func passcodeAttemptFailed() {
    window?.failureCount += 1
    // The device's own window does not open again by itself, or the limit would have no effect.
    if let window, window.failureCount >= CommissioningWindow.mostFailures { replaceWindow(with: nil) }
  }

  /// Notes that the passcode session has ended, other than by `NodeEffect.endPasscodeSession`. If it has not added a
  /// fabric yet, the fail-safe expires.
  package mutating func passcodeSessionEnded() {
    guard hasPasscodeSession else { return }
    hasPasscodeSession = false
    if failSafe?.fabric == 0 { expireFailSafe() }
  }

  /// Opens a window with the passcode of the device, as its user does.
  ///
  /// - Parameter duration: nil: until a commissioning is complete.
  /// - Returns: false if a window is open, or a commissioner is at work.
  @discardableResult
  package mutating func openWindow(for duration: Duration?) -> Bool {
    guard window == nil, failSafe == nil else { return false }
    openOwnWindow(until: duration.map { now + $0 })
    return true
  }

  // MARK: Parts

  mutating func openOwnWindow(until deadline: Duration?) {
    let (passcode, discriminator) = (configuration.passcode, configuration.discriminator)
    replaceWindow(
      with: CommissioningWindow(
        kind: .own, passcode: passcode, discriminator: discriminator, deadline: deadline, instance: drawInstance()))
  }

  /// Closes the window. Without a fabric, the device's own window opens.
  mutating func closeWindow() {
    if state.fabrics.isEmpty { openOwnWindow(until: nil) } else { replaceWindow(with: nil) }
  }

  mutating func replaceWindow(with next: CommissioningWindow?) {
    guard window != nil || next != nil else { return }
    window = next
    mark(.administratorCommissioning, 0, 1, 2)
    effects.append(.advertisementsChanged)
  }

  func drawInstance() -> UInt64 { instanceRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
