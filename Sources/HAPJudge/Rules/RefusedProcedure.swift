import HAPWire

/// A check for a pairing procedure that a controller repeats although it is refused.
struct RefusedProcedure {
  private let name: String
  private let path: String
  private let most: Int
  private let seconds: Int
  private var refusals: Occurrences

  /// - Parameters:
  ///   - path: the path of the procedure's messages.
  ///   - most: the number of refusals for one origin within `seconds` after which another M1 is a violation.
  init(_ name: String, at path: String, most: Int, within seconds: Int) {
    self.name = name
    self.path = path
    self.most = most
    self.seconds = seconds
    refusals = Occurrences(span: .seconds(seconds))
  }

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch act {
    case .answered(let answer?) where connection.owed?.request.path == path:
      if answer.pairingError != nil { refusals.add(connection.origin, at: scene.now) }
    case .asked(let request) where request.path == path && request.tlv?.state == 1:
      let count = refusals.count(connection.origin, at: scene.now)
      if count >= most {
        findings.breach("\(name) began again after \(count) refusals within \(seconds) seconds")
        refusals.forget(connection.origin)
      } else if count > 0 {
        findings.chance()
      }
    default: break
    }
  }
}
