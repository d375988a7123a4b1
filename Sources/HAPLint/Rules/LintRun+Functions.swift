import HAPModel

// Rules for single kinds of services.
extension LintRun {
  // MARK: ADB-38, SV-30

  mutating func judgeSwitches(_ accessory: ParsedAccessory, _ place: LintSpot) {
    // One check with two ids: SV-30 is reported only if it is selected.
    let rule: LintRule = isSelected(.switches) ? .switches : .switchService
    let switches = accessory.services.filter { $0.type == .statelessSwitch }
    if switches.count == 1, let index = switches[0][.labelIndex] {
      report(
        rule, "index-of-one", at: place.service(switches[0]).characteristic(index),
        Remark(.should, "the only switch of the accessory needs no Service Label Index"))
      return
    }
    guard switches.count > 1 else { return }
    let severity: LintSeverity = rule.level == .must ? .must : .should
    let labels = accessory.services.filter { $0.type == .serviceLabel }
    if labels.isEmpty {
      report(
        rule, "no-label", at: place,
        Remark(
          severity, "\(switches.count) stateless switches without a Service Label (CC)",
          fix: "add one, linked to the switches"))
    }
    let labelIIDs = Set(labels.compactMap(\.iid))
    var labelOf: [UInt64: UInt64] = [:]
    for label in labels {
      for iid in label.linked where labelOf[iid] == nil { labelOf[iid] = label.iid }
    }
    var seen: Set<SwitchIndex> = []
    for service in switches {
      let spot = place.service(service)
      // Either service may link to the other.
      let label = service.linked.first(where: labelIIDs.contains) ?? service.iid.flatMap { labelOf[$0] }
      if !labels.isEmpty, label == nil {
        report(
          rule, "not-linked", at: spot,
          Remark(severity, "it is not linked to the Service Label", fix: "list it in \"linked\" of the Service Label"))
      }
      guard let index = service[.labelIndex] else {
        report(
          rule, "no-index", at: spot, Remark(severity, "one of several switches without a Service Label Index (CB)"))
        continue
      }
      guard let number = index.content?.integer else { continue }
      // Indexes are unique within a label.
      if !seen.insert(SwitchIndex(label: labels.count > 1 ? label : nil, number: number)).inserted {
        report(
          rule, "index-twice", at: spot.characteristic(index).member("value"),
          Remark(severity, "another switch also has the index \(number)"))
      }
    }
  }

  private struct SwitchIndex: Hashable {
    var label: UInt64?
    var number: Int128
  }

  // MARK: ADB-39

  mutating func judgeThresholds(_ service: ParsedService, _ spot: LintSpot) {
    let parts: Thresholds
    switch service.type {
    case .heaterCooler: parts = .heaterCooler
    case .humidifierDehumidifier: parts = .humidifierDehumidifier
    default: return
    }
    guard let target = service[parts.target.type] else { return }
    let allowed = TargetStates(target)
    let there = Set(service.characteristics.compactMap(\.type))
    for (state, threshold) in [(1, parts.first), (2, parts.second)]
    where allowed.contains(state) && !there.contains(threshold.type) {
      let word = parts.target.word(for: .integer(Int128(state))) ?? "\(state)"
      report(
        .thresholds, "missing", at: spot,
        Remark(
          .must, "\(parts.target.name) can be \(state) (\(word)), but \(threshold.name) is missing",
          fix: "add it, or remove \(state) from the target's valid-values"))
    }
    if allowed.isAutomaticAlone, !there.contains(parts.first.type), !there.contains(parts.second.type) {
      report(
        .thresholds, "missing", at: spot,
        Remark(
          .must, "\(parts.target.name) can be 0, but there is neither \(parts.first.name) nor \(parts.second.name)"))
    }
  }

  private struct Thresholds {
    var target: CharacteristicDefinition
    /// The threshold of target state 1.
    var first: CharacteristicDefinition
    /// The threshold of target state 2.
    var second: CharacteristicDefinition

    static let heaterCooler = Thresholds(
      target: .targetHeaterCoolerState, first: .heatingThresholdTemperature, second: .coolingThresholdTemperature)
    static let humidifierDehumidifier = Thresholds(
      target: .targetHumidifierDehumidifierState, first: .relativeHumidityHumidifierThreshold,
      second: .relativeHumidityDehumidifierThreshold)
  }

  /// The states among 0, 1 and 2 that limits and valid values allow.
  private struct TargetStates {
    private var allowed: [Bool] = []

    init(_ target: ParsedCharacteristic) {
      let sets = [("valid-values", false), ("valid-values-range", true)].compactMap { name, isRange in
        target.value[name].flatMap { ValidValues($0, isRange: isRange) }
      }
      let rules = ValueRules(target, .uint8)
      allowed = (0...2).map { state in
        rules.violation(of: .integer(state), checking: .limits) == nil && sets.allSatisfy { $0.contains(state) }
      }
    }

    func contains(_ state: Int) -> Bool { allowed[state] }
    /// Whether only "automatic" is allowed. Its effect then depends only on the thresholds.
    var isAutomaticAlone: Bool { allowed == [true, false, false] }
  }

  // MARK: ADB-40

  mutating func judgeColours(_ service: ParsedService, _ spot: LintSpot) {
    guard service.type == .lightBulb, let temperature = service[.colorTemperature], service[.hue] != nil,
      service[.saturation] != nil
    else { return }
    report(
      .colours, "both", at: spot.characteristic(temperature),
      Remark(
        .info, "the service has Color Temperature as well as Hue and Saturation", ios: .tolerates,
        source: "many working lights have both; HomeKitADK advises against it"))
  }

  // MARK: ADB-45

  mutating func judgeValves(_ accessory: ParsedAccessory, _ place: LintSpot) {
    let labels = accessory.services.filter { $0.type == .serviceLabel }
    let labelIIDs = Set(labels.compactMap(\.iid))
    let labelled = Set(labels.flatMap(\.linked))
    for service in accessory.services where service.type == .valve {
      let spot = place.service(service)
      if service[.valveType]?.content?.integer == 1 {
        for (type, name) in [
          (TypeID.setDuration, "Set Duration (D3)"), (.remainingDuration, "Remaining Duration (D4)"),
        ]
        where service[type] == nil {
          report(.valves, "duration", at: spot, Remark(.should, "\(name) is missing; an irrigation valve needs it"))
        }
      }
      let isLabelled =
        service.linked.contains { labelIIDs.contains($0) } || (service.iid.map(labelled.contains) ?? false)
      if isLabelled, service[.labelIndex] == nil {
        report(
          .valves, "no-index", at: spot,
          Remark(.should, "it is linked to a Service Label, but has no Service Label Index (CB)"))
      }
    }
  }
}
