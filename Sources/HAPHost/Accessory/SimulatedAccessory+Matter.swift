import HAPFrontEnds
import HAPModel

/// The accessory as a Matter node.
extension SimulatedAccessory {
  private var node: (any MatterNodeFrontEnd)? {
    run?.frontEnds.lazy.compactMap { $0 as? any MatterNodeFrontEnd }.first
  }

  /// nil: it is not served over Matter, or does not run.
  package var matter: MatterNodeState? { node?.nodeState }

  /// - Throws: if it is not served over Matter, or does not run.
  package func matterState() throws(CommandError) -> MatterNodeState {
    try atNode { (node) throws(MatterRefusal) in
      guard let state = node.nodeState else { throw .notServed }
      return state
    }
  }

  /// Opens a commissioning window.
  /// - Parameter seconds: one of `MatterWindow.timeouts`.
  package func openWindow(_ kind: MatterWindow.Kind, seconds: Int) throws(CommandError) -> MatterWindow {
    try atNode { (node) throws(MatterRefusal) in try node.openWindow(kind, for: .seconds(seconds)) }
  }

  package func closeWindow() throws(CommandError) {
    try atNode { (node) throws(MatterRefusal) in try node.closeWindow() }
  }

  /// Removes a fabric.
  /// - Parameter done: called on the loop when the removal is stored, or with the failure; also if the accessory stops or
  ///   restarts before that.
  package func removeFabric(
    _ index: UInt8, done: @escaping @Sendable (CommandError?) -> Void
  ) throws(CommandError) {
    try atNode { (node) throws(MatterRefusal) in
      try node.removeFabric(index) { [name] outcome in
        switch outcome {
        case .stored: done(nil)
        case .failed: done(CommandError(.failed, "the removal of the fabric could not be stored"))
        case .unknown:
          done(
            CommandError(
              .notPossible,
              "\"\(name)\" stopped before it was known whether the removal of the fabric is stored: 'status' lists its fabrics when it runs again"
            ))
        }
      }
    }
  }

  private func atNode<Result>(
    _ body: (any MatterNodeFrontEnd) throws(MatterRefusal) -> Result
  ) throws(CommandError) -> Result {
    _ = try running()
    do throws(MatterRefusal) {
      guard let node else { throw .notServed }
      return try body(node)
    } catch { throw CommandError(error, of: name) }
  }
}

extension CommandError {
  /// - Parameter name: the accessory's name.
  fileprivate init(_ refusal: MatterRefusal, of name: String) {
    switch refusal {
    case .notServed:
      self.init(.notPossible, "\"\(name)\" is not served over Matter: start hapsim with --matter")
    case .windowIsOpen:
      self.init(
        .notPossible,
        "a commissioning window of \"\(name)\" is open already: use its codes, or close it first with 'close-window'")
    case .noWindow:
      self.init(.notPossible, "no commissioning window of \"\(name)\" is open: 'open-window' opens one")
    case .commissioning(let time):
      let seconds = time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)
      self.init(
        .notPossible,
        "a controller is commissioning \"\(name)\" (its fail-safe is armed): try again when it has finished, after \(seconds) s at the latest"
      )
    case .noFabric(let others):
      let known =
        others.isEmpty
        ? "it is in no fabric"
        : "its fabric\(others.count == 1 ? " is" : "s are") \(others.map { "\($0)" }.joined(separator: ", "))"
      self.init(.noSuchFabric, "\"\(name)\" has no such fabric: \(known)")
    }
  }
}
