import HAPCommandLine
import HAPStore
import HAPWorld
import HapctlHub
import HapctlProgram

extension SimulatedWorld {
  /// Installs `hapctl` on all hosts. Only `hub` and `home` keep their state on the simulated disk.
  package func installHapctl(on disk: SimulatedDisk) {
    programs["hapctl"] = { run in HubFiles.$current.withValue(HubFiles(disk)) { run.perform(.hapctl) } }
  }
}
