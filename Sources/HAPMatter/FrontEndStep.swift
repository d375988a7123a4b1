import HAPModel
import MatterProtocol

/// A step that waits until the steps before it are done.
enum Step {
  case store(FrontEndData)
  case action(NodeServer.Action)
  /// Answers a command.
  case answer((Bool) -> Void)

  var stores: Bool {
    switch self {
    case .store, .action(.store): true
    case .action, .answer: false
    }
  }
}

extension NodeServer.Action {
  var canBeLost: Bool {
    switch self {
    case .send, .report: true
    case .store, .compute, .advertisementsChanged: false
    }
  }
}
