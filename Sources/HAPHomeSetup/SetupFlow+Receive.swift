import HAPHome
import HAPModel

extension SetupFlow {
  /// Takes an input.
  /// - Returns: what has to be done now.
  package mutating func receive(_ input: Input) -> [Action] {
    switch input {
    case .found(let candidate): found(candidate)
    case .gone(let device): candidates.removeAll { $0.device == device }
    case .changed(let changes): return changed(changes)
    case .cancel: return cancel()
    case .back: return back()
    case .home(let id):
      guard case .home = step, model.home(id) != nil else { return [] }
      home = id
      step = .code(problem: nil)
    case .code(let text):
      guard case .code = step else { return [] }
      return enter(text)
    case .choose(let device):
      guard case .choose = step else { return [] }
      return choose(device)
    case .answer(let name, let room):
      guard case .page(let page, problem: _) = step else { return [] }
      return answer(page, name, room)
    case .paired(let ids, let changes): return paired(ids, changes)
    case .performed(let changes): return performed(changes)
    case .refused(let error): return refused(error)
    }
    return []
  }

  private mutating func found(_ candidate: SetupCandidate) {
    guard isSearching else { return }
    if let index = candidates.firstIndex(where: { $0.device == candidate.device }) {
      candidates[index] = candidate
    } else {
      candidates.append(candidate)
    }
  }

  // MARK: Code and accessory

  private mutating func enter(_ text: String) -> [Action] {
    let secret: SetupSecretText
    do throws(HomeError) { secret = try SetupSecretText(text) } catch {
      step = .code(problem: error)
      return []
    }
    code = secret.text
    if device != nil || secret.findsAccessory { return pair() }
    step = .choose(problem: nil)
    return search()
  }

  private mutating func choose(_ device: DeviceID) -> [Action] {
    guard candidates.contains(where: { $0.device == device }) else {
      step = .choose(
        problem: HomeError(.notFound, nil, "no accessory \(device) that can be added is on the network"))
      return []
    }
    self.device = device
    return pair()
  }

  private mutating func pair() -> [Action] {
    guard let home, let code else { preconditionFailure("the home and the code were chosen before") }
    (step, waitsFor) = (.verifying(device), .pairing)
    return endSearch() + [.pair(home: home, device, code: code)]
  }

  // MARK: Answers of the hub

  private mutating func paired(_ ids: [HomeObjectID], _ changes: [HomeChange]) -> [Action] {
    guard waitsFor == .pairing, !ids.isEmpty else { return [] }
    (waitsFor, added) = (nil, ids)
    model.apply(changes)
    if step == .cancelling { return removeAdded() }
    later = pages(of: ids)
    commands = naming()
    return save(nil, nil)
  }

  private mutating func performed(_ changes: [HomeChange]) -> [Action] {
    guard let wait = waitsFor, wait != .pairing else { return [] }
    waitsFor = nil
    model.apply(changes)
    switch (step, wait) {
    case (.saving(let page), _):
      let newRoom = changes.compactMap { if case .roomAdded(let room) = $0.detail { room.id } else { nil } }.last
      return save(page, newRoom)
    case (_, .command): return removeAdded()
    default:
      step = .cancelled
      return []
    }
  }

  private mutating func refused(_ error: HomeError) -> [Action] {
    guard let wait = waitsFor else { return [] }
    waitsFor = nil
    switch (step, wait) {
    case (.verifying(let target), _): return pairingRefused(error, target)
    case (.saving(let page?), _):
      commands = []
      step = .page(refreshed(page), problem: error)
    case (.saving(nil), _):
      commands = []
      nextPage()
      if case .page(let page, problem: _) = step {
        step = .page(page, problem: error)
      } else if case .done = step {
        step = .failed(HomeError(error.code, error.rule, "the accessory was added, but not renamed: \(error.message)"))
      }
    case (_, .pairing): step = .cancelled
    case (_, .command): return removeAdded()
    case (_, .removal): step = .failed(error)
    }
    return []
  }

  /// A wrong code leads back to the code, with the same accessory. Other errors lead to the list of accessories.
  private mutating func pairingRefused(_ error: HomeError, _ target: DeviceID?) -> [Action] {
    if error.code == .accessoryPairingFailed {
      step = .code(problem: error)
      return target == nil ? search() : []
    }
    device = nil
    step = .choose(problem: error)
    return search()
  }

  // MARK: The end

  private mutating func cancel() -> [Action] {
    switch step {
    case .home, .code, .choose:
      step = .cancelled
      return endSearch()
    case .verifying, .saving:
      // The answer to the present action comes first: it decides whether there is a pairing to remove.
      step = .cancelling
      return []
    case .page: return removeAdded()
    case .cancelling, .done, .cancelled, .failed: return []
    }
  }

  /// Removes the pairing. A device that another app removed meanwhile is not removed again.
  mutating func removeAdded() -> [Action] {
    guard let first = added.first, accessory(first) != nil else {
      step = .cancelled
      return []
    }
    (step, waitsFor, commands) = (.cancelling, .removal, [])
    return [.remove(first)]
  }

  private mutating func back() -> [Action] {
    switch step {
    case .code where hasChosenDevice:
      // The code may be that of another accessory.
      (device, step) = (nil, .choose(problem: nil))
      return search()
    case .code where model.homes.count > 1: (home, step) = (nil, .home)
    case .code, .choose: step = .code(problem: nil)
    case .page(let page, problem: _):
      guard let previous = earlier.popLast() else {
        step = .page(page, problem: nil)
        return []
      }
      later.insert(page, at: 0)
      step = .page(refreshed(previous), problem: nil)
    case .home, .verifying, .saving, .cancelling, .done, .cancelled, .failed: break
    }
    return []
  }
}
