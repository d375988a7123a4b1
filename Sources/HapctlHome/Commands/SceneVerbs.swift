import HAPCommandLine
import HAPHome
import HAPModel
import HAPWire

/// The commands for scenes, which HomeKit calls action sets.
extension HomeVerb {
  static let scenes = [
    HomeVerb(
      "scene list", "list the scenes, with what they set", [.any(.scene, "SCENE")],
      examples: [("hapctl home scene list", "shows each scene")],
      json:
        "`{\"scenes\": [{\"id\", \"name\", \"type\", \"actions\": [{\"characteristic\", \"path\", \"value\", \"text\"}], \"lastExecution\"}]}`"
    ) { session, arguments in try session.listScenes(arguments.operands) },
    HomeVerb(
      "scene add", "add a scene, with the values that it sets", [.init(.text, "NAME"), .any(.path, "PATH VALUE")],
      discussion: ["If one of the values is not possible, the scene is not added."],
      examples: [
        ("hapctl home scene add Movie \"Stereo Light/On\" on \"Kitchen Light/On\" off", "adds a scene of two actions")
      ],
      json: changesJSON
    ) { session, arguments in
      let home = try session.home
      let actions = try session.actions(arguments.operands.dropFirst())
      return try await session.addTogether(.addActionSet(home: home.id, name: arguments.operands[0])) { set in
        actions.map { .addAction(actionSet: set, $0) }
      } undo: {
        .removeActionSet($0)
      }
    },
    remover("scene", .actionSet, "Triggers no longer run it. The four scenes that each home has from the start stay.") {
      .removeActionSet($0)
    },
    renamer("scene", .actionSet),
    HomeVerb(
      "scene set", "add values to a scene, or change them", [.init(.scene, "SCENE"), .several(.path, "PATH VALUE")],
      discussion: [
        "A path of a place, such as Kitchen/On, adds a value for each characteristic that can be written there."
      ],
      examples: [
        ("hapctl home scene set \"hi house\" \"Stereo Light/Hue\" 120 \"Stereo Light/On\" on", "sets two values")
      ],
      json: changesJSON
    ) { session, arguments in
      let set = try session.lookup.scene(arguments.operands[0])
      let present = Set(set.actions.map(\.characteristic))
      return try await session.change(
        try session.actions(arguments.operands.dropFirst()).map {
          present.contains($0.characteristic)
            ? .updateAction(actionSet: set.id, $0) : .addAction(actionSet: set.id, $0)
        })
    },
    HomeVerb(
      "scene unset", "remove values from a scene", [.init(.scene, "SCENE"), .several(.path, "PATH")],
      examples: [("hapctl home scene unset \"hi house\" \"Stereo Light/Hue\"", "removes a value")], json: changesJSON
    ) { session, arguments in
      let lookup = try session.lookup
      let set = try lookup.scene(arguments.operands[0])
      let present = Set(set.actions.map(\.characteristic))
      var commands: [HomeCommand] = []
      for path in arguments.operands.dropFirst() {
        let found = try lookup.targets(path, for: []).map(\.characteristic.id).filter(present.contains)
        guard !found.isEmpty else {
          throw HomeFailure("the scene \(set.name.text.quoted) does not set \(path.quoted)")
        }
        commands += found.map { .removeAction(actionSet: set.id, characteristic: $0) }
      }
      return try await session.change(commands)
    },
  ]
}

extension HomeSession {
  /// The writes of words PATH VALUE…, each characteristic once.
  func actions(_ words: ArraySlice<String>) throws -> [HomeAction] {
    let words = UnitWord.joined(Array(words))
    guard words.count % 2 == 0 else { throw UsageError("the last path has no value: \(shown(words.last ?? ""))") }
    let lookup = try lookup
    var actions: [HomeAction] = []
    for index in stride(from: 0, to: words.count, by: 2) {
      let targets = try lookup.targets(words[index], for: .pairedWrite)
      let isPlace = targets.count > 1
      var added = 0
      for target in targets {
        let value: Value
        do { value = try target.characteristic.value(fromText: words[index + 1]) } catch {
          // In a place, accessories of one type can have other limits; at least one has to take the value.
          if isPlace, added > 0 || target != targets.last { continue }
          throw error
        }
        let id = target.characteristic.id
        if actions.contains(where: { $0.characteristic == id }) {
          throw UsageError("\(shown(words[index])) sets \(lookup.path(ofCharacteristic: id)) again: set it once")
        }
        actions.append(HomeAction(id, value))
        added += 1
      }
    }
    return actions
  }

  fileprivate func listScenes(_ names: [String]) throws -> ExitCode {
    let lookup = try lookup
    let sets = names.isEmpty ? lookup.home.listedActionSets : try names.map { try lookup.scene($0) }
    if isJSON {
      print(.object([("scenes", .list(sets.map { lookup.node($0) }))]))
      return .well
    }
    for set in names.isEmpty ? sets.inNameOrder(\.name.text) : sets {
      print(set.actions.isEmpty ? "\(set.name): no actions" : "\(set.name):")
      for line in lookup.lines(set.actions) { print("  \(line)") }
    }
    return .well
  }
}

extension HomeLookup {
  /// "Stereo Light/On: on" for each action.
  func lines(_ actions: [HomeAction]) -> [String] {
    actions.map { "\(path(ofCharacteristic: $0.characteristic)): \(home.text(of: $0.value, $0.characteristic))" }
  }

  func node(_ actions: [HomeAction]) -> JSONNode {
    .list(
      actions.map { action in
        let found = home.characteristic(action.characteristic)?.characteristic
        return .object([
          ("characteristic", .id(action.characteristic)),
          ("path", .text(path(ofCharacteristic: action.characteristic))),
          ("value", found?.node(of: action.value) ?? action.value.exactNode),
          ("text", .text(home.text(of: action.value, action.characteristic))),
        ])
      })
  }

  func node(_ set: ActionSet) -> JSONNode {
    .object([
      ("id", .id(set.id)), ("name", .text(set.name.text)), ("type", .text(set.kind.rawValue)),
      ("actions", node(set.actions)),
      ("lastExecution", set.lastExecution.map { .text($0.description) } ?? JSONNode(.null)),
    ])
  }
}
