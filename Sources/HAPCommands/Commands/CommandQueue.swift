import HAPDevices
import HAPHost
import HAPLoop
import HAPModel

/// The commands of one sender. They are carried out one after another, so each command finds the effects of the
/// previous one.
///
/// Belongs to the loop's thread.
package final class CommandQueue {
  private enum Entry {
    case line([UInt8])
    case refused(CommandError)
  }

  private let dispatcher: any CommandTaker
  private let loop: EventLoop
  /// The monotonic time in nanoseconds.
  private let readClock: () -> UInt64
  /// Called with each answer, a line without a newline, in the order of the commands.
  package var onAnswer: ((String) -> Void)?
  /// Called when a command has to wait for the previous one.
  package var onBusy: (() -> Void)?
  /// Called when all commands are answered.
  package var onIdle: (() -> Void)?
  private var entries: [Entry] = []
  /// Whether a command has not been answered yet.
  private var isWaiting = false
  private var isAtWork = false
  private var isClosed = false
  /// Whether the next command must wait.
  package var isHeld = false { didSet { if !isHeld { goOn() } } }

  package init(
    _ dispatcher: any CommandTaker, on loop: EventLoop, readClock: (() -> UInt64)? = nil
  ) {
    self.dispatcher = dispatcher
    self.loop = loop
    self.readClock = readClock ?? { loop.readClock() }
  }

  /// Whether all commands are answered.
  package var isIdle: Bool { entries.isEmpty && !isWaiting }

  /// Takes a line. Ignores a blank line.
  package func take(_ line: LineSplitter.Line) {
    switch line {
    case .line(let bytes):
      guard bytes.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else { return }
      entries.append(.line(bytes))
    case .tooLong(let limit):
      entries.append(.refused(CommandError(.malformed, "a line of more than \(limit) bytes was ignored")))
    }
    goOn()
  }

  /// Stops carrying out and answering commands.
  package func close() {
    isClosed = true
    entries = []
    onBusy = nil
    onIdle = nil
    onAnswer = nil
  }

  private func answered(_ reply: CommandReply) {
    isWaiting = false
    onAnswer?(reply.text)
    goOn()
  }

  private func goOn() {
    guard !isAtWork, !isClosed else { return }
    isAtWork = true
    defer { isAtWork = false }
    var slice = TurnSlice(readClock)
    while !isWaiting, !isHeld, !entries.isEmpty {
      guard slice.allowsStep() else {
        loop.later { self.goOn() }
        onBusy?()
        return
      }
      switch entries.removeFirst() {
      case .refused(let error): onAnswer?(CommandReply(id: nil, .failure(error)).text)
      case .line(let line):
        isWaiting = true
        let queue = LoopBound(here: loop, self)
        dispatcher.take(line) { queue.value.answered($0) }
      }
    }
    if isIdle { onIdle?() } else { onBusy?() }
  }
}
