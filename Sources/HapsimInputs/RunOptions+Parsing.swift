import HAPMatter
import HapsimFiles
import HAPCommandLine
import HAPDeviations
import HAPFleet
import HAPHost
import HAPLoop
import HAPModel
import HAPProfile
import HAPWire

extension RunOptions {
  package static let ephemeralFlag = Flag("ephemeral", "store nothing: each start has a new identity")
  package static let setupCodeOption = Option<SetupCode>(
    "setup-code", "XXX-XX-XXX", "the setup code (default: the profile's, else random, then stored)",
    read: { (text: String) throws(UsageError) in
      do throws(SetupCodeError) { return try SetupCode(text) } catch { throw UsageError("\(error)") }
    })
  package static let setupIDOption = Option<SetupID>(
    "setup-id", "XXXX",
    "the four characters that identify the accessory in QR codes (default: the profile's, else random, then stored)",
    read: { (text: String) throws(UsageError) in
      guard let id = SetupID(text) else { throw UsageError("a setup ID has four characters of 0-9 and A-Z") }
      return id
    })
  package static let portOption = Option<UInt16>(
    "port", "N", in: 0...65535, "the first accessory's TCP port; the others count up from it (default: 0, a free port)"
  )
  package static let bindOption = Option<String>(
    "bind", "ADDR", "the IP address to listen on (default: those of --interface, else all)",
    read: { (text: String) throws(UsageError) in
      do throws(LoopError) {
        _ = try IPAddress(text)
      } catch  where error.code == .malformedAddress {
        throw UsageError("expected an IP address, such as 192.168.1.2 or fd00::1")
      } catch {}  // a missing interface is reported when it is needed
      return text
    })
  package static let interfaceOption = Option<String>(
    "interface", "IF", repeated: true, "announce and listen only on this network interface; may be given several times"
  )
  package static let bonjourOption = Option<Bonjour>(
    oneOf: "bonjour",
    "announce the accessories by this machine's mDNS daemon, by this process, or not at all; auto uses the daemon if possible, else this process (default: auto)"
  )
  package static let nameOption = Option<String>(
    "name", "NAME", "the accessory's name (default: the profile's)",
    read: { (text: String) throws(UsageError) in
      if let problem = AccessoryProfile.problem(withName: text) { throw UsageError(problem) }
      return text
    })
  package static let quirksOption = Option<QuirksChoice>(
    "quirks", "NAME|FILE",
    "the protocol quirks: \(Quirks.presets.keys.joined(separator: ", ")), or a JSON file (default: the profile's, else those that 'hapsim quirks' prints)",
    read: { (text: String) throws(UsageError) in try QuirksChoice(text) })
  package static let maximumSessionsOption = Option<Int>(
    "max-sessions", "N", in: 8...10_000,
    "the maximum number of connections, 8 to 10000 (default: 17, or that of the quirks)")
  package static let defectOption = Option<String>(
    "defect", "ID", "violate one rule on purpose; see hapsim defects",
    read: { (text: String) throws(UsageError) in text })
  package static let faultOption = Option<FaultChoice>(
    "fault", "NAME[:PARAM=VALUE]", repeated: true,
    "switch on a fault of the accessory or its network; see hapsim faults; may be given several times",
    read: { (text: String) throws(UsageError) in
      do throws(JSONProblem) { return try FaultLibrary.builtIn.choice(text) } catch { throw UsageError(error.message) }
    })
  package static let captureOption = Option<String>(
    "capture", "DIR",
    "record every byte of the run in a new file below DIR, for hapsim replay; the file contains the accessory's keys",
    read: { (text: String) throws(UsageError) in text })
  package static let seedOption = Option<UInt64>(
    "seed", "N", in: 0...UInt64.max,
    "make the simulation's randomness and the codes of new Matter nodes repeatable; keys never depend on it")
  package static let timeScaleOption = Option<Double>(
    "time-scale", "N", "run simulated time N times as fast as real time, 0.001 to 100000 (default: 1)",
    read: { (text: String) throws(UsageError) in
      // Only digits and a point: no exponents, no infinity, no hexadecimal.
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }), let scale = Double(text),
        SimulationClock.scales.contains(scale)
      else { throw UsageError("expected a number from 0.001 to 100000") }
      return scale
    })
  package static let virtualTimeFlag = Flag(
    "virtual-time",
    "freeze simulated time; 'hapsim ctl advance' moves it; with a scenario, jump to the next event"
  )
  package static let scenarioOption = Option<String>(
    "scenario", "FILE",
    "run this scenario; the exit status is 0 if all its expectations are met, else 1",
    read: { (text: String) throws(UsageError) in text })
  package static let durationOption = Option<Duration>(
    "duration", "TIME", "stop after this time: 90s, 10min (default: run until stopped)",
    read: { (text: String) throws(UsageError) in
      guard let duration = Duration(text), duration > .zero else {
        throw UsageError("expected a time, such as 90s or 10min, of at most 1000 hours")
      }
      return duration
    })
  package static let renumberFlag = Flag(
    "renumber", "accept IDs in the profile that differ from those served before; c# rises")
  package static let commandsFlag = Flag(
    "commands",
    "read commands as JSON lines from standard input and answer each; exit when the input ends; implies --json")
  package static let keepRunningFlag = Flag(
    "keep-running", "with --commands, keep serving after the end of standard input")
  package static let quietFlag = Flag("quiet", letter: "q", "print only the accessories' addresses and errors")

  package static let countOption = Option<Int>(
    "count", "N", in: 1...Fleet.mostCopies,
    "serve N copies of each profile, 1 to \(Fleet.mostCopies), each with a separate name, keys and pairings")
  package static let identityOption = Option<String>(
    "identity", "TEXT",
    "derive the copies' keys, device IDs and setup codes from this text, so that they are the same on every machine; anyone with the text has the keys (default: random, stored in the state folder)"
  )
  package static let shardOption = Option<Shard>(
    "shard", "I/N", "serve every Nth copy, starting with copy I, counted from 0; needs an identity",
    read: { (text: String) throws(UsageError) in
      guard let shard = Shard(text) else { throw UsageError("expected I/N with I below N, such as 0/4") }
      return shard
    })
  package static let loopsOption = Option<Int>(
    "loops", "N", in: 1...256,
    "distribute the accessories over N threads (default: one for a few accessories, else one per core)")
  /// The options of copies.
  package static let fleetDefinitions = [
    identityOption.definition, shardOption.definition, loopsOption.definition,
  ]

  package static let noProfile = "PROFILE… is missing: give a path, or the name of a profile that 'hapsim run' lists"

  /// The options, in the order of help.
  package static let definitions: [OptionDefinition] =
    shared { _ in true } + [countOption.definition] + fleetDefinitions

  /// The options for `hapsim judge`, which has a separate option for the duration.
  package static let definitionsOfJudge: [OptionDefinition] = definitions.filter { $0 != durationOption.definition }.map
  {
    var definition = $0
    if definition.name == CommonOptions.json.definition.name {
      definition.fileOption = JudgeOptions.reportOption.definition.name
    }
    return definition
  }

  /// The options that apply to every accessory of a fleet.
  package static let definitionsOfFleet: [OptionDefinition] =
    shared { ![setupIDOption.definition, nameOption.definition, captureOption.definition].contains($0) }
    + fleetDefinitions

  private static func shared(_ isMeant: (OptionDefinition) -> Bool) -> [OptionDefinition] {
    all.filter(isMeant)
  }

  private static let all: [OptionDefinition] = [
    CommonOptions.state.definition, ephemeralFlag.definition, setupCodeOption.definition, setupIDOption.definition,
    portOption.definition, bindOption.definition, interfaceOption.definition, bonjourOption.definition,
    nameOption.definition, quirksOption.definition, maximumSessionsOption.definition,
    defectOption.definition, CommonOptions.defects.definition, faultOption.definition, captureOption.definition,
    MatterSettings.flag.definition, MatterSettings.portOption.definition, MatterSettings.passcodeOption.definition,
    MatterSettings.discriminatorOption.definition, MatterSettings.vendorOption.definition,
    MatterSettings.productOption.definition, seedOption.definition, timeScaleOption.definition,
    virtualTimeFlag.definition,
    scenarioOption.definition, durationOption.definition, renumberFlag.definition,
    ControlChoice.placeOption.definition, ControlChoice.tokenOption.definition,
    ControlChoice.tokenFileOption.definition, ControlChoice.openFlag.definition,
    Flag("json", "print events as JSON, one object per line").definition, commandsFlag.definition,
    keepRunningFlag.definition,
    quietFlag.definition,
  ]

  /// - Parameter environment: the environment, for the default state folder.
  /// - Throws: for an invalid value, and for options that exclude each other.
  /// - Parameter isFleet: whether the only operand is a fleet file.
  package init(
    _ arguments: Arguments, isFleet: Bool = false, environment: (String) -> String?
  ) throws(UsageError) {
    profiles = isFleet ? [] : arguments.operands
    fleet = isFleet ? arguments.operands.first : nil
    state = try Self.state(arguments, environment)
    setupCode = try arguments.value(Self.setupCodeOption)
    setupID = try arguments.value(Self.setupIDOption)
    port = try arguments.value(Self.portOption) ?? 0
    bind = try arguments.value(Self.bindOption)
    interfaces = try arguments.all(Self.interfaceOption)
    bonjour = try arguments.value(Self.bonjourOption) ?? .auto
    name = try arguments.value(Self.nameOption)
    quirks = try arguments.value(Self.quirksOption)
    maximumSessions = try arguments.value(Self.maximumSessionsOption)
    defect = try arguments.value(Self.defectOption)
    matter = try MatterSettings(arguments)
    defectFiles = try arguments.all(CommonOptions.defects)
    capture = try arguments.value(Self.captureOption)
    faults = try arguments.all(Self.faultOption)
    seed = try arguments.value(Self.seedOption)
    pace = try Self.pace(arguments)
    scenario = try arguments.value(Self.scenarioOption)
    duration = try arguments.value(Self.durationOption)
    count = try arguments.value(Self.countOption)
    identity = try arguments.value(Self.identityOption)
    shard = try arguments.value(Self.shardOption) ?? .whole
    loops = try arguments.value(Self.loopsOption)
    control = try ControlChoice(arguments)
    renumber = arguments[Self.renumberFlag]
    commands = arguments[Self.commandsFlag]
    keepsRunning = arguments[Self.keepRunningFlag]
    json = arguments[CommonOptions.json] || commands
    quiet = arguments[Self.quietFlag]
    try checkCombinations(arguments, isFleet: isFleet)
    try check(for: profiles.count)
  }

  private static func state(
    _ arguments: Arguments, _ environment: (String) -> String?
  ) throws(UsageError) -> State {
    if arguments[ephemeralFlag] {
      guard !arguments.has(CommonOptions.state) else {
        throw UsageError("--state and --ephemeral exclude each other: --ephemeral stores no state")
      }
      return .ephemeral
    }
    guard let folder = try arguments.value(CommonOptions.state) ?? defaultStateFolder(environment) else {
      throw UsageError(
        "there is no default state folder, since neither XDG_STATE_HOME nor HOME is set; give --state DIR or --ephemeral"
      )
    }
    return .folder(folder)
  }

  private static func pace(_ arguments: Arguments) throws(UsageError) -> SimulationClock.Pace {
    guard arguments[virtualTimeFlag] else { return .running(scale: try arguments.value(timeScaleOption) ?? 1) }
    guard !arguments.has(timeScaleOption) else {
      throw UsageError("--time-scale and --virtual-time exclude each other: --virtual-time freezes time")
    }
    return arguments.has(scenarioOption) ? .jumping : .standing
  }

  /// Checks that the options don't exclude each other.
  private func checkCombinations(_ arguments: Arguments, isFleet: Bool) throws(UsageError) {
    guard defect == nil || capture == nil else {
      throw UsageError("--defect and --capture exclude each other: a replay lacks the defect")
    }
    guard faults.isEmpty || capture == nil else {
      throw UsageError("--fault and --capture exclude each other: a replay lacks the fault")
    }
    guard !profiles.isEmpty || scenario != nil || isFleet else { throw UsageError(Self.noProfile) }
    guard count != nil || isFleet || (identity == nil && !arguments.has(Self.shardOption)) else {
      throw UsageError("--identity and --shard need copies: add --count N, or use hapsim fleet")
    }
    guard !needsOneLoop || loops ?? 1 == 1 else {
      throw UsageError(
        "--loops: virtual time, scenarios, recordings, captures and judges need a single loop")
    }
    guard setupID == nil || count == nil else {
      throw UsageError("--setup-id is for one accessory: each copy has a different one")
    }
    if let fault = faults.first(where: { $0.jump != nil }), isFleet || count ?? 1 > 1 {
      throw UsageError(
        "--fault \(fault.name): it would advance the time of all accessories once for each of them; switch it on for one with hapsim ctl"
      )
    }
    guard commands || !keepsRunning else { throw UsageError("--keep-running needs --commands") }
    guard matter?.port == nil || (count ?? 1 == 1 && !isFleet) else { throw UsageError(MatterSettings.sharedPort) }
  }

  /// Checks that the options are valid for this number of profiles.
  package func check(for profiles: Int) throws(UsageError) {
    if profiles > 1 {
      guard name == nil else {
        throw UsageError("--name is for one profile: \(profiles) accessories can't share it")
      }
      guard setupCode == nil || count != nil else {
        throw UsageError("--setup-code is for one profile: \(profiles) accessories can't share it")
      }
      guard matter?.port == nil else { throw UsageError(MatterSettings.sharedPort) }
    }
    try checkPorts(for: profiles * (count ?? 1))
  }

  /// Checks that there are enough ports from the first one for the accessories of all shards.
  package func checkPorts(for accessories: Int) throws(UsageError) {
    let mine = (accessories + shard.count - 1 - shard.index) / shard.count
    guard port == 0 || Int(port) + mine - 1 <= 65535 else {
      throw UsageError("--port \(port): \(mine) accessories need ports beyond 65535")
    }
  }

  /// Checks that shards have an identity, because their machines don't share a state folder.
  package func checkIdentity(_ text: String?) throws(UsageError) {
    guard shard == .whole || text != nil else {
      throw UsageError(
        "--shard needs --identity TEXT, so that a copy is equal on every machine")
    }
  }
}
