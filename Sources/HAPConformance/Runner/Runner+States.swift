import HAPReport
import HAPSuite

/// The states that cases want, and the one that the accessory is left in.
extension Runner {
  /// Brings the accessory into the state that a case wants; where that fails the case is skipped.
  func prepare(_ entry: Plan.Entry) async -> Bool {
    do throws(Keeper.Refusal) {
      switch entry.definition.needs.state {
      case .any: return true
      case .unpaired:
        try await keeper.unpair()
        return true
      case .paired: return await !pairOrSkip([entry]).isEmpty
      }
    } catch {
      conclude(entry, .skip, "it can't be unpaired: \(error.message)")
      return false
    }
  }

  /// The state that a case wants, once more.
  func isBroughtBack(_ entry: Plan.Entry) async -> Bool {
    do throws(Keeper.Refusal) {
      switch entry.definition.needs.state {
      case .any: break
      case .unpaired: try await keeper.unpair()
      case .paired: try await keeper.pair()
      }
      return true
    } catch { return false }
  }

  /// Pairs, in several attempts with pauses, since an accessory may be restarting or count attempts. Cases that need more than there is then are skipped,
  /// with the reason.
  /// - Returns: the cases that can run.
  func pairOrSkip(_ entries: [Plan.Entry]) async -> [Plan.Entry] {
    while failedPairings < Self.failedPairingLimit {
      let wasPaired = device.owner != nil
      do throws(Keeper.Refusal) {
        try await keeper.pair()
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
    // With a pairing alone, what sessions are built on can still be judged.
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
  private func recover(from refusal: Keeper.Refusal) async {
    let failures = failedPairings
    if await world.process?.ending() != nil {
      await startAgain("the tester's own pairing", Death(reason: refusal.message, lastSent: device.lastSent))
      // A command that ends at each attempt is not started for ever.
      failedPairings = failures
    } else if failures < Self.failedPairingLimit {
      try? await loop.sleep(for: .seconds(failures))
    }
  }

  /// Leaves the accessory as it was found: without the tester's pairing, unless the tester came with it.
  func leave() async {
    let keeper = keeper
    let isBorrowed = device.isBorrowed
    let problem: String? = await loop.startTask {
      do throws(Keeper.Refusal) {
        if !isBorrowed { try await keeper.unpair() }
        return nil
      } catch { return error.message }
    }.value
    if let problem { leftovers.append("the tester's pairing could not be removed: \(problem)") }
  }
}
