import HAPFrontEnds
import HAPModel
import MatterProtocol

/// A step that waits until the steps before it are done.
enum Step {
  case store(FrontEndData)
  case action(NodeServer.Action)
  /// Answers a command.
  case answer((StoreOutcome) -> Void)

  var isAnswer: Bool { if case .answer = self { true } else { false } }
  /// Whether it stores the whole state of the node.
  var storesState: Bool { if case .action(.store) = self { true } else { false } }
}

extension NodeServer.Action {
  var canBeLost: Bool {
    switch self {
    case .send, .report: true
    case .store, .compute, .advertisementsChanged: false
    }
  }
}
