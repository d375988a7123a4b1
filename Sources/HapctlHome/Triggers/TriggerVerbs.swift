import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHomeFile
import HAPWire

/// The commands for triggers.
extension HomeVerb {
  static let triggers = [
    HomeVerb(
      "trigger list", "list the triggers", [.any(.trigger, "TRIGGER")],
      examples: [("hapctl home trigger list", "shows each trigger: what activates it, its condition and its scenes")],
      json:
        "`{\"triggers\": [{\"id\", \"name\", \"enabled\", \"next\", \"lastFire\", \"run\", \"definition\"}]}`; `definition` has the members of a trigger in a [.hashome file](hashome.md)"
    ) { session, arguments in try session.listTriggers(arguments.operands) },
    HomeVerb(
      "trigger add", "add a trigger: a timer with --at, or events with --when", [.init(.text, "NAME")],
      options: TriggerOptions.parts + [.init(TriggerOptions.disabled)],
      discussion: [
        "An event of --when is \(TriggerPhrase.eventForms). Any one of them activates the trigger.",
        "A condition of --if is \(TriggerPhrase.conditionForms). All of them have to be true; with --any, one of them.",
        "--run names a scene, or is 'PATH is VALUE' for a value that the trigger writes itself. A trigger with --run is enabled, unless --disabled is given.",
        "Instead of 'PATH is VALUE', --when and --if also take two words: PATH VALUE. Then NAME comes first. An object in JSON has the form of a .hashome file.",
      ],
      examples: [
        (
          "hapctl home trigger add \"arrived home\" --when \"Front Door Lock/Lock Current State is unsecured\" --if \"before 18:00\" --if \"Motion Sensor/Motion Detected is true\" --run \"hi house\"",
          "runs a scene when the door is unlocked before 18:00 and there is motion"
        ),
        (
          "hapctl home trigger add evening --at 2026-06-01T19:00 --every 1d --run \"Good Night\"",
          "runs a scene each evening"
        ),
        (
          "hapctl home trigger add dusk --when \"sunset -30min\" --weekdays mon,tue --end \"after 10min\" --run \"Lamp/On is on\"",
          "switches a lamp on for ten minutes before sunset"
        ),
      ], json: changesJSON, rewrite: TriggerOptions.joiningValues
    ) { session, arguments in try await session.addTrigger(arguments) },
    HomeVerb(
      "trigger edit", "change the parts of a trigger that are given", [.init(.trigger, "TRIGGER")],
      options: TriggerOptions.parts + TriggerOptions.removals,
      discussion: [
        "Each part that is given replaces the present one: with --when all events, with --if the whole condition, with --run all scenes. The other parts stay. 'hapctl home trigger add --help' describes the parts.",
        "A timer can't become a trigger with events.",
      ],
      examples: [("hapctl home trigger edit evening --at 2026-06-01T19:30", "changes the time")], json: changesJSON,
      rewrite: TriggerOptions.joiningValues
    ) { session, arguments in try await session.editTrigger(arguments) },
    remover("trigger", .trigger, "Its scenes stay; values that the trigger writes itself end with it.") {
      .removeTrigger($0)
    },
    renamer("trigger", .trigger),
  ]
}

/// The options that describe a trigger.
enum TriggerOptions {
  static let when = Option<String>("when", "EVENT", repeated: true, "an event that activates the trigger")
  static let conditions = Option<String>("if", "CONDITION", repeated: true, "what has to be true at the event")
  static let any = Flag("any", "one of the conditions is enough")
  static let run = Option<String>("run", "SCENE", repeated: true, "the scene to run, or 'PATH is VALUE'")
  static let at = Option<String>(
    "at", "TIME", "the first time of a timer, such as 2026-06-01T19:00; 19:00 is the next 19:00")
  static let every = Option<String>("every", "PERIOD", "the period of a timer, from 5min to 5w, such as 1d")
  static let weekdays = Option<String>("weekdays", "DAYS", "the days on which events count, such as mon,tue")
  static let end = Option<String>(
    "end", "EVENT", repeated: true, "an event that restores the values from before, such as 'after 10min'")
  static let once = Flag("once", "disable the trigger before it runs for the first time")
  static let disabled = Flag("disabled", "do not enable the new trigger")

  static let parts: [HomeOption] = [
    .init(when, .path), .init(conditions, .path), .init(any), .init(run, .scene), .init(at), .init(every),
    .init(weekdays), .init(end), .init(once),
  ]

  static let noCondition = Flag("no-if", "remove the condition")
  static let noPeriod = Flag("no-every", "let the timer fire once")
  static let noWeekdays = Flag("no-weekdays", "let events count on all days")
  static let noEnd = Flag("no-end", "remove the end events")
  static let notOnce = Flag("no-once", "keep the trigger enabled after it runs")

  static let removals: [HomeOption] = [
    .init(noCondition), .init(noPeriod), .init(noWeekdays), .init(noEnd), .init(notOnce),
  ]

  /// Joins the two words after `--when`, `--if`, `--end` and `--run` if the first one is a path alone:
  /// `--when A/B open` is `--when "A/B is open"`. The name of the trigger has to come first: otherwise it could be the
  /// second word.
  static let joiningValues: @Sendable ([String]) -> [String] = { words in
    joining(words, after: ["--when", "--if", "--end", "--run"]) { before in
      before.first.map { !$0.hasPrefix("--") } ?? false
    }
  }

  /// Joins the two words after some options if the first one is a path alone.
  /// - Parameter permits: whether the words are joined, by the words before them.
  static func joining(
    _ words: [String], after options: [String], if permits: (_ before: [String]) -> Bool
  ) -> [String] {
    var joined: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      joined.append(word)
      if word == "--" { return joined + rest }
      guard options.contains(word), let path = rest.popFirst() else { continue }
      if permits(joined), path.contains("/"), !path.hasPrefix("{"), TriggerPhrase.split(path) == nil,
        let value = rest.first, !value.hasPrefix("--")
      {
        rest.removeFirst()
        joined.append("\(path) is \(value)")
      } else {
        joined.append(path)
      }
    }
    return joined
  }
}
