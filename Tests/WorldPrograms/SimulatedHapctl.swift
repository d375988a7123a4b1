import HAPCommandLine
import HAPStore
import HAPWorld
import HapctlHub
import HapctlProgram

extension SimulatedWorld {
  /// Installs `hapctl` on all hosts. Only `hub` and `home` keep their state on the simulated disk.
  package func installHapctl(on disk: SimulatedDisk) {
    programs["hapctl"] = { run in
      HubFiles.$current.withValue(HubFiles(run.process.view(of: disk))) { run.perform(.hapctl) }
    }
  }
}

extension SimulatedProcess {
  /// Returns the disk of the host for this process, whose locks and open files end with the process.
  func view(of disk: SimulatedDisk) -> SimulatedDisk {
    let own = disk.used(by: pid)
    whenDead { own.end() }
    return own
  }
}
