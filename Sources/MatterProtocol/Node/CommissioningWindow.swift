import HAPCrypto
import MatterModel

/// A time in which a node can be commissioned with a passcode. Matter 1.4 §5.4.2, §11.19.
struct CommissioningWindow: Sendable {
  enum Kind: Sendable {
    /// With the passcode of the device.
    case basic
    /// With a passcode of its own.
    case enhanced
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
  /// nil: the device itself, or its user.
  var opener: Opener?
  var failureCount = 0

  /// Attempts with a wrong passcode until a window closes. Matter 1.4 §5.5.
  static let mostFailures = 20

  /// The value of the attribute WindowStatus, which concerns windows of administrators alone. Matter 1.4 §11.19.7.1.
  var status: UInt8 {
    guard opener != nil else { return 0 }
    return kind == .enhanced ? 1 : 2
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
    if let window, window.failureCount >= CommissioningWindow.mostFailures {
      endWindow(.wrongPasscodes, opensOwn: false)
    }
  }

  /// Notes that the passcode session has ended, other than by `NodeEffect.endPasscodeSession`. If it has not added a
  /// fabric yet, the fail-safe expires.
  package mutating func passcodeSessionEnded() {
    guard hasPasscodeSession else { return }
    hasPasscodeSession = false
    if failSafe?.fabric == 0 { expireFailSafe("the session of the commissioner has ended") }
  }

  // MARK: The user of the device

  /// The open window; nil: none is.
  package var openedWindow: NodeWindow? { window.map { NodeWindow($0) } }

  /// Opens a window, as the user of the device does.
  ///
  /// - Parameters:
  ///   - secret: a passcode and a discriminator for this window; nil: those of the device.
  ///   - duration: nil: until a commissioning is complete.
  /// - Throws: `.alreadyOpen`, `.commissioning`.
  package mutating func openWindow(
    with secret: NodeWindow.Secret? = nil, for duration: Duration?
  ) throws(NodeWindow.Refusal) {
    guard window == nil else { throw .alreadyOpen }
    if let failSafe { throw .commissioning(atMost: max(.zero, failSafe.deadline - now)) }
    var next = ownWindow(until: duration.map { now + $0 })
    if let secret { (next.kind, next.passcode, next.discriminator) = (.enhanced, secret.access, secret.discriminator) }
    open(next)
  }

  /// Closes the window, as the user of the device does, and undoes a commissioning in it. Also without a fabric, no window
  /// is open then, until the user opens one, or the node starts again.
  /// - Throws: `.notOpen`.
  package mutating func closeWindow() throws(NodeWindow.Refusal) {
    guard window != nil else { throw .notOpen }
    expireFailSafe("the window was closed")
    endWindow(.closed, opensOwn: false)
  }

  // MARK: Parts

  /// A window with the passcode of the device.
  func ownWindow(until deadline: Duration?) -> CommissioningWindow {
    CommissioningWindow(
      kind: .basic, passcode: configuration.passcode, discriminator: configuration.discriminator, deadline: deadline,
      instance: drawInstance())
  }

  mutating func open(_ next: CommissioningWindow) {
    window = next
    effects.append(.report(.windowOpened(NodeWindow(next))))
    noteWindow()
  }

  /// Closes the window. Without a fabric, the device's own window opens.
  mutating func endWindow(_ end: NodeWindow.End, opensOwn: Bool = true) {
    guard window != nil else { return }
    window = nil
    effects.append(.report(.windowClosed(end)))
    if opensOwn && state.fabrics.isEmpty { open(ownWindow(until: nil)) } else { noteWindow() }
  }

  private mutating func noteWindow() {
    mark(.administratorCommissioning, 0, 1, 2)
    effects.append(.advertisementsChanged)
  }

  func drawInstance() -> UInt64 { instanceRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

/// A window, as the user of the device sees it.
package struct NodeWindow: Hashable, Sendable {
  /// Why a window is closed.
  package enum End: Hashable, Sendable {
    case expired, commissioned
    /// An administrator has closed it.
    case revoked
    /// The user of the device has closed it.
    case closed
    case wrongPasscodes
  }

  /// Why a window can't be opened or closed.
  package enum Refusal: Error, Hashable, Sendable {
    case alreadyOpen, notOpen
    /// A commissioning is not complete. It ends after this time at the latest.
    case commissioning(atMost: Duration)
  }

  /// What a window has instead of the passcode and the discriminator of the device.
  package struct Secret: Sendable {
    package let access: PasscodeAccess
    package let discriminator: UInt16

    /// - Precondition: the discriminator is at most 4095.
    package init(_ access: PasscodeAccess, discriminator: UInt16) {
      precondition(discriminator <= OnboardingLimits.mostDiscriminator, "a discriminator of more than 12 bits")
      (self.access, self.discriminator) = (access, discriminator)
    }
  }

  /// In seconds. Matter 1.4 §11.19.8.1.
  package static let timeouts: ClosedRange<UInt16> = 180...900

  /// The name in discovery, which no other window has.
  package let instance: UInt64
  /// Whether it has a passcode of its own.
  package let isEnhanced: Bool
  package let discriminator: UInt16
  /// nil: it is open until the node has been commissioned.
  package let deadline: Duration?
  /// The fabric whose administrator has opened it; nil: no administrator has, or its fabric was removed since.
  package let fabric: FabricIndex?

  init(_ window: CommissioningWindow) {
    (instance, isEnhanced, discriminator) = (window.instance, window.kind == .enhanced, window.discriminator)
    (deadline, fabric) = (window.deadline, window.opener?.fabric)
  }
}
