import HAPModel

extension Restart {
  var ending: AccessoryRun.Ending { self == .powerCut ? .powerCut : .forRestart }
}
