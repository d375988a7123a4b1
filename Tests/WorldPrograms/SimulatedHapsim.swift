import HapsimFiles
import HapsimInputs
import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPStore
import HAPWorld
import HapsimProgram

extension SimulatedWorld {
  /// Installs `hapsim` on all hosts, so that `--exec "hapsim run …"` starts it there.
  /// - Parameters:
  ///   - disk: the disk for the state folders.
  ///   - name: the name of the program.
  ///   - arguments: returns the arguments of a run.
  package func installHapsim(
    on disk: SimulatedDisk, as name: String = "hapsim",
    arguments: @escaping (ProgramRun) -> [String] = { $0.arguments }
  ) {
    programs[name] = { run in
      let words = arguments(run)
      guard ["run", "judge"].contains(words.first) else { return run.perform(.hapsim) }
      let input = SimulatedInput()
      run.onLine = { input.take(.line($0)) }
      run.onInputEnd = { input.take(.end(nil)) }
      let program = HostedRun(run.makeConsole()) { run.exit($0.rawValue) }
      run.onTerminate = { program.signal() }
      run.process.whenDead {
        input.close()
        program.close()
      }
      program.start(words, on: SimulatedRunHost(run, run.process.view(of: disk), input), later: { run.later($0) })
    }
  }
}

/// A host of the world in the form that hapsim requires.
private final class SimulatedRunHost: RunHost, @unchecked Sendable {  // confined to the world's thread
  private let run: ProgramRun
  private let disk: SimulatedDisk
  private let input: SimulatedInput
  /// A loop that is never started. It only represents the host.
  private let driver: EventLoop
  let random: RandomSource

  init(_ run: ProgramRun, _ disk: SimulatedDisk, _ input: SimulatedInput) {
    self.run = run
    self.disk = disk
    self.input = input
    let loop = run.makeLoop("host")
    driver = loop
    random = RandomSource { loop.fillRandom($0) }
  }

  deinit { driver.stop() }

  func makeLoop(_ name: String) -> EventLoop { run.makeLoop(name) }
  var files: any StoreFiles { disk }
  func interfaces() -> [NetworkInterface] { driver.interfaces() }
  func makeRoom(forFiles count: Int) -> Int { run.process.descriptorLimit }

  func readLines(
    on loop: EventLoop, onEvent: @escaping (LineReader.Event) -> Void
  ) throws(LoopError) -> any LineSource {
    input.begin(on: loop, onEvent)
    return input
  }
}

/// Standard input of a program of the world.
private final class SimulatedInput: LineSource, @unchecked Sendable {  // confined to the world's thread
  private var waiting: [LineReader.Event] = []
  private var loop: EventLoop?
  private var onEvent: ((LineReader.Event) -> Void)?
  var isHeld = false {
    didSet { if !isHeld { wake() } }
  }

  func begin(on loop: EventLoop, _ onEvent: @escaping (LineReader.Event) -> Void) {
    self.loop = loop
    self.onEvent = onEvent
    wake()
  }

  func take(_ event: LineReader.Event) {
    waiting.append(event)
    wake()
  }

  func close() {
    loop = nil
    onEvent = nil
    waiting = []
  }

  private func wake() {
    guard !waiting.isEmpty, let loop else { return }
    loop.schedule { [self] in
      while !isHeld, !waiting.isEmpty { onEvent?(waiting.removeFirst()) }
    }
  }
}
