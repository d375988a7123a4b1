import HAPWire

/// A pairing procedure that is begun again and again, though it is refused.
struct RefusedProcedure {
  private let name: String
  private let path: String
  private let most: Int
  private let seconds: Int
  private var refusals: Occurrences

  /// - Parameters:
  ///   - path: of the procedure's messages.
  ///   - most: refusals from one origin within so many seconds, behind which M1 is one too many.
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
        findings.breach("\(name) began again behind \(count) refusals within \(seconds) seconds")
        refusals.forget(connection.origin)
      } else if count > 0 {
        findings.chance()
      }
    default: break
    }
  }
}
