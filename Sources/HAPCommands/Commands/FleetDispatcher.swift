import HAPDevices
import HAPHost
import HAPLoop
import HAPModel
import HAPVocabulary
import HAPWire

/// Takes commands for accessories on several loops: finds the loop of the one that is meant, has the command carried out there, and brings the
/// answer back. What is for all of them goes to every loop.
///
/// Whoever sends one command when the one before it has been answered, as `CommandQueue` does, has them carried out in their order. Belongs to the
/// loop of the first simulation.
package final class FleetDispatcher: CommandTaker {
  package typealias Answer = @Sendable (CommandOutcome) -> Void

  /// Used on the loop of its simulation alone.
  private struct Part: Sendable {
    let dispatcher: CommandDispatcher
    var loop: EventLoop { dispatcher.simulation.loop }
  }

  private let parts: [Part]
  private let onAllStopped: @Sendable () -> Void
  private var home: EventLoop { parts[0].loop }

  /// - Parameters:
  ///   - dispatchers: of one simulation each, in the order of their loops, one at least; each is used on its loop alone from now on. What is
  ///     scheduled there behind this finds its clock in step with the others.
  ///   - onAllStopped: called on the first loop after the last accessory was stopped by a command.
  package init(_ dispatchers: [CommandDispatcher], onAllStopped: @escaping @Sendable () -> Void) {
    precondition(!dispatchers.isEmpty, "somebody has to carry commands out")
    parts = dispatchers.map { Part(dispatcher: $0) }
    self.onAllStopped = onAllStopped
    keepInStep()
  }

  /// The clocks of all loops show one time, also behind a jump.
  private func keepInStep() {
    for (index, part) in parts.enumerated() {
      let others = parts.enumerated().filter { $0.offset != index }.map(\.element)
      let follow = { @Sendable in
        part.dispatcher.simulation.clock.onJump = { duration in
          for other in others { other.loop.schedule { other.dispatcher.simulation.clock.skip(duration) } }
        }
      }
      // At once where that can be: a fault that accessories have from their start may jump in this very turn.
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

  // MARK: Over the loops

  /// Puts a question on every loop, and goes on here when all are answered, in the order of the loops.
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

  /// Has a command carried out where the accessory is that it names.
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

  /// Reads from all accessories, and continues here with the results, in the order in which they were served.
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

/// Answers as they come in.
private struct Gathered<T: Sendable>: Sendable {
  private var answers: [T?]
  private var missing: Int

  init(count: Int) {
    answers = Array(repeating: nil, count: count)
    missing = count
  }

  /// - Returns: all of them, with the last.
  mutating func take(_ answer: T, at index: Int) -> [T]? {
    answers[index] = answer
    missing -= 1
    return missing == 0 ? answers.compactMap { $0 } : nil
  }
}
