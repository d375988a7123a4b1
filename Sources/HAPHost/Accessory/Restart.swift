import HAPFrontEnds
import HAPModel

extension Restart {
  var ending: RunEnding { self == .powerCut ? .powerCut : .forRestart }
}
