import HAPFrontEnds
import HAPModel
import MatterModel
import MatterProtocol
import MatterWire

/// What the user of the accessory sees of the node, and changes at it.
extension MatterFrontEnd: MatterNodeFrontEnd {
  /// The fabrics that the node belongs to, with one that is being added.
  package var fabrics: [Fabric] { node?.server.fabrics ?? [] }

  /// The sizes of the node's tables; nil before the start.
  package var load: NodeLoad? { node?.server.load }

  package var nodeState: MatterNodeState? {
    guard let node else { return nil }
    return MatterNodeState(
      port: sockets.port, codes: MatterCodes(node.label.payload), window: node.server.window.map { shown($0) },
      fabrics: node.server.durableFabrics.map { MatterFabric($0) }, sessions: node.server.sessions.count,
      subscriptions: node.server.subscriptionCount)
  }

  package func openWindow(_ kind: MatterWindow.Kind, for duration: Duration) throws(MatterRefusal) -> MatterWindow {
    guard let node else { throw .notServed }
    let new = kind == .enhanced ? node.label.newSecret(parts.loop.random) : nil
    let opened = try changed { (server) throws(NodeWindow.Refusal) in
      try server.openWindow(with: new?.secret, for: duration)
      return server.openedWindow
    }
    guard let opened else { throw .noWindow }
    node.windowPayload = new.map { (opened.instance, $0.payload) }
    return shown(opened)
  }

  package func closeWindow() throws(MatterRefusal) {
    try changed { (server) throws(NodeWindow.Refusal) in try server.closeWindow() }
  }

  package func removeFabric(_ index: UInt8, done: @escaping (StoreOutcome) -> Void) throws(MatterRefusal) {
    guard let node else { throw .notServed }
    let fabrics = node.server.durableFabrics.map(\.index)
    guard fabrics.contains(index) else { throw .noFabric(others: fabrics) }
    _ = node.server.change(at: now) { $0.removeFabric(index) }
    act(whenStored: done)
  }

  /// Changes the node, and performs what it asks for then.
  private func changed<Result>(
    _ body: (inout MatterNode) throws(NodeWindow.Refusal) -> Result
  ) throws(MatterRefusal) -> Result {
    guard let node else { throw .notServed }
    do throws(NodeWindow.Refusal) {
      let result = try node.server.change(at: now, body)
      act()
      return result
    } catch {
      switch error {
      case .alreadyOpen: throw .windowIsOpen
      case .notOpen: throw .noWindow
      case .commissioning(let time): throw .commissioning(atMost: time)
      }
    }
  }

  /// A window with the time that is left, and with its codes if the user may know them.
  func shown(_ window: NodeWindow) -> MatterWindow {
    var payload = window.isEnhanced ? nil : node?.label.payload
    if let known = node?.windowPayload, known.instance == window.instance { payload = known.payload }
    return MatterWindow(
      kind: window.isEnhanced ? .enhanced : .basic, discriminator: window.discriminator,
      remaining: window.deadline.map { max(.zero, $0 - now) }, fabric: window.fabric,
      codes: payload.map { MatterCodes($0) })
  }
}

extension MatterCodes {
  fileprivate init(_ payload: OnboardingPayload) {
    self.init(
      payload: payload.qrText, manualCode: payload.manualCode.text, discriminator: payload.discriminator)
  }
}

extension MatterFabric {
  fileprivate init(_ fabric: Fabric) {
    let compressedID: UInt64 = fabric.compressedID.reduce(0) { $0 << 8 | UInt64($1) }
    self.init(
      index: fabric.index, label: fabric.label, vendor: fabric.vendor, fabricID: fabric.id.hexadecimal,
      nodeID: fabric.node.hexadecimal, compressedID: compressedID.hexadecimal)
  }
}
