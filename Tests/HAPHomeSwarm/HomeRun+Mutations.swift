import HAPHomeEngine
import HAPHubLink
import HAPLoop

// The deliberate errors.
extension HomeRun {
  /// Installs the error of the run at the borders of the hub, or in its machine.
  func mutate() {
    let hooks = lab.hub.hooks
    switch mutation {
    case .putsTwice: hooks.sendsTwice = true
    case .putsSplit: hooks.splitsPuts = true
    case .usersLost: hooks.losesUsers = true
    case .changesLost:
      hooks.reports = { event in if case .changed(_, app: _?) = event { false } else { true } }
    case .diskIgnoresSync: lab.hub.disk.ignoresSync = true
    case .lossesLost: hooks.passes = { news in if case .lost = news { false } else { true } }
    case .eventsLost: hooks.passes = { news in if case .values(_, isCatchUp: false) = news { false } else { true } }
    case .answersLost: hooks.answers = { request in if case .status = request { false } else { true } }
    case .leak:
      hooks.answers = { [weak self] _ in
        guard let hub = self?.lab.hub, let loop = hub.loop else { return true }
        loop.schedule {
          if let socket = try? UDPSocket(loop, host: .anyV4, port: 0, onDatagram: { _ in }) {
            hub.hooks.leaked.append(socket)
          }
        }
        return true
      }
    case .storeRolledBack, .identityChanged, .fileDamaged, nil: break
    }
  }
}
