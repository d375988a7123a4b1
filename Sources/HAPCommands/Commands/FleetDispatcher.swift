import HAPDevices
import HAPHost
import HAPLoop
import HAPModel
import HAPVocabulary
import HAPWire

/// A receiver of commands for accessories on several loops. It finds the loop of the selected accessory, runs the
/// command there, and returns the answer. Commands for all accessories go to every loop.
///
/// If a sender sends each command only after the answer to the previous one, as `CommandQueue` does, its commands run
/// in order. Belongs to the loop of the first simulation.
package final class FleetDispatcher: CommandTaker {
  package typealias Answer = @Sendable (CommandOutcome) -> Void

  /// A dispatcher that is used only on the loop of its simulation.
  private struct Part: Sendable {
    let dispatcher: CommandDispatcher
    var loop: EventLoop { dispatcher.simulation.loop }
  }

  private let parts: [Part]
  private let onAllStopped: @Sendable () -> Void
  private var home: EventLoop { parts[0].loop }

  /// - Parameters:
  ///   - dispatchers: at least one dispatcher, each of one simulation, in the order of their loops. From now on each is
  ///     used only on its loop. For work that is scheduled there later, the clocks of all loops show the same time.
  ///   - onAllStopped: called on the first loop after a command stopped the last accessory.
  package init(_ dispatchers: [CommandDispatcher], onAllStopped: @escaping @Sendable () -> Void) {
    precondition(!dispatchers.isEmpty, "at least one dispatcher is required")
    parts = dispatchers.map { Part(dispatcher: $0) }
    self.onAllStopped = onAllStopped
    keepInStep()
  }

  /// Makes the clocks of all loops show the same time, also after a jump.
  private func keepInStep() {
    for (index, part) in parts.enumerated() {
      let others = parts.enumerated().filter { $0.offset != index }.map(\.element)
      let follow = { @Sendable in
        part.dispatcher.simulation.clock.onJump = { duration in
          for other in others { other.loop.schedule { other.dispatcher.simulation.clock.skip(duration) } }
        }
      }
      // Immediately if possible, because an initial fault of an accessory may jump in this turn.
      if part.loop.isOnLoop { follow() } else { part.loop.schedule(follow) }
    }
  }

  package func take(_ command: SimulatorCommand, done answer: @escaping Answer) {
    home.preconditionOnLoop()
    switch command.action {
    case .advance: carryOut(command, at: 0, answer)
    case .add:
      ask {
        $0.simulation.accessories.count
      } then: { [self] counts in
        carryOut(command, at: counts.firstIndex(of: counts.min() ?? 0) ?? 0, answer)
      }
    case .list where command.accessory == nil:
      let simulation = parts[0].dispatcher.simulation
      look({ $0.listing }) { answer(.success(.list(ProcessListing(simulation), $0))) }
    case .status where command.accessory == nil:
      look({ $0.status }) { answer(.success(.status($0))) }
    case .stop:
      guard command.accessory == nil else {
        return find(command) { [self] outcome in
          answer(outcome)
          lookWhetherAllStopped()
        }
      }
      ask {
        $0.stopAll()
      } then: { [self] _ in
        answer(.success(.done))
        onAllStopped()
      }
    default: find(command, answer)
    }
  }

  // MARK: Work on all loops

  /// Runs a closure on every loop, and continues on this loop with all answers, in the order of the loops.
  private func ask<T: Sendable>(
    _ question: @escaping @Sendable (CommandDispatcher) -> T, then: @escaping @Sendable ([T]) -> Void
  ) {
    let answers = Guarded(Gathered<T>(count: parts.count))
    for (index, part) in parts.enumerated() {
      part.loop.schedule { [home] in
        let answer = question(part.dispatcher)
        home.schedule { if let all = answers.withLock({ $0.take(answer, at: index) }) { then(all) } }
      }
    }
  }

  private func carryOut(_ command: SimulatorCommand, at index: Int, _ answer: @escaping Answer) {
    let part = parts[index]
    part.loop.schedule { [home] in
      @Sendable func bring(_ outcome: CommandOutcome) { home.schedule { answer(outcome) } }
      do throws(CommandError) { try part.dispatcher.perform(command, bring) } catch {
        bring(.failure(error))
      }
    }
  }

  /// Runs a command on the loop of the accessory that it names.
  private func find(_ command: SimulatorCommand, _ answer: @escaping Answer) {
    ask {
      $0.matchCount(command.accessory)
    } then: { [self] counts in
      let count = counts.reduce(0, +)
      if count == 1, let index = counts.firstIndex(of: 1) { return carryOut(command, at: index, answer) }
      refuse(command, count, answer)
    }
  }

  private func refuse(_ command: SimulatorCommand, _ count: Int, _ answer: @escaping Answer) {
    let selector = command.accessory
    ask {
      $0.names()
    } then: { names in
      let all = (servers: names.flatMap(\.servers), all: names.flatMap(\.all))
      answer(.failure(CommandDispatcher.refusal(of: selector, count, all)))
    }
  }

  /// Reads from all accessories, and continues on this loop with the results, in the order in which the accessories
  /// were served.
  private func look<T: Sendable>(
    _ look: @escaping @Sendable (isolated SimulatedAccessory) -> T, then: @escaping @Sendable ([T]) -> Void
  ) {
    ask { (dispatcher: CommandDispatcher) -> [(number: Int, seen: T)] in
      dispatcher.simulation.accessories.map { accessory in accessory.assumeIsolated { ($0.number, look($0)) } }
    } then: { seen in
      then(seen.joined().sorted { $0.number < $1.number }.map(\.seen))
    }
  }

  private func lookWhetherAllStopped() {
    ask {
      $0.simulation.accessories.allSatisfy { $0.assumeIsolated { $0.isStopped } }
    } then: { [self] stopped in
      if stopped.allSatisfy({ $0 }) { onAllStopped() }
    }
  }
}

/// The answers received so far.
private struct Gathered<T: Sendable>: Sendable {
  private var answers: [T?]
  private var missing: Int

  init(count: Int) {
    answers = Array(repeating: nil, count: count)
    missing = count
  }

  /// - Returns: all answers once the last one is there; before, nil.
  mutating func take(_ answer: T, at index: Int) -> [T]? {
    answers[index] = answer
    missing -= 1
    return missing == 0 ? answers.compactMap { $0 } : nil
  }
}
