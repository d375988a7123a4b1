import Foundation
import Testing

/// Only the libuv layer, `HAPLoop/Kernel`, accesses the machine: sockets, clocks, randomness, threads and files. All
/// other code of a target that can run in a simulated world uses the driver of its loop, or is listed here with a
/// reason.
///
/// PurityTests shows the same for the pure targets. LoopTimeTests reads the sources: it finds uses that an object
/// doesn't show.
///
/// An object uses the machine if it refers to a function of the system (`SystemSymbol`) or to a symbol that a source of
/// the libuv layer defines, or creates a task that inherits no executor.
///
/// Checked: these tests fail with each of these in a file of HaptestProgram: `ContinuousClock.now`, `usleep(1)`,
/// `UInt8.random(in: 0...9)`, `[1].shuffled()`, `socket(2, 1, 0)`, `open("/", 0)`, `Task { }`, `Task.detached { }`,
/// `NetworkInterface.all()`, `DescriptorWatcher.Events.readable`, and a loop that is created by `EventLoop(name: "x")`;
/// and with an unnecessary exception.
struct LoopObjectTests {
  /// libuv's functions that do not access the machine: locks, and texts of errors and addresses.
  private static let harmless = [
    "uv_mutex_*", "uv_strerror_r", "uv_translate_sys_error", "uv_inet_*", "uv_ip4_addr", "uv_ip6_addr",
    // A group's task inherits its executor; `makesTask` finds other tasks. A database accesses its files through a VFS.
    "swift_task_create*", "sqlite3_*",
  ]

  /// Exceptions: the source, its uses, and the reason. An unnecessary entry, or part of one, is an error.
  private static let exceptions: [(file: String, uses: Set<String>, reason: String)] = [
    // Uses of a loop, a store or a device outside a simulated world.
    ("HAPLoop/EventLoop+Tasks.swift", ["tasks"], "makes the tasks of all other code, with the loop's executor"),
    ("HAPWorld/Loop/SimulatedWorld.swift", ["tasks"], "starts the body of a run, on the executor of the world"),
    ("HAPTransport/SystemRandomSource.swift", ["Kernel/SystemRandom"], "gives executables the system's randomness"),
    ("HAPStore/Folder/SystemFiles.swift", ["files", "processes", "sleep"], "is the disk of the machine"),
    ("HAPStore/Folder/SystemRecordLocks.swift", ["files", "processes"], "is the locks on the disk of the machine"),

    ("HAPLoop/Guarded.swift", ["libuv"], "is the lock of all other code; only Kernel files wait for it in real time"),
    (
      "HAPLoop/IPAddress.swift", ["Kernel/KernelInterfaces"],
      "reads and prints interface names in link-local addresses; a simulated host prints its own names"
    ),
    ("HAPWorld/Loop/MainQueue.swift", ["threads"], "waits for the main queue of the process"),
    ("HAPWorld/Loop/WorldThread.swift", ["tasks", "threads"], "runs a world on a thread for code that is not in it"),
    ("HAPHomeKit/Session/AppPlace.swift", ["threads"], "calls an app on the main queue"),
    ("HAPHomeKit/Session/AppSession.swift", ["threads"], "calls an app on the main queue"),
    ("HAPHomeKit/Adding/PersonalOperation.swift", ["tasks"], "asks a person on the main actor"),
    ("HAPHomeKit/Adding/TerminalPrompt.swift", ["threads"], "reads the terminal of an app without a loop"),
    ("HAPHomeKitTesting/HomeWorld.swift", ["threads"], "calls a test on the main queue"),
    ("HAPHub/ServedHub.swift", ["Kernel/KernelDriver"], "makes the loop of an app that runs a hub on the machine"),
    ("HAPWorld/Loop/WorldBody.swift", ["threads"], "gives a separate thread to a world that a user's test runs"),
    ("HAPWorld/Loop/StrayTasks.swift", ["processes"], "reads a variable of the concurrency runtime"),

    (
      "HAPSimulatorCore/Accessories/SimulatorCore.swift", ["Kernel/KernelDriver"],
      "creates the loop of a simulator that a test runs on the machine"
    ),

    (
      "HAPController/Controller.swift", ["Kernel/KernelDriver"],
      "creates the loop of a controller that a program runs on the machine"
    ),

    (
      "HAPSimulatorCore/World/SeedVariable.swift", ["files", "processes"],
      "reads the seed of a user's test, and prints it when the test fails"
    ),

    // Other mDNS responders are processes of the machine, so a simulated world has none.
    ("HAPDiscovery/Daemon/DNSSDLibrary.swift", ["processes"], "loads the library of the machine's mDNS responder"),
    (
      "HAPDiscovery/Daemon/DaemonDesk.swift", ["Kernel/KernelDriver", "processes"],
      "calls this library on its own loop, because its calls block, and sets a variable for it"
    ),
    ("HAPDiscovery/Daemon/ServiceReference.swift", ["Kernel/DescriptorWatcher"], "waits for sockets of this library"),

    // Files that a user names.
    ("HAPPreparation/RegularFile.swift", ["files"], "reads a file that a user names"),
    ("HAPObservation/CaptureWriter.swift", ["files"], "writes a file that a user names"),
    (
      "HAPTarget/Hooks/ServedProfile.swift", ["files", "processes"],
      "writes the changed profile for a command of a hook"
    ),
    ("HAPCommandLine/Files.swift", ["files"], "reads and writes files that a user names"),
    ("HAPCommandLine/OutputPaths.swift", ["files"], "compares the paths of files that a user names"),
    ("HapsimProgram/Run/AppendedFile.swift", ["files"], "writes a file that a user names"),
    ("HaptestProgram/Run/ReportFiles.swift", ["files"], "makes a folder that a user names"),

    // A terminal, standard output, signals and the environment. A simulated program gets a console and a stop request.
    ("HAPCommandLine/Console.swift", ["processes", "terminal"], "is the console of a program on the machine"),
    (
      "HAPCommandLine/StandardOutput.swift", ["files", "sockets"], "writes to standard output, whether it blocks or not"
    ),
    ("HAPCommandLine/LineOutput.swift", ["Kernel/KernelDriver"], "writes to standard output on its own loop"),
    (
      "HAPCommandLine/WallClock.swift", ["Kernel/MachineClock"],
      "is the time of a report that is created before there is a loop"
    ),
    ("HAPCommandLine/Terminal.swift", ["sockets", "files", "terminal"], "distinguishes a terminal from a file"),
    (
      "HAPCommandLine/CommandPlace.swift", ["Kernel/KernelDriver", "Kernel/Blocking", "Kernel/SignalWatcher"],
      "runs a command on the main thread, unless it runs in a simulated world"
    ),
    (
      "HAPCommandLine/StopRequest.swift", ["Kernel/KernelDriver", "Kernel/SignalWatcher", "files"], "waits for signals"
    ),

    // hapsim's commands other than `run`, and the interfaces of `run` to the machine.
    ("HapsimProgram/Commands/ControlCommand.swift", ["files"], "makes a path of a user absolute"),
    ("HapsimFiles/Profiles/ShippedProfiles.swift", ["Kernel/ExecutablePath"], "finds the profiles beside the program"),
    (
      "HapsimFiles/RunHost.swift",
      [
        "Kernel/KernelDriver", "Kernel/DescriptorLimit", "Kernel/KernelInterfaces", "Kernel/LineReader",
        "Kernel/SystemRandom",
      ], "is the machine as the host of a run"
    ),
    (
      "HapsimObservation/CaptureFiles.swift", ["clocks", "processes"],
      "names a capture file after the time and the process; the name should come from the host of the run"
    ),
    ("HapsimInputs/ServePlan.swift", ["Kernel/Workers"], "prepares a large fleet on several threads"),
    (
      "HapsimProgram/Run/ServingLoop.swift", ["Kernel/Workers"],
      "gives a large fleet as many loops as the machine has cores"
    ),
    ("HapsimProgram/Run/RunProfiles.swift", ["Kernel/StartMemory"], "sets up the heap of the process"),
    ("hapctl/main.swift", ["Kernel/StartMemory"], "sets up the heap of the process"),
    ("HapsimProgram/Run/ServedRun.swift", ["Kernel/StartMemory"], "gives unused memory back to the machine"),
    (
      "HaptestProgram/Commands/RunCommand.swift",
      ["Kernel/KernelDriver", "Kernel/Blocking", "Kernel/SignalWatcher", "processes"],
      "runs haptest on the program's main thread"
    ),

    // Main files, and hapctl, an interactive tool: none runs in a simulated world.
    ("hapsim/main.swift", ["Kernel/System", "processes"], "is the start of the program"),
    ("haptest/main.swift", ["Kernel/System", "processes"], "is the start of the program"),
    ("hapctl/main.swift", ["Kernel/System", "processes"], "is the start of the program"),
    ("HapctlAccessories/CommonOptions.swift", ["Kernel/KernelInterfaces"], "checks an option before there is a loop"),
    (
      "HapctlAccessories/Commands/ProxyCommand.swift",
      ["Kernel/KernelDriver", "Kernel/Blocking"],
      "runs the command on the main thread"
    ),
    (
      "HapctlAccessories/Commands/ShellProgram.swift",
      ["Kernel/KernelDriver", "Kernel/Blocking", "Kernel/SignalWatcher", "terminal"],
      "runs the shell on the main thread"
    ),
    (
      "HAPController/Discovery/AccessorySearch.swift", ["Kernel/SignalWatcher"],
      "ends a search when the user of hapctl interrupts it"
    ),
    (
      "HapctlAccessories/Text/FoundAccessory+Text.swift", ["Kernel/KernelInterfaces"],
      "asks the machine for an interface's name"
    ),
    ("HapctlAccessories/Proxy/TranscriptFile.swift", ["files"], "writes a file that a user names"),
    ("HapctlAccessories/Proxy/TranscriptTime.swift", ["clocks"], "reads the machine's clock"),
    ("HapctlAccessories/Shell/LineEditor.swift", ["terminal"], "is the line editor of the shell"),
    ("HapctlAccessories/Shell/ShellHistory.swift", ["files", "processes"], "keeps the history of the shell"),
    ("HapctlAccessories/Shell/ShellInput.swift", ["files", "sockets"], "reads the shell's input"),
  ]

  /// The targets with code that can run in a simulated world.
  private static func targets() throws -> [String] {
    let folder = Checkout.folder.appendingPathComponent("Sources")
    let all = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try all.filter { try !Checkout.pureTargets.contains($0) && !Checkout.sources(of: $0).isEmpty }
  }

  /// The symbols defined by sources of the libuv layer, with the names of the sources.
  private static func kernelSymbols() throws -> [String: String] {
    var sources: [String: String] = [:]
    for object in try ObjectFile.all(of: "HAPLoop") where isKernel(object) {
      let source = object.name.replacingOccurrences(of: "HAPLoop/", with: "").replacingOccurrences(
        of: ".swift", with: "")
      for symbol in object.ownSymbols where symbol.hasPrefix("$s") { sources[symbol] = source }
    }
    return sources
  }

  private static func isKernel(_ object: ObjectFile) -> Bool { object.name.hasPrefix("HAPLoop/Kernel/") }

  /// An object's uses of the machine: kinds of `SystemSymbol` and sources of the libuv layer, each with one of its
  /// symbols.
  private static func uses(of object: ObjectFile, _ kernel: [String: String]) -> [String: String] {
    var uses: [String: String] = [:]
    let symbols = object.undefinedSymbols
    for symbol in symbols {
      if let source = kernel[symbol] { uses[source] = symbol }
      if harmless.contains(where: { SystemSymbol.matches(symbol, $0) }) { continue }
      if let kind = SystemSymbol(symbol) { uses[kind.rawValue] = symbol }
    }
    if symbols.contains(where: { $0.hasPrefix("swift_task_create") }),
      let symbol = object.definedSymbols.first(where: makesTask)
    {
      uses[SystemSymbol.tasks.rawValue] = symbol
    }
    return uses
  }

  /// Whether a symbol is an initializer of `Task`, or a function that creates one. Each object that uses one has a
  /// copy.
  private static func makesTask(_ symbol: String) -> Bool {
    symbol.hasPrefix("$sScT") && symbol.contains("9operation") && !symbol.contains("Tf")
  }

  @Test("Only the libuv layer and the listed sources use sockets, clocks, randomness, threads, files or tasks")
  func objects() throws {
    let kernel = try Self.kernelSymbols()
    #expect(kernel.count > 100)
    let listed = Set(Self.exceptions.flatMap { entry in entry.uses.map { "\(entry.file): \($0)" } })
    var unused = listed
    var moved: Set<String> = []
    var count = 0
    for target in try Self.targets() {
      let objects = try ObjectFile.all(of: target).filter { !Self.isKernel($0) }
      let areMisnamed =
        try ObjectFile.isCompiledAsWhole(target) && objects.contains { $0.name.hasSuffix("/main.swift") }
      for (index, object) in objects.enumerated() {
        count += 1
        for (use, symbol) in Self.uses(of: object, kernel).sorted(by: { $0.key < $1.key }) {
          if unused.remove("\(object.name): \(use)") != nil { continue }
          // If a module is compiled as a whole, the first object has the default arguments and initial values of all
          // sources. If the module has a main file, its objects have the names of other sources. Such a module is
          // compared as a whole, too.
          let entries = listed.filter { $0.hasPrefix("\(target)/") && $0.hasSuffix(": \(use)") }
          if index == 0 || areMisnamed, !entries.isEmpty {
            moved.formUnion(entries)
            continue
          }
          Issue.record(
            "\(object.name) uses \(use), by \(symbol): take it from the loop, or list the file with a reason")
        }
      }
    }
    #expect(count > 400)
    unused.subtract(moved)
    #expect(unused.isEmpty, "these exceptions are unnecessary")
  }
}
