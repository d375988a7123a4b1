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
TAKEN = "HAPHome/Names/TakenNames.swift"
REPAIR = "HAPHome/JSON/HomeRepair.swift"
ROWS = "HAPHome/JSON/HomeRow.swift"
READ_ROWS = "HAPHome/JSON/HomeRow+Reading.swift"

MODEL = [
    ("N1", N, "$0.id != home && $0.name.key == name.key", "$0.id != home && $0.name.text == name.text"),
    ("N2", N, "    for zone in zones where body(zone.name, zone.id, nil) { return zone.name }\n", ""),
    ("N2", N, "return id != accessory && object != accessory", "return false"),
    ("N3", NAME, "for upper in scalar.properties.uppercaseMapping.unicodeScalars { key += upper.properties.lowercaseMapping }", "key.unicodeScalars.append(scalar)"),
    ("N3", NAME, "scalar == \"'\" || scalar == \"\\u{2019}\"", "scalar == \"'\""),
    ("N4", RULES, "guard isWordPart(last) else", "guard isWordPart(last) || last == \" \" else"),
    ("N5", RULES, "guard text.utf8.count <= greatestLength * 8 else", "guard text.utf8.count <= greatestLength * 800 else"),
    ("N5", RULES, "guard text.count <= greatestLength else", "guard text.count <= greatestLength + 1 else"),
    ("N6", N, "guard text != current.text else", "guard HomeName(text).key != current.key else"),
    ("N7", TAKEN, "HomeName.greatestLength - 1 - digits", "HomeName.greatestLength"),
    ("N7", TAKEN, "var (digits, first) = (1, 2)", "var (digits, first) = (1, 1)"),
    ("N7", TAKEN, "!others.contains(key) && owners[key] ?? accessory == accessory", "!others.contains(key) && owners[key] == nil"),
    ("N7", TAKEN, "!kept.contains(key) && owners[key] == accessory", "owners[key] == accessory"),
    ("N7", D, "      names.replace(known.services, with: services, of: known.id, named: known.name)\n", ""),
    ("N7", RULES, "String((text ?? \"\").prefix(greatestLength))", "text ?? \"\""),
    ("O1", O, "HomeError(.objectNotAssociatedToAnyHome, .o1, \"no home has \\(", "HomeError(.notFound, .o1, \"no home has \\("),
    ("O1", O, "      throw HomeError.missing(kind, id, in: home, found: model.homes.first { $0.kind(of: id) == kind })\n    }\n    guard found == kind else", "      throw HomeError.missing(kind, id, in: home, found: model.homes.first { $0.kind(of: id) == kind })\n    }\n    guard found == kind || kind == .room else"),
    ("O2", O, "$0.kind(of: id) == kind })", "kind == .room && $0.kind(of: id) == kind })"),
    ("O2", D, "? .objectAlreadyAssociatedToHome : .objectAssociatedToAnotherHome", "? .objectAssociatedToAnotherHome : .objectAlreadyAssociatedToHome"),
    ("R1", P, "guard room != home.roomForEntireHome.id else", "guard room != home.id else"),
    ("R2", P, "emit(home.id, .roomRemovedFromZone(room: id, zone: zone.id))", "_ = zone"),
    ("Z1", P, "guard !home.zones.find(zone)!.rooms.contains(room) else", "guard home.zones.find(zone)!.rooms.isEmpty else"),
    ("Z1", P, "guard !home.groups.find(group)!.services.contains(service) else", "guard !home.groups.contains(where: { $0.services.contains(service) }) else"),
    ("A1", D, "room: place.room, category:", "room: model.home(place.home)?.rooms.first?.id ?? place.room, category:"),
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
    ("U1", O, "users.find(user).map { $0.role != .guest } ?? false", "users.find(user).map { $0.role != .guest } ?? true"),
    ("U1", P, "!model.homes.contains(where: { $0.mayEdit(user) })", "model.homes.isEmpty"),
    ("L1", O, "guard count < limit else", "guard count <= limit else"),
    ("L1", V, "guard condition.depth <= context.policy.conditionDepth else", "guard condition.depth <= context.policy.conditionDepth + 1 else"),
    ("M2", P, "let next = model.homes.first {", "let next = model.homes.last {"),
    ("Removing an accessory", R, "    removeReferences(from: accessory, to: [], in: homeID)\n    emit(homeID, .accessoryRemoved(accessory.id))", "    emit(homeID, .accessoryRemoved(accessory.id))\n    removeReferences(from: accessory, to: [], in: homeID)"),
    ("Removing an accessory", R, "nil ? condition : nil } ?? .unknown", "nil ? condition : nil } ?? .all([])"),
    ("Removing an accessory", R, "      if events.events.isEmpty { trigger.isEnabled = false }\n", ""),
    ("Removing a set", T, "    trigger.actionSets.append(set)\n    if", "    trigger.actionSets = [set]\n    if"),
    ("A changed database", D, "before: known.services, &names)", "before: [], &names)"),
    ("An iid that a changed database", R, ".filter { types.contains(TypedPart($0)) }", ""),
    ("An iid that a changed database", R, "Set(removedServices.map(\\.id))", "Set(removedServices.map(\\.id)).subtracting(services.map(\\.id))"),
    ("A home that the model does not have", C, "if home(change.home) != nil { primaryHome = change.home }", "primaryHome = change.home"),
    ("A home that the model does not have", C, "if id != users.first?.id { users.remove(id) }", "users.remove(id)"),
    ("L1", COMMANDS + "HomeContext.swift", "conditionDepth = 32 {", "conditionDepth = 33 {"),
    ("S1", REPAIR, "    addBuiltInSets()\n", ""),
    ("An identifier in another form", READ_ROWS, "guard description == text else", "guard !text.isEmpty else"),
    ("The removal of a home", ROWS, "        updates.append(.removeHome(id: change.home.description))\n", "        updates += old?.rowIDs.map { .remove(id: $0.description) } ?? []\n"),
    ("A removed user", R, "return users.isEmpty ? nil :", "return users.isEmpty ? presence :"),
    ("An update of a trigger", C, "(old.name, old.lastFire) = (name, lastFire)", "old.name = name"),
    ("New texts of an accessory", C, "        accessory.information.firmware = firmware\n", ""),
    ("All rules hold", T, "ActionSet(id: newID(), name: trigger.name, kind: .triggerOwned)", "ActionSet(id: trigger.id, name: trigger.name, kind: .triggerOwned)"),
    ("All rules hold", T, "      guard !trigger.isEnabled else { return }\n", ""),
]

ENGINE_FOLDER = "HAPHomeEngine/Engine/"
F = ENGINE_FOLDER + "HomeEngine+Firing.swift"
E = ENGINE_FOLDER + "HomeEngine+Ending.swift"
CLOCK = ENGINE_FOLDER + "HomeEngine+Time.swift"
VALUES = ENGINE_FOLDER + "HomeEngine+Values.swift"
STARTING = ENGINE_FOLDER + "HomeEngine+Model.swift"
ENGINE_MAIN = ENGINE_FOLDER + "HomeEngine.swift"
SOURCE = ENGINE_FOLDER + "TimeSource.swift"
CIVIL = ENGINE_FOLDER + "CivilComparison.swift"
EVALUATOR = ENGINE_FOLDER + "ConditionEvaluator.swift"
ORDER = ENGINE_FOLDER + "ValueComparison.swift"
TRUTH = ENGINE_FOLDER + "Truth.swift"
RUNSTATE = ENGINE_FOLDER + "TriggerRun.swift"
POLICY = ENGINE_FOLDER + "EnginePolicy.swift"

ENGINE = [
    ("E1", VALUES, "where !use.isEnd && !activated.contains(use.trigger) {", "where !use.isEnd {"),
    ("E1", F, "case .true?, nil: fire(id, cause, trace, at: moment)", "case .true?: fire(id, cause, trace, at: moment)\n    case nil: refuse(id, cause, .conditionFalse)"),
    ("E1", F, "    runs[id]?.waiting.append((cause, moment))\n", ""),
    ("E1", F, "guard run.waiting.count < policy.waitingEvents else", "guard run.waiting.count <= policy.waitingEvents else"),
    ("E1", F, "if let due = cause.due, due == activation.cause.due ||", "if let due = cause.due, due > now,"),
    ("E1", F, "    case .false?: refuse(id, cause, .conditionFalse, trace)", "    case .false? where cause != .hand(nil): refuse(id, cause, .conditionFalse, trace)\n    case .false?: fire(id, cause, trace, at: moment)"),
    ("E2", VALUES, "return Truth(expected.map { !isEqual(before, $0) } ?? !isEqual(before, after))", "return Truth(expected != nil || !isEqual(before, after))"),
    ("E2", VALUES, "      case .read: return .false\n", "      case .read: return .true\n"),
    ("E2", VALUES, "      case .write: return .unknown\n", "      case .write: return .true\n"),
    ("E3", VALUES, "return Truth(!(before.doubleValue.map(range.contains) ?? false))", "return Truth(before.doubleValue != nil)"),
    ("E3", "HAPHome/Model/HomeEvent.swift", "value <= max ?? .infinity", "value < max ?? .infinity"),
    ("E4", ORDER, "return step / 2 + rounding", "return step + rounding"),
    ("E4", ORDER, "return step / 2 + rounding", "return rounding"),
    ("E4", ORDER, "case (.lessOrEqual, _): return Truth(order != .greater)", "case (.lessOrEqual, _): return Truth(order == .less)"),
    ("E5", TRUTH, "    case .unknown: .unknown\n", "    case .unknown: .true\n"),
    ("E5", TRUTH, "values.reduce(.true) { $1.rawValue < $0.rawValue ? $1 : $0 }", "values.reduce(.false) { $1.rawValue > $0.rawValue ? $1 : $0 }"),
    ("E5", EVALUATOR, "ConditionTrace(result: !trace.result,", "ConditionTrace(result: trace.result,"),
    ("E5", F, "case .unknown?: refuse(id, cause, .conditionUnknown, trace)", "case .unknown?: fire(id, cause, trace, at: moment)"),
    ("E5", POLICY, "readLimit = Duration.seconds(5)", "readLimit = Duration.seconds(6)"),
    ("E6", CIVIL, "secondOfDay < parts.secondOfDay", "secondOfDay <= parts.secondOfDay"),
    ("E6", CIVIL, "let includesMidnight = end.secondOfDay < start.secondOfDay", "let includesMidnight = end.secondOfDay < 0"),
    ("E7", EVALUATOR, "?.advanced(by: .seconds(moment.offset))", "?.advanced(by: .seconds(-moment.offset))"),
    ("E7", EVALUATOR, "moment.event.time(on: time.date, at: place, in: zone)", "moment.event.time(on: time.date.year > 0 ? ZoneRules.utc.civilTime(at: self.moment).date : time.date, at: place, in: zone)"),
    ("E7", SOURCE, "?.advanced(by: offset)", "?.advanced(by: .zero - offset)"),
    ("E8", VALUES, "case .firstEntry: isHome && !users.contains(where: wereAtHome.contains)", "case .firstEntry: isHome"),
    ("E8", VALUES, "case .lastExit: was && !users.contains(where: areAtHome.contains)", "case .lastExit: was"),
    ("E8", EVALUATOR, "Truth(atHome.isEmpty)", "Truth(atHome.count < users.count)"),
    ("E8", ENGINE_MAIN, "home.isHome(persons[user] ?? .away,", "home.isHome(persons[user] ?? .home,"),
    ("E9", F, "return event.weekdays.contains(weekday) ? nil : .otherWeekday(weekday)", "_ = weekday\n    return nil"),
    ("E9", F, "home.zone?.civilTime(at: moment).date.weekday else", "home.zone.map({ _ in ZoneRules.utc.civilTime(at: moment).date.weekday }) else"),
    ("E10", SOURCE, "period.next(after: instant, from: timer.fireDate, in: zone)?.instant }", "period.next(after: instant, from: instant > timer.fireDate ? period.next(after: timer.fireDate, from: timer.fireDate, in: zone)!.instant : timer.fireDate, in: zone)?.instant }"),
    ("E10", ENGINE_MAIN, "return timer.zone.map(zoneRules) ?? home.zone", "return home.zone"),
    ("E11", POLICY, "greatestLateness = Duration.seconds(60)", "greatestLateness = Duration.seconds(59)"),
    ("E11", POLICY, "greatestLateness = Duration.seconds(60)", "greatestLateness = Duration.seconds(61)"),
    ("E11", VALUES, "case .true where change.source == .read && isLate:", "case .true where change.source != .read && isLate:"),
    ("E11", RUNSTATE, "state.settled = first.advanced(by: .nanoseconds(-1))", "state.settled = max(first, settled)"),
    ("E11", RUNSTATE, "return (current.map { [$0] } ?? []) + waiting.compactMap(\\.cause.due)", "return current.map { [$0] } ?? []"),
    ("E1", F, "} else if moment.duration(to: now) > policy.greatestLateness {", "} else if moment > now {"),
    ("E11", STARTING, "so they are not missed.\n      enabled(id)\n", "so they are not missed.\n      makePlan(id)\n"),
    ("E11", CLOCK, "watches[id]?.lostAt = lost.advanced(by: step)", "watches[id]?.lostAt = min(lost, now)"),
    ("E5", CLOCK, "request.waiting(until: limit.advanced(by: step))", "request.waiting(until: min(limit, now.advanced(by: policy.readLimit)))"),
    ("E12", STARTING, "    explainSettled(id)\n", ""),
    ("E8", "HAPHomeEngine/Engine/HomeEngine+Answers.swift", "        guard let failure else {", "        guard let failure, failure.isEmpty else {"),
    ("E12", CLOCK, "now.duration(to: $0) <= policy.greatestSetBack ? $0 : nil", "$0 <= now ? $0 : nil"),
    ("E12", CLOCK, "    for id in ignored where settled(id) != nil { makePlan(id) }\n", ""),
    ("E12", CLOCK, "smallestStep = Duration.seconds(1)", "smallestStep = Duration.zero"),
    ("E12", CLOCK, "    runs[id]?.state.settled = latest\n", ""),
    ("E13", F, "if isLast { changes.append(disable(id, run)) }", "if isLast, run.plan < 0 { changes.append(disable(id, run)) }"),
    ("E13", F, "    case .false?: refuse(id, cause, .conditionFalse, trace)", "    case .false?:\n      if case .event(let event) = run.trigger.kind, event.executesOnce { _ = disable(id, run) }\n      refuse(id, cause, .conditionFalse, trace)"),
    ("E14", F, "if let first = run.state.running?.values.first(where:", "if !run.restoring.isEmpty, let first = run.state.running?.values.first(where:"),
    ("E14", E, "return ValueOrder(actual, value.written, rules) == .equal && ValueOrder(before, actual, rules) != .equal", "return ValueOrder(before, actual, rules) != .equal"),
    ("E14", CLOCK, "return last.wall.duration(to: time) - max(.zero, uptime - last.uptime)", "return min(.zero, last.wall.duration(to: time) - max(.zero, uptime - last.uptime))"),
    ("E14", RUNSTATE, "    self.activation?.phase = .record(moved)\n", "    _ = moved\n"),
    ("E14", E, "      if runs[id]?.state.running == nil { continueEffect(id, restored.map(\\.value)) }\n", ""),
    ("E13", F, "    run.trigger.lastFire = record.lastFireBefore\n    var changes = [HomeChange(run.home, .triggerFired(id, at: record.lastFireBefore))]", "    var changes: [HomeChange] = []"),
    ("E16", F, "guard !sets.isEmpty else { return end(record.evaluation, record.started, .nothingToExecute) }", "_ = sets.isEmpty"),
    ("E14", CLOCK, "      if let end = run.state.running?.end { deadlines.add(.end(id), at: end) }\n", ""),
    ("E14", F, "TriggerState.Running(values: values, end: run.duration.map { now.advanced(by: $0) })", "TriggerState.Running(values: values, end: run.state.running?.end ?? run.duration.map { now.advanced(by: $0) })"),
    ("E15", F, ">= policy.executionsInWindow {", "> policy.executionsInWindow {"),
    ("E16", F, "let sets = run.trigger.actionSets.filter", "let sets = run.trigger.actionSets.prefix(1).filter"),
    ("E17", ENGINE_MAIN, "    if !hubIsOn { return .disabledNoHomeHub }\n", ""),
    ("E17", F, "    case .disabledNoLocationServicesAuthorization: return .noLocation\n    case .enabled,", "    case .disabledNoLocationServicesAuthorization, .enabled,"),
]

SCENES_FOLDER = "HAPHomeEngine/Scenes/"
RUN = SCENES_FOLDER + "SceneRun.swift"
PLAN = SCENES_FOLDER + "ScenePlan.swift"
OUTLINE = SCENES_FOLDER + "SceneOutline.swift"

SCENES = [
    ("M10", RUN, "for (device, puts) in plan.puts {", "for (device, puts) in plan.puts.prefix(1) {"),
    ("An answer with other entries", RUN, "case .statuses: .answered(statuses[target().id], by: target())", "case .statuses: .answered(statuses.values.max() ?? 0, by: target())"),
    ("M11", SCENES_FOLDER + "SceneResult.swift", "done == 0 ? .actionSetExecutionFailed : .actionSetExecutionPartialSuccess", ".actionSetExecutionFailed"),
    ("S4", PLAN, "guard set.kind != .triggerOwned || trigger?.actionSets.contains(id) == true else", "guard set.kind != .triggerOwned || trigger != nil else"),
    ("An execution after a change", OUTLINE, "found.accessories == home.accessories, ", ""),
    ("An execution after a change", OUTLINE, ", found.actions == actions {", " {"),
    ("An execution after a change", OUTLINE, "    if lost.isEmpty { return self }\n", "    if !lost.contains(where: { _ in false }) { return self }\n"),
    ("A PUT has at most 100 entries", SCENES_FOLDER + "SceneAction.swift", "mostEntries = 100", "mostEntries = 101"),
    ("A bridge and its bridged accessories", SCENES_FOLDER + "ScenePutBuilder.swift", "for list in lists {", "for list in lists.reversed() {"),
    ("A bridge and its bridged accessories", OUTLINE, "        order.append(target.device)", "        order.insert(target.device, at: 0)"),
    ("Characteristics that require a timed write", OUTLINE, "if target.characteristic.permissions.contains(.timedWrite) {", "if target.characteristic.permissions.contains(.timedWrite), target.isBridged {"),
    ("Without an answer for 10 s", SCENES_FOLDER + "SceneRequest.swift", "answerLimit: Duration = .seconds(10)", "answerLimit: Duration = .seconds(11)"),
    ("Without an answer for 10 s", RUN, "        actions.append(.giveUp(ScenePut.ID(device: device, number: sent.number)))\n", ""),
    ("An execution whose set is running", RUN, "    running.subtract(execution.sets)\n", ""),
    ("Two executions wait for each other", SCENES_FOLDER + "SceneLane.swift", "mutating func append(_ waiting: Waiting) { queue.append(waiting) }", "mutating func append(_ waiting: Waiting) { queue.insert(waiting, at: head) }"),
    ("Sets that are executed together", SCENES_FOLDER + "ScenePutBuilder.swift", "map { $0 % count }.sorted()", "map { $0 % count }.sorted(by: >)"),
    ("Each HAP status of an entry", SCENES_FOLDER + "SceneStatus.swift", "isBridged ? .bridgedAccessoryNotReachable : .communicationFailure", ".communicationFailure"),
]

STORE_FOLDER = "HAPStore/Home/"
COPIES = STORE_FOLDER + "HomeStore+Copies.swift"
STORED = STORE_FOLDER + "HomeStore.swift"

STORE = [
    ("A change whose fsync failed", "HAPStore/SQLite/DurableDatabase.swift", "      isInDoubt = true\n", ""),
    ("A change whose fsync failed", "HAPStore/SQLite/DurableDatabase.swift", "      try settle()\n      do throws", "      do throws"),
    ("What an opening found", "HAPStore/SQLite/DurableDatabase.swift", "      try database.syncLog()\n", ""),
    ("A commit is one transaction", "HAPStore/SQLite/DurableDatabase.swift", "PRAGMA synchronous = FULL;", "PRAGMA synchronous = NORMAL;"),
    ("A removed key", "HAPStore/SQLite/DurableDatabase.swift", "PRAGMA secure_delete = ON;", "PRAGMA secure_delete = OFF;"),
    ("The store holds a prefix", STORED, "for change in changes { try change.apply(to: database) }", "for change in changes.reversed() { try change.apply(to: database) }"),
    ("Rows keep their order", STORE_FOLDER + "HomeRowChange.swift", "DO UPDATE SET \\(updates)", "DO UPDATE SET \\(updates), position = (SELECT max(position) + 1 FROM \\(table.rawValue))"),
    ("Only one store", STORED, "moves the file\n      locks.release(Self.record)", "moves the file"),
    ("A file that others could read", STORED, "guard try !files.othersMayWrite(folder) else", "guard try !files.othersMayWrite(folder) || !folder.isEmpty else"),
    ("A damaged row is reported", STORE_FOLDER + "HomeRowReader.swift", "guard key.publicKey == publicKey else", "guard key.publicKey.count == 32 else"),
    ("A restore that crashes", COPIES, "for suffix in logs + [\"\"] where", "for suffix in [\"\"] where"),
    ("A restore that crashes", COPIES, "      for suffix in [\"\"] + logs { try files.remove(new + suffix) }  // left by an interrupted restore\n", ""),
    ("The log of an earlier replaced file", COPIES, "      for suffix in [\"\"] + logs { try files.remove(path + \".replaced\" + suffix) }\n", ""),
    ("A backup never replaces", COPIES, "      try files.createPrivate(target)\n", "      _ = try files.makePrivate(target)\n"),
    ("After a fault at any operation", COPIES, "          try? files.remove(partial)\n", ""),
    ("The store holds a prefix", COPIES, "target.execute(\"PRAGMA synchronous = FULL; ", "target.execute(\"PRAGMA synchronous = OFF; "),
]

DOCUMENTS = "HAPHomeFile/"
PLANNER = DOCUMENTS + "Planning/HomeFilePlanner"
CHANGED_TRIGGERS = PLANNER + "+Triggers.swift"

FILES = [
    ("A cycle of names", PLANNER + "+Names.swift", "      park(waiting[index])\n", ""),
    ("Objects that the document does not have", PLANNER + "+Objects.swift", "object.kind == .userDefined && !kept", "object.kind != .triggerOwned && !kept"),
    ("Only what differs is changed", PLANNER + "+Objects.swift", "set.actions.filter { !wanted.contains($0.characteristic) }", "set.actions.filter { wanted.isEmpty && !wanted.contains($0.characteristic) }"),
    ("The document of a home makes an equal home of any other", PLANNER + "+Objects.swift", "for id in zone.rooms where !wanted.contains(id)", "for id in zone.rooms where wanted.isEmpty && !wanted.contains(id)"),
    ("If the rules of an enabled trigger", CHANGED_TRIGGERS, "      restore(before)\n", ""),
    ("A trigger that becomes another kind", CHANGED_TRIGGERS, "?? old.isEnabled, isNew: true", "?? false, isNew: true"),
    ("A base64 text in an event", CHANGED_TRIGGERS, "home.normal(kind) != home.normal(old.kind)", "kind != old.kind"),
    ("A timer's time is in its zone", CHANGED_TRIGGERS, "own ?? file.timeZone?.value ?? home.zone", "own ?? home.zone"),
    ("Sets of the trigger itself", CHANGED_TRIGGERS, "$0.actions.isEmpty == actions.isEmpty", "!$0.actions.isEmpty || actions.isEmpty"),
    ("A time that the clock shows twice", DOCUMENTS + "Paths/NameNotation.swift", "if zoneRules.instant(of: time) == instant {", "if zoneRules.civilTime(at: instant) == time {"),
    ("All references", DOCUMENTS + "Planning/HomeFileTarget.swift", "target.services.first(where: { $0.value == id })", "target.services.first(where: { $0.value != id })"),
    ("A path is written", DOCUMENTS + "Paths/HomeFilePath.swift", " || (scalar == \"@\" && index == 0)", ""),
    ("The document of a home makes an equal home of a new one", DOCUMENTS + "Writing/HomeFile+Export.swift", "services: accessory.services.filter(\\.isUserInteractive).map", "services: accessory.services.filter(\\.isPrimary).map"),
    ("A document alone is refused", DOCUMENTS + "Reading/HomeFileReader.swift", "    if let rooms = file.rooms { refuseTwice(rooms) }\n", ""),
    ("The search for errors ends", DOCUMENTS + "HomeFile.swift", "static let limit = 1000", "static let limit = 1001"),
    ("The search for errors ends", DOCUMENTS + "HomeFile.swift", "self.problems.prefix(Self.limit)", "self.problems"),
    ("A time outside of the years", DOCUMENTS + "Paths/NameNotation.swift", "guard Instant.distantPast < instant, instant < .distantFuture else", "guard Instant.distantPast < instant else"),
    ("The errors of all events", DOCUMENTS + "Reading/HomeFileReader+Triggers.swift", "for list in [EventTriggerMember.when, .end]", "for list in [EventTriggerMember.when]"),
]

HUB_FOLDER = "HAPHub/"
JOURNAL = HUB_FOLDER + "HubJournal.swift"
SHELL = HUB_FOLDER + "HomeHub+Engine.swift"
DEVICES = HUB_FOLDER + "HomeHub+Devices.swift"
HUB_SCENES = HUB_FOLDER + "HomeHub+Scenes.swift"
READING = HUB_FOLDER + "HomeHub+Reading.swift"
REACHING = HUB_FOLDER + "HomeHub+Reachability.swift"
HUB_PAIRING = HUB_FOLDER + "HomeHub+Pairing.swift"
APPS = HUB_FOLDER + "HomeHub+Apps.swift"

HUB = [
    ("M5", JOURNAL, "publish(.changed(changes, app: command.app?.name), except: command.app)", "publish(.changed(changes, app: command.app?.name))"),
    ("A full disk refuses a command", JOURNAL, "        command.done(.failure(HomeError(error)))\n        self.releaseEngine()\n      } else {\n        self.finish(command, draft, owed)", "        self.finish(command, draft, owed)\n      } else {\n        self.finish(command, draft, owed)"),
    ("The place of a person that could not be stored", JOURNAL, "let all = again.sorted { $0.key < $1.key }.map(\\.value) + rows", "let all = rows"),
    ("A value that the hub wrote", HUB_SCENES, "      for entry in done { passWritten(entry.value, of: entry.characteristic) }\n", ""),
    ("A record that could not be stored is", JOURNAL, "if journal.hasFailed { store([]) { _ in } }", "_ = journal.hasFailed"),
    ("A record that could not be stored is", JOURNAL, "    if journal.hasFailed, store != nil { commit([]) { _ in } }\n    await storedAll()\n", ""),
    ("A record that could not be stored is", JOURNAL, "    await storedAll()\n    // The process of a simulated world may have ended meanwhile.\n    if journal.hasFailed, store", "    if journal.hasFailed, !journal.isStoring, store"),
    ("An app gets the value, the fired trigger", SHELL, "    automation.held = outer\n    for action in actions where action.isReport { perform(action) }\n    for body in held { tell(body) }\n", "    automation.held = outer\n    for body in held { tell(body) }\n    for action in actions where action.isReport { perform(action) }\n"),
    ("An app gets the value, the fired trigger", APPS, "    last()\n    for body in held { body() }\n", "    for body in held { body() }\n    last()\n"),
    ("A pending removal can be dropped", HUB_FOLDER + "HomeHub+Leaving.swift", "    _ = await endLeaving(id)\n  }\n\n  private func take", "  }\n\n  private func take"),
    ("The pairing of an addition that did not end can be dropped", HUB_FOLDER + "HomeHub+Leaving.swift", "    journal.unused[id] = nil\n    _ = await", "    _ = await"),
    ("A value that an app wrote", HUB_SCENES, "isCatchUp: false, except: client)", "isCatchUp: false)"),
    ("Without an answer for 10 s", HUB_SCENES, "      loop.startTask { await connection.drop() }\n", "      _ = connection\n"),
    ("Without an answer for 10 s", HUB_SCENES, "guard phase == .running, puts.removeValue(forKey: put.id) != nil else { return }", "puts.removeValue(forKey: put.id)"),
    ("An event that arrives while the value is read", HUB_FOLDER + "HubRead.swift", "newer[id] ?? value }", "value }"),
    ("More than 100 characteristics", READING, "mostInRequest = 100", "mostInRequest = 101"),
    ("The engine gets exactly its characteristics", DEVICES, "    valuesLost(of: device.id)\n    scenes.connection(device.id, is: .connecting", "    scenes.connection(device.id, is: .connecting"),
    ("Events go only to apps that subscribed", APPS, "let wanted = readings.filter { app.subscribed.contains($0.characteristic) }", "let wanted = readings"),
    ("A subscription is answered when the device has it", APPS, "await waitForSubscriptions(to: ids)", "_ = ids"),
    ("A subscription is answered when the device has it", DEVICES, "let rest = .seconds(2) - ", "let rest = .seconds(3) - "),
    ("After the answer to a subscription", "HAPAccessoryPort/Connection/HAPDeviceConnection+Subscriptions.swift", "if isSubscribing { subscribers.append(continuation) }", "if isSubscribing, isOver { subscribers.append(continuation) }"),
    ("Three violations", DEVICES, "guard violations.violation(of: device.id, at: sceneTime.uptime),", "guard violations.violation(of: device.id, at: sceneTime.uptime) || !text.isEmpty,"),
    ("Three violations", DEVICES, "{ violations.forgive(device) }", "{ _ = device }"),
    ("M14", REACHING, "      if status == 0, isInformation(id, of: device) { continue }\n", "      if status != 0 { continue }\n"),
    ("M21", SHELL, "longestWait = Duration.seconds(10)", "longestWait = Duration.seconds(100_000)"),
    ("A condition whose accessory does not answer", SHELL, "let why = read.errors.values.map(\\.message).min() ?? ", "let why = read.errors.isEmpty ? \"\" : "),
    ("If the command is refused after the pairing", HUB_PAIRING, "    if device.state == .ready {\n", "    if device.state == .ended {\n"),
    ("A hub that is killed after the pairing", HUB_PAIRING, "let stored = journal.unused[device] { return NewPairing", "let stored = journal.unused[device], stored.addresses == [\"\"] { return NewPairing"),
    ("A hub that is stopped while an accessory is being paired", HUB_FOLDER + "HomeHub.swift", "    for pairing in openPairings.values { _ = await pairing.value }\n", ""),
    ("A hub whose store can't be opened", HUB_FOLDER + "HomeHub.swift", "      startEnds()\n      return try opened", "      phase = .ended\n      return try opened"),
    ("An accessory that is forgotten because it can't be reached", HUB_FOLDER + "HomeHub+Removing.swift", "hasLeft ? forgetRows", "true ? forgetRows"),
    ("An accessory that is forgotten because it can't be reached", HUB_FOLDER + "HomeHub.swift", "      if contents.leaving.contains(pairing.device) {\n", "      if contents.leaving.isEmpty, index.accessories.isEmpty {\n"),
    ("An accessory that was forgotten and then reset", HUB_FOLDER + "HomeHub+Leaving.swift", "    case .gaveUp: loop.startTask { await self.hasLeft(device) }\n", "    case .gaveUp: break\n"),
    ("An accessory that was forgotten can be added", HUB_PAIRING, "      + [.remove(.controllers, id: Self.leavingRow(pairing.device))]\n    do", "    do"),
    ("While a disk does not answer", SHELL, "    if !automation.lostValues.isEmpty { readLostValues() }\n", ""),
    ("While a disk does not answer", SHELL, "if journal.holdsEngine, automation.waiting.count >= Self.mostWaiting {", "if journal.holdsEngine, automation.waiting.count > Self.mostWaiting {"),
    ("The persons of a removed home", DEVICES, "        persons = persons.filter { users.contains($0.key) }\n", "        _ = users\n"),
    ("A bridged accessory that executes a write", HUB_SCENES, "      heard(put.entries.map { ($0.id, 0) }, from: put.id.device)\n", ""),
    ("M17", DEVICES, "    guard device.state != .ended else { return }\n", ""),
    ("New accessories are reported", HUB_FOLDER + "HomeHub+Reachability.swift", "    if search != nil { report(search?.list.setOwn(members) ?? []) }\n", ""),
]

SHARES = HUB_FOLDER + "Sharing/"
OWED = SHARES + "HomeHub+Owed.swift"
COPIES = SHARES + "HomeHub+Copies.swift"

SHARING = [
    ("A hub that is killed while it shares", SHARES + "HomeHub+Sharing.swift", "try await storeAndWait(pairings.map(\\.row))", "try await storeAndWait([])"),
    ("An accessory without room for a pairing", SHARES + "HomeHub+Sharing.swift", "      await sendAndWait(pairings)\n      throw error", "      throw error"),
    ("An accessory without room for a pairing", SHARES + "HomeHub+Sharing.swift", "      try await send(pairings)\n", "      try? await send(pairings)\n"),
    ("Requests that are damaged", SHARES + "ShareRequest.swift", "of: Self.signed(name, controller), by: controller.publicKey)", "of: Self.signed(name, controller), by: controller.publicKey) || !name.isEmpty"),
    ("Requests that are damaged", SHARES + "HomeHub+Sharing.swift", "guard !ownIdentifiers.contains(request.controller.identifier) else {", "guard request.controller.identifier != \"\" else {"),
    ("Each accessory gets the pairing of the user", OWED, "isAdmin: user.right == .administrator))", "isAdmin: user.right != .unknown))"),
    ("A removed user loses all pairings", OWED, "return pairings(of: before.users.find(id), after).map { .keep($0) }", "return pairings(of: nil, after).map { .keep($0) }"),
    ("A new role changes the right", OWED, "return pairings(of: after.users.find(id), after).map { .keep($0) }", "return pairings(of: nil, after).map { .keep($0) }"),
    ("A new accessory gets the pairings of all users", OWED, "case .accessoryAdded(let accessory) where accessory.bridge == nil:", "case .accessoryAdded(let accessory) where accessory.bridge != nil:"),
    ("A new accessory gets the pairings of all users", HUB_FOLDER + "HomeHub+Removing.swift", "        try await removeUsers(of: home, from: device)\n", ""),
    ("An accessory that keeps the hub's pairing", HUB_FOLDER + "HomeHub+Removing.swift", "    if phase == .running, !owed.list(of: device).isEmpty { loop.startTask { await self.sendOwed(to: device) } }\n", ""),
    ("An accessory that is removed while it can't be reached loses", HUB_FOLDER + "HomeHub+Leaving.swift", "      try await removeUsers(ofLeaving: device.pairing.device, connection)\n", ""),
    ("Accessories that can't be reached learn of the user", DEVICES, "    owed.retry(device.id)\n    if !owed.list(of: device.id).isEmpty { loop.startTask { await self.sendOwed(to: device.id) } }\n", ""),
    ("A device that refused a change is asked again", OWED, "if error.isRefusal { retryLater(id) }", "if error.code == .unexpectedError { retryLater(id) }"),
    ("A renewed share brings the changes", COPIES, "guard document.copy.issued >= copy.issued else {", "guard document.copy.issued != copy.issued else {"),
    ("A share is refused by a hub that it is not for", COPIES, "guard users[0].controller == document.owner else {", "guard document.owner != nil else {"),
    ("Only the owner's hub runs triggers", JOURNAL, "own.isEmpty ? [] : engine.changed(own, model.ownHomes)", "changes.isEmpty ? [] : engine.changed(changes, model)"),
    ("Only the owner's hub runs triggers", HUB_FOLDER + "HomeHub.swift", "engine.start(model.ownHomes", "engine.start(model"),
    ("M19", "HAPHome/Commands/CommandRun+Objects.swift", "    if home.copy != nil, !context.editsCopies { throw HomeError.copy(home) }\n", ""),
    ("A bridge that grows changes the copy only", DEVICES, ", model.home(home)?.copy == nil else { return }", " else { return }"),
    ("A share is written again", "HAPHome/Model/HomeCopy.swift", "controller = index == 0 ? owner : nil", "controller = index == 0 ? owner : home.users[index].controller"),
    ("The copy stays after a crash", "HAPHome/Model/HomeCopy.swift", "    while taken.contains(home.name.key) ||", "    while (taken.contains(home.name.key) && number > 1) ||"),
    ("A renewed share brings the changes", "HAPHome/Model/HomeCopy.swift", "      home.actionSets[index].lastExecution = times.compactMap(\\.self).max()\n", ""),
]

PORT_FOLDER = "HAPAccessoryPort/"
TRACKER = PORT_FOLDER + "Following/ReachabilityTracker.swift"

PORT = [
    ("A change that is undone within 250 ms", TRACKER, "      if isReachable == state.isReported {\n        state.reportTime = nil\n", "      if isReachable == state.isReported {\n"),
    ("A bridged accessory for which the last answer", TRACKER, "askAgain = Duration.seconds(60)", "askAgain = Duration.seconds(61)"),
    ("The third violation within ten minutes", PORT_FOLDER + "Following/ViolationCounter.swift", "limit = 3", "limit = 4"),
    ("A violation counts for ten minutes", PORT_FOLDER + "Following/ViolationCounter.swift", "now - $0 <= Self.time", "now - $0 < Self.time"),
    ("Without a connection, a write fails at once", PORT_FOLDER + "Connection/HAPDeviceConnection.swift", "wait: Duration = .seconds(2)", "wait: Duration = .seconds(3)"),
    ("A known address is tried before the record", PORT_FOLDER + "Connection/DeviceRoute.swift", "return !state.isTried && state.addresses.isEmpty", "return !state.isTried"),
    ("A known address is tried before the record", PORT_FOLDER + "Connection/HAPDeviceConnection.swift", "      await session.tryAddresses(found.socketAddresses)\n", ""),
    ("A write of several characteristics", PORT_FOLDER + "Connection/HAPDeviceConnection+Requests.swift", "    if httpStatus == 200 || httpStatus == 204 {", "    if httpStatus != 500 {"),
    ("A characteristic with tw", PORT_FOLDER + "Connection/HAPDeviceConnection+Requests.swift", "if isTimed { pid = try await prepareWrite() }", "if isTimed, entries.isEmpty { pid = try await prepareWrite() }"),
    ("If the pairing can't be stored, it is removed", PORT_FOLDER + "HAPPort.swift", "          try await store(DevicePairing(pairing, of: device, identity))\n", "          try? await store(DevicePairing(pairing, of: device, identity))\n"),
]

LINK_FOLDER = "HAPHubLink/"

LINK = [
    ("Lines for an app that does not read", LINK_FOLDER + "Server/HubOutbox.swift", "guard eventByteCount + bytes.count <= Self.mostEventBytes else {", "guard eventByteCount <= Self.mostEventBytes else {"),
    ("After an attach, events are kept again", LINK_FOLDER + "Server/HubOutbox.swift", "    if isSnapshot { isDropping = false }\n", ""),
    ("Between lost events and the next attach", LINK_FOLDER + "HomeReplica.swift", "case .missed, .stopping: state.withLock { $0 = nil }", "case .stopping: state.withLock { $0 = nil }\n    case .missed: break"),
    ("After the answer to a command", LINK_FOLDER + "Client/HubInbox.swift", "      if let place { replica.receive(.person(place)) }\n", "      _ = place\n"),
    ("Only the owner of the folder", LINK_FOLDER + "Server/HubSocketServer.swift", "guard let peer = stream.peer, peer.userID == owner || peer.userID == 0 else {", "guard let peer = stream.peer else {"),
    ("With 128 apps", LINK_FOLDER + "Server/HubSocketServer.swift", "mostApps = 128", "mostApps = 127"),
    ("The socket of a killed hub", LINK_FOLDER + "Server/HubSocketServer.swift", "if error.code == .connectionRefused || error.code == notThere { return false }", "if error.code == notThere { return false }"),
    ("A hub that does not keep to the protocol", LINK_FOLDER + "Client/HubSocketLink.swift", "case .hello(HubProtocol.version) where onHello != nil:", "case .hello where onHello != nil:"),
]

TOKENS = HUB_FOLDER + "HomeHub+Tokens.swift"
API_FOLDER = "HAPHomeControl/"
SETUPS = API_FOLDER + "Setups/HomeAPI+Setups.swift"

API = [
    ("Each request has a role", TOKENS, "case .fire(let trigger) where isAdministrator:", "case .fire(let trigger):"),
    ("Each request has a role", TOKENS, "case .attach, .unsubscribe, .endSearch: return", "case .attach, .unsubscribe, .endSearch, .status: return"),
    ("A guest controls the home", JOURNAL, "    context.user = command.app?.app.user\n", ""),
    ("An administrator changes the home", TOKENS, "case .addHome, .removeHome, .setPrimaryHome, .addUser,", "case .addHome, .removeHome, .setPrimaryHome,"),
    ("An administrator changes the home", API_FOLDER + "API/HomeAPI.swift", "return homes.filter { $0.copy == nil && $0.users.find(user) != nil }", "return homes.filter { $0.copy == nil || $0.users.find(user) != nil }"),
    ("An administrator changes the home", API_FOLDER + "Events/HomeJournalEvent.swift", "home?.description == subject", "home.map { $0.description == subject } ?? true"),
    ("A token is valid until", TOKENS, "$0.key == Self.ownersToken || users.contains($0.key)", "$0.key == Self.ownersToken || users.contains($0.key) || !users.isEmpty"),
    ("A token is valid until", HUB_FOLDER + "HomeHub.swift", "    tokens = contents.tokens\n", ""),
    ("A token is valid until", TOKENS, "if !renews, let token = tokens[id] { return token }", "if let token = tokens[id] { return token }"),
    ("A user who may not remove an accessory", TOKENS, "    case .perform(.removeAccessory(let accessory)) where isAdministrator: try check([accessory], .accessory, in: home)\n    case .perform(let command) where isAdministrator: try check(command)", "    case .perform(let command): try check(command)"),
    ("Users get the values of their own home", API_FOLDER + "Events/HomeJournalEvent.swift", "readings.divided { homeOfCharacteristic[$0.characteristic] }", "readings.divided { _ in readings.first.flatMap { homeOfCharacteristic[$0.characteristic] } }"),
    ("A guest controls the home", SETUPS, "setup.app.user == call.user, !setup.isDeleted", "!setup.isDeleted"),
    ("A cancelled setup removes", SETUPS, "    setups[id]?.isDeleted = true\n    take(.cancel, id)\n", "    setups[id]?.isDeleted = true\n"),
    ("A setup that no client continues", SETUPS, "      setup.timer.start(after: Self.setupPatience)\n      take(.cancel, id)\n", "      setup.timer.start(after: Self.setupPatience)\n"),
    ("The number of setups is limited", SETUPS, "$0.app.user == call.user }) < Self.mostSetups", "$0.app.user == call.user }) <= Self.mostSetups"),
    ("Values are subscribed while a client reads", API_FOLDER + "API/HomeAPI+Values.swift", "      await self.askAsListener(.unsubscribe(ids))\n", ""),
    ("A home is shown with its state", API_FOLDER + "API/HomeAPI.swift", "      for reading in readings where reading.value != nil { values[reading.characteristic] = reading }\n", "      _ = readings\n"),
]

MUTATIONS = MODEL + ENGINE + SCENES + STORE + FILES
HUB_MUTATIONS = HUB + SHARING + PORT + LINK + API
