"""The mutations for Scripts/prove-home: rule, file below Sources, text, the replacement of its first occurrence.

A rule is a number of home.md (N2: a test named HOME.N2 must fail), or the beginning of the name of a test.
"""

COMMANDS = "HAPHome/Commands/"
A = COMMANDS + "CommandRun+Accessories.swift"
D = COMMANDS + "CommandRun+Devices.swift"
N = COMMANDS + "CommandRun+Names.swift"
O = COMMANDS + "CommandRun+Objects.swift"
P = COMMANDS + "CommandRun+Places.swift"
R = COMMANDS + "CommandRun+References.swift"
S = COMMANDS + "CommandRun+ActionSets.swift"
T = COMMANDS + "CommandRun+Triggers.swift"
V = COMMANDS + "CommandRun+TriggerRules.swift"
C = "HAPHome/Changes/HomeModel+Apply.swift"
B = "HAPHome/Model/HomeService+Database.swift"
NAME = "HAPHome/Names/HomeName.swift"
RULES = "HAPHome/Names/HomeName+Rules.swift"

MODEL = [
    ("N1", N, "$0.id != home && $0.name.key == name.key", "$0.id != home && $0.name.text == name.text"),
    ("N2", N, "    for zone in zones where body(zone.name, zone.id, nil) { return zone.name }\n", ""),
    ("N2", N, "return id != accessory && object != accessory", "return false"),
    ("N3", NAME, "for upper in scalar.properties.uppercaseMapping.unicodeScalars { key += upper.properties.lowercaseMapping }", "key.unicodeScalars.append(scalar)"),
    ("N3", NAME, "scalar == \"'\" || scalar == \"\\u{2019}\"", "scalar == \"'\""),
    ("N4", RULES, "guard isWordPart(last) else", "guard isWordPart(last) || last == \" \" else"),
    ("N5", RULES, "guard text.count <= greatestLength,", "guard text.count <= greatestLength + 1,"),
    ("N6", N, "guard text != current.text else", "guard HomeName(text).key != current.key else"),
    ("N7", RULES, "String(text.prefix(greatestLength - end.count)) + end", "String(text.prefix(greatestLength)) + end"),
    ("N7", RULES, "var number = 2", "var number = 1"),
    ("O1", O, "HomeError(.objectNotAssociatedToAnyHome, .o1, \"no home has a", "HomeError(.notFound, .o1, \"no home has a"),
    ("O1", O, "      throw Self.unknown(kind, id)\n    }\n    guard found == kind else", "      throw Self.unknown(kind, id)\n    }\n    guard found == kind || kind == .room else"),
    ("O2", O, "$0.kind(of: id) == kind })", "$0.kind(of: id) == kind }), kind == .room"),
    ("O2", D, "? .objectAlreadyAssociatedToHome : .objectAssociatedToAnotherHome", "? .objectAssociatedToAnotherHome : .objectAlreadyAssociatedToHome"),
    ("R1", P, "guard room != home.roomForEntireHome.id else", "guard room != home.id else"),
    ("R2", P, "emit(home.id, .roomRemovedFromZone(room: id, zone: zone.id))", "_ = zone"),
    ("Z1", P, "guard !home.zones.find(zone)!.rooms.contains(room) else", "guard home.zones.find(zone)!.rooms.isEmpty else"),
    ("Z1", P, "guard !home.groups.find(group)!.services.contains(service) else", "guard !home.groups.contains(where: { $0.services.contains(service) }) else"),
    ("A1", D, "room: home.roomForEntireHome.id, category:", "room: (home.rooms.first ?? home.roomForEntireHome).id, category:"),
    ("A2", D, "return [first] + device.accessories.filter { $0.aid != 1 }", "_ = first\n    return device.accessories"),
    ("A2", A, "    guard accessory.bridge == nil else {\n      throw HomeError(\n        .cannotRemove", "    guard accessory.bridge == nil || id == accessory.id else {\n      throw HomeError(\n        .cannotRemove"),
    ("A3", A, "    for bridged in home.accessories where bridged.bridge == id { remove(bridged, from: home.id) }\n    remove(accessory, from: home.id)", "    remove(accessory, from: home.id)\n    for bridged in home.accessories where bridged.bridge == id { remove(bridged, from: home.id) }"),
    ("S1", S, "guard !set.kind.isBuiltIn else", "guard set.kind != .wakeUp else"),
    ("S2", S, "guard characteristic.permissions.contains(.pairedWrite) else", "guard characteristic.permissions.contains(.pairedRead) else"),
    ("S2", B, "case .minValue: .valueLowerThanMinimum", "case .minValue: .valueHigherThanMaximum"),
    ("S3", S, "try refuseTwice([action] + set.actions)", "try refuseTwice(set.actions)"),
    ("S4", T, "    try refuseOwned(home.actionSets.find(set)!)\n", ""),
    ("S4", T, "    for set in owned { emit(home.id, .actionSetRemoved(set)) }\n", ""),
    ("T1", V, "% 60_000_000_000 == 0", "% 1_000_000_000 == 0"),
    ("T2", V, "guard period.shortestMinutes >= 5 else", "guard period.shortestMinutes > 5 else"),
    ("T2", V, "guard period.longestMinutes <= 5 * 7 * 1440 else", "guard period.longestMinutes < 5 * 7 * 1440 else"),
    ("T2", V, "var longestMinutes: Int { minutes(inMonth: 31) }", "var longestMinutes: Int { minutes(inMonth: 28) }"),
    ("T3", V, "guard timer.fireDate > context.now else", "guard timer.fireDate >= context.now else"),
    ("T4", T, "context.now.duration(to: next) < Self.longestWait", "context.now.duration(to: next) <= Self.longestWait"),
    ("T4", T, "guard let set = home.actionSets.find(id), !set.actions.isEmpty else", "guard home.actionSets.find(id) != nil else"),
    ("T5", "HAPHome/Model/Trigger.swift", "var isEnabled = false", "var isEnabled = true"),
    ("T5", T, "      trigger.isEnabled = false\n      trigger.actionSets.removeAll", "      trigger.actionSets.removeAll"),
    ("T6", V, "if case .sun = $0 { needs = true }", "if case .unknown = $0 { needs = true }"),
    ("T6", T, "      try checkLocation(events, in: home)\n", ""),
    ("T7", V, "guard permissions.contains(.events) else", "guard permissions.contains(.events) || permissions.contains(.pairedWrite) else"),
    ("T8", V, "guard presence.kind == .firstEntry || presence.kind == .lastExit else", "guard presence.kind != .everyExit else"),
    ("T8", V, "    for event in trigger.endEvents { try checkEnd(event, in: home) }", "    for event in trigger.endEvents { try check(event, in: home) }"),
    ("U1", O, ".map({ $0.role == .guest }) ?? true", ".map({ $0.role == .guest }) ?? false"),
    ("L1", O, "guard count < limit else", "guard count <= limit else"),
    ("L1", V, "guard condition.depth <= context.policy.conditionDepth else", "guard condition.depth <= context.policy.conditionDepth + 1 else"),
    ("M2", P, "let next = model.homes.first {", "let next = model.homes.last {"),
    ("Removing an accessory", R, "    removeReferences(from: accessory, to: [], in: homeID)\n    emit(homeID, .accessoryRemoved(accessory.id))", "    emit(homeID, .accessoryRemoved(accessory.id))\n    removeReferences(from: accessory, to: [], in: homeID)"),
    ("Removing an accessory", R, "nil ? condition : nil } ?? .unknown", "nil ? condition : nil } ?? .all([])"),
    ("Removing an accessory", R, "      if events.events.isEmpty { trigger.isEnabled = false }\n", ""),
    ("Removing a set", T, "    trigger.actionSets.append(set)\n    if", "    trigger.actionSets = [set]\n    if"),
    ("A changed database", D, "in: home, before: known.services)", "in: home, before: [])"),
    ("A removed user", R, "return users.isEmpty ? nil :", "return users.isEmpty ? presence :"),
    ("An update of a trigger", C, "(old.name, old.lastFire) = (name, lastFire)", "old.name = name"),
    ("New texts of an accessory", C, "        accessory.information.firmware = firmware\n", ""),
    ("All rules hold", T, "ActionSet(id: newID(), name: trigger.name, kind: .triggerOwned)", "ActionSet(id: trigger.id, name: trigger.name, kind: .triggerOwned)"),
    ("All rules hold", T, "      guard !trigger.isEnabled else { return }\n", ""),
]

MUTATIONS = MODEL
