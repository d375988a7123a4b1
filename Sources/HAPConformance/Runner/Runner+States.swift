import HAPReport
import HAPSuite

/// The states that cases need, and the final state of the accessory.
extension Runner {
  /// Brings the accessory into the state that a case needs. Skips the case if that fails.
  func prepare(_ entry: Plan.Entry) async -> Bool {
    do throws(PairingManager.Refusal) {
      switch entry.definition.needs.state {
      case .any: return true
      case .unpaired:
        try await manager.unpair()
        return true
      case .paired: return await !pairOrSkip([entry]).isEmpty
      }
    } catch {
      conclude(entry, .skip, "the accessory can't be unpaired: \(error.message)")
      return false
    }
  }

  /// Restores the state that a case needs, and returns whether that succeeded.
  func isBroughtBack(_ entry: Plan.Entry) async -> Bool {
    do throws(PairingManager.Refusal) {
      switch entry.definition.needs.state {
      case .any: break
      case .unpaired: try await manager.unpair()
      case .paired: try await manager.pair()
      }
      return true
    } catch { return false }
  }

  /// Pairs, in several attempts with pauses, because an accessory may be restarting or limit attempts. If no attempt succeeds, skips the cases that need
  /// more than the state reached, with the reason.
  /// - Returns: the cases that can run.
  func pairOrSkip(_ entries: [Plan.Entry]) async -> [Plan.Entry] {
    while failedPairings < Self.failedPairingLimit {
      let wasPaired = device.owner != nil
      do throws(PairingManager.Refusal) {
        try await manager.pair()
        if !wasPaired { tell(.note("paired")) }
        failedPairings = 0
        return entries
      } catch {
        failedPairings += 1
        noPairing = error.message
        if Task.isCancelled { break }
        tell(
          .note("\(device.owner == nil ? "Pair Setup failed" : "paired, but there is no session"): \(error.message)"))
        await recover(from: error)
        guard mayGoOn else { break }
      }
    }
    // With a pairing but no session, cases that test the layer below sessions can still run.
    let isPaired = device.owner != nil
    var ready: [Plan.Entry] = []
    for entry in entries {
      let needs = entry.definition.needs
      if needs.state != .paired || (isPaired && needs.isBelowSessions) {
        ready.append(entry)
      } else {
        let what = isPaired ? "session" : "pairing"
        conclude(entry, .skip, "there is no \(what): \(noPairing ?? "")")
      }
    }
    return ready
  }

  /// Starts the accessory's command again if its process ended while the tester paired; otherwise waits before the next attempt, longer each time.
  private func recover(from refusal: PairingManager.Refusal) async {
    let failures = failedPairings
    if await world.process?.ending() != nil {
      await startAgain("the tester's own pairing", Death(reason: refusal.message, lastSent: device.lastSent))
      // A command that ends at each attempt is not started indefinitely.
      failedPairings = failures
    } else if failures < Self.failedPairingLimit {
      try? await loop.sleep(for: .seconds(failures))
    }
  }

  /// Restores the accessory's original state: removes the tester's pairing, unless that existed before the run.
  func leave() async {
    let manager = manager
    let isBorrowed = device.isBorrowed
    let problem: String? = await loop.startTask {
      do throws(PairingManager.Refusal) {
        if !isBorrowed { try await manager.unpair() }
        return nil
      } catch { return error.message }
    }.value
    if let problem { leftovers.append("the tester's pairing could not be removed: \(problem)") }
  }
}
