@testable import MatterController
import HAPCrypto
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Commissioning windows") struct WindowTests {
  private let authority = TestAuthority(0x1111, seed: 10)
  private let owner = NodeBench.administrator(1)

  private func commissioned() throws -> NodeBench {
    var bench = try NodeBench()
    try bench.commission(authority)
    return bench
  }

  private static func fields(
    timeout: UInt64 = 180, verifier: [UInt8]? = nil, discriminator: UInt64 = 2000, iterations: UInt64 = 2000,
    salt: Int = 32
  ) -> [(UInt8, Element.Value)] {
    let own = NodeBench.passcode.verifier.bytes.withBytes { Array($0) }
    return [
      (0, .unsigned(timeout)), (1, .octets(verifier ?? own)), (2, .unsigned(discriminator)),
      (3, .unsigned(iterations)), (4, .octets([UInt8](repeating: 4, count: salt))),
    ]
  }

  @Test("Without a fabric, the device's own window is open") func ownWindow() throws {
    let bench = try NodeBench()
    let window = try #require(bench.node.advertisements.commissionable)
    #expect((window.mode, window.discriminator) == (1, 3840))
    #expect(bench.node.passcodeAccess?.iterations == 1000)
    #expect(bench.node.nextDeadline == nil)
    #expect(try bench.read(.administratorCommissioning, 0) == .unsigned(0), "no administrator has opened it")
    #expect(try bench.read(.administratorCommissioning, 1) == .null)
  }

  @Test("An enhanced window has its own discriminator and passcode, and closes in time") func enhanced() throws {
    var bench = try commissioned()
    #expect(bench.invoke(.administratorCommissioning, 0, Self.fields(), by: owner) == .status(.success))
    #expect(bench.effects.contains(.advertisementsChanged))
    #expect(bench.effects.contains(.attributeChanged(AttributePath(0, 0x3C, 0))))
    let window = try #require(bench.node.advertisements.commissionable)
    #expect((window.mode, window.discriminator) == (2, 2000))
    #expect(bench.node.passcodeAccess?.iterations == 2000)
    #expect(bench.node.passcodeAccess?.salt == [UInt8](repeating: 4, count: 32))
    #expect(try bench.read(.administratorCommissioning, 0) == .unsigned(1))
    #expect(try bench.read(.administratorCommissioning, 1) == .unsigned(1))
    #expect(try bench.read(.administratorCommissioning, 2) == .unsigned(0xFFF1))
    bench.advance(by: .seconds(179))
    #expect(bench.node.window != nil)
    bench.advance(by: .seconds(1))
    #expect(bench.node.advertisements.commissionable == nil)
    #expect(bench.effects.contains(.advertisementsChanged))
    #expect(try bench.read(.administratorCommissioning, 0) == .unsigned(0))
    #expect(try bench.read(.administratorCommissioning, 2) == .null)
    #expect(bench.node.nextDeadline == nil)
  }

  @Test("A basic window has the device's own passcode; each window has a name of its own") func basic() throws {
    var bench = try commissioned()
    #expect(bench.openBasicWindow(900, by: owner) == .status(.success))
    let first = try #require(bench.node.advertisements.commissionable)
    #expect((first.mode, first.discriminator) == (1, 3840))
    #expect(try bench.read(.administratorCommissioning, 0) == .unsigned(2))
    #expect(bench.invoke(.administratorCommissioning, 2, by: owner) == .status(.success))
    #expect(bench.node.advertisements.commissionable == nil)
    bench.openBasicWindow(by: owner)
    #expect(bench.node.advertisements.commissionable?.instance != first.instance)
  }

  @Test("The cluster's statuses: busy, parameters, not open") func statuses() throws {
    var bench = try commissioned()
    func open(_ fields: [(UInt8, Element.Value)]) -> InteractionStatus? {
      bench.invoke(.administratorCommissioning, 0, fields, by: owner).status
    }
    let parameters = InteractionStatus(.failure, cluster: 3)
    #expect(open(Self.fields(iterations: 999)) == parameters)
    #expect(open(Self.fields(iterations: 100_001)) == parameters)
    #expect(open(Self.fields(salt: 15)) == parameters)
    #expect(open(Self.fields(salt: 33)) == parameters)
    #expect(open(Self.fields(verifier: [UInt8](repeating: 1, count: 96))) == parameters)
    #expect(open(Self.fields(verifier: [UInt8](repeating: 1, count: 97))) == parameters)
    #expect(open(Self.fields(timeout: 179))?.code == .invalidCommand)
    #expect(open(Self.fields(timeout: 901))?.code == .invalidCommand)
    #expect(open(Self.fields(discriminator: 4096))?.code == .invalidCommand)
    #expect(bench.openBasicWindow(179, by: owner).status?.code == .invalidCommand)
    #expect(bench.openBasicWindow(by: .passcode(fabric: 0)).status == parameters)
    let notOpen = InteractionStatus(.failure, cluster: 4)
    #expect(bench.invoke(.administratorCommissioning, 2, by: owner).status == notOpen)
    #expect(bench.node.window == nil)

    bench.openBasicWindow(by: owner)
    let busy = InteractionStatus(.failure, cluster: 2)
    #expect(bench.openBasicWindow(by: owner).status == busy)
    #expect(open(Self.fields()) == busy)
    bench.invoke(.administratorCommissioning, 2, by: owner)
    bench.arm(by: owner)
    #expect(open(Self.fields()) == busy, "a commissioning is not complete")
  }

  @Test("After 20 wrong passcodes, the window closes") func failures() throws {
    var bench = try NodeBench()
    for _ in 1...19 { bench.node.passcodeAttemptFailed() }
    #expect(bench.node.passcodeAccess != nil)
    bench.node.passcodeAttemptFailed()
    bench.take()
    #expect(bench.node.passcodeAccess == nil)
    #expect(bench.node.advertisements.commissionable == nil)
    #expect(bench.effects.contains(.advertisementsChanged))
    bench.node.passcodeAttemptFailed()
    #expect(bench.openWindow(for: nil) == nil)
    #expect(bench.node.passcodeAccess != nil)
  }

  @Test("A passcode session of a window that was closed since is refused") func lateSession() throws {
    var bench = try commissioned()
    bench.openBasicWindow(by: owner)
    let access = try #require(bench.node.passcodeAccess)
    bench.invoke(.administratorCommissioning, 2, by: owner)
    var isAccepted = bench.node.passcodeSessionEstablished(with: access)
    #expect(!isAccepted, "no window is open")
    bench.openBasicWindow(by: owner)
    isAccepted = bench.node.passcodeSessionEstablished(with: access)
    #expect(!isAccepted, "another window is open")
    #expect(bench.node.failSafe == nil)
    bench.establish()
    isAccepted = bench.node.passcodeSessionEstablished(with: access)
    #expect(!isAccepted, "another commissioner is at work")
  }

  @Test("RevokeCommissioning undoes the commissioning of the window") func revoke() throws {
    var bench = try commissioned()
    let before = bench.node.state
    bench.openBasicWindow(by: owner)
    try bench.addFabric(TestAuthority(0x2222, seed: 20))
    #expect(bench.invoke(.administratorCommissioning, 2, by: owner) == .status(.success))
    #expect(bench.node.state == before)
    #expect(bench.effects.contains(.endPasscodeSession))
    #expect(bench.node.advertisements.commissionable == nil)
  }

  @Test("Without a window, RevokeCommissioning leaves a fail-safe alone") func revokeNothing() throws {
    var bench = try commissioned()
    bench.arm(by: owner)
    let status = bench.invoke(.administratorCommissioning, 2, by: owner).status
    #expect(status == InteractionStatus(.failure, cluster: 4))
    #expect(bench.node.failSafe != nil)
  }

  @Test("A window that closes leaves the commissioning in it alone") func closingDuringCommissioning() throws {
    var bench = try commissioned()
    bench.openBasicWindow(by: owner)
    try bench.addFabric(TestAuthority(0x2222, seed: 20))
    bench.arm(600, by: .passcode(fabric: 2))
    bench.advance(by: .seconds(200))
    #expect(bench.node.window == nil)
    #expect(bench.complete(2) == 0)
  }

  @Test("An expired fail-safe leaves the window as it was") func asBefore() throws {
    var bench = try commissioned()
    bench.openBasicWindow(by: owner)
    let window = bench.node.advertisements.commissionable
    try bench.addFabric(TestAuthority(0x2222, seed: 20))
    bench.advance(by: .seconds(60))
    #expect(bench.node.advertisements.commissionable == window)
    #expect(bench.node.passcodeAccess != nil)
  }

  @Test("The window of a fabric that is removed stays open without its index") func openerRemoved() throws {
    var bench = try commissioned()
    try bench.commission(TestAuthority(0x2222, seed: 20))
    bench.openBasicWindow(by: owner)
    bench.remove(1, by: NodeBench.administrator(2))
    #expect(try bench.read(.administratorCommissioning, 0) == .unsigned(2))
    #expect(try bench.read(.administratorCommissioning, 1) == .null)
    #expect(try bench.read(.administratorCommissioning, 2) == .unsigned(0xFFF1))
  }

  @Test("The user opens a window, with and without an end") func byUser() throws {
    var bench = try commissioned()
    #expect(bench.openWindow(for: .seconds(900)) == nil)
    #expect(bench.openWindow(for: nil) == .alreadyOpen)
    #expect(bench.node.nextDeadline == bench.node.now + .seconds(900))
    #expect(try bench.read(.administratorCommissioning, 0) == .unsigned(0), "no administrator has opened it")
    bench.advance(by: .seconds(900))
    #expect(bench.node.window == nil && bench.reports == [.windowClosed(.expired)])
    bench.arm(600, by: owner)
    bench.advance(by: .seconds(100))
    #expect(bench.openWindow(for: nil) == .commissioning(atMost: .seconds(500)))
    #expect(bench.closeWindow() == .notOpen)
    #expect(bench.node.failSafe != nil)
  }

  @Test("The user opens a window with a passcode of its own") func secretOfUser() throws {
    var bench = try commissioned()
    let salt = [UInt8](repeating: 4, count: 32)
    let access = try #require(
      PasscodeAccess(verifier: NodeBench.passcode.verifier, iterations: 2000, salt: salt))
    #expect(bench.openWindow(with: NodeWindow.Secret(access, discriminator: 77), for: .seconds(180)) == nil)
    let window = try #require(bench.node.openedWindow)
    #expect(bench.reports == [.windowOpened(window)])
    #expect(window.isEnhanced && window.discriminator == 77 && window.fabric == nil)
    #expect(window.deadline == bench.node.now + .seconds(180))
    #expect(bench.node.advertisements.commissionable?.mode == 2)
    #expect(bench.node.passcodeAccess?.salt == salt)
    #expect(try bench.read(.administratorCommissioning, 0) == .unsigned(0), "no administrator has opened it")
    try bench.addFabric(TestAuthority(0x2222, seed: 20))
    #expect(bench.complete(2) == 0)
    #expect(bench.reports == [.fabricAdded(2), .windowClosed(.commissioned)])
  }

  @Test("The user closes a window of an administrator, and undoes the commissioning in it") func closedByUser() throws {
    var bench = try commissioned()
    bench.openBasicWindow(by: owner)
    #expect(bench.node.openedWindow?.fabric == 1)
    let before = bench.node.state
    try bench.addFabric(TestAuthority(0x2222, seed: 20))
    #expect(bench.closeWindow() == nil)
    #expect(
      bench.reports == [
        .commissioningFailed(reason: "the window was closed", peer: nil), .windowClosed(.closed),
      ])
    #expect(bench.node.state == before && bench.node.failSafe == nil && bench.node.openedWindow == nil)
    #expect(bench.effects.contains(.endPasscodeSession))
    #expect(bench.closeWindow() == .notOpen)
  }

  @Test("Without a fabric, a window that the user closes stays closed; one that expires opens again")
  func withoutFabric() throws {
    var bench = try NodeBench()
    #expect(bench.reports.isEmpty, "the window of the start is no news")
    #expect(bench.closeWindow() == nil)
    bench.advance(by: .seconds(10_000))
    #expect(bench.node.openedWindow == nil)
    #expect(bench.openWindow(for: .seconds(180)) == nil)
    bench.advance(by: .seconds(180))
    #expect(bench.node.openedWindow?.deadline == nil && bench.node.openedWindow != nil)
    #expect(bench.reports.count == 2 && bench.reports.first == .windowClosed(.expired))
  }

  @Test("Each end of a window and of a commissioning is reported with its reason") func reasons() throws {
    var bench = try commissioned()
    bench.openBasicWindow(by: owner)
    try bench.addFabric(TestAuthority(0x2222, seed: 20))
    bench.arm(0, by: .passcode(fabric: 2))
    #expect(
      bench.reports == [.commissioningFailed(reason: "the commissioner has disarmed the fail-safe", peer: nil)])
    bench.establish()
    bench.node.passcodeSessionEnded()
    bench.take()
    #expect(
      bench.reports == [.commissioningFailed(reason: "the session of the commissioner has ended", peer: nil)])
    bench.invoke(.administratorCommissioning, 2, by: owner)
    #expect(bench.reports == [.windowClosed(.revoked)])
    bench.openBasicWindow(by: owner)
    for _ in 1...20 { bench.node.passcodeAttemptFailed() }
    bench.take()
    #expect(bench.reports == [.windowClosed(.wrongPasscodes)])
    // An administrator that arms and disarms the fail-safe has commissioned nothing.
    bench.arm(by: owner)
    bench.arm(0, by: owner)
    #expect(bench.reports.isEmpty)
    // A fabric that was never complete was never added, so it is not removed.
    bench.openBasicWindow(by: owner)
    try bench.addFabric(TestAuthority(0x3333, seed: 30))
    bench.remove(2, by: owner)
    #expect(bench.reports == [.commissioningFailed(reason: "its fabric was removed", peer: nil)])
    bench.remove(1, by: owner)
    #expect(bench.reports.first == .fabricRemoved(1))
  }

  @Test("Both deadlines in one step of time") func bothDeadlines() throws {
    var bench = try commissioned()
    bench.openBasicWindow(by: owner)
    try bench.addFabric(TestAuthority(0x2222, seed: 20))
    bench.advance(by: .seconds(100_000))
    #expect(bench.node.window == nil)
    #expect(bench.node.failSafe == nil)
    #expect(bench.node.state.fabrics.count == 1)
    let now = bench.node.now
    bench.node.advance(to: .zero)
    #expect(bench.node.now == now, "time does not go back")
  }
}
