import MatterModel
import Testing

/// Checked: these tests fail if an unknown name counts as false, if an optional condition counts as a demand, and if
/// EndpointConformance skips events, features or device types.
@Suite("The conditions of the catalogue") struct ConformanceTests {
  private typealias Demand = Conformance.Demand

  /// Names in lower case are unknown.
  private func demand(_ text: String, _ holding: Set<String> = []) -> Demand {
    Conformance(stringLiteral: text).demand { name in
      name.allSatisfy { $0.isLowercase } ? nil : holding.contains(name)
    }
  }

  @Test("Words are demands") func words() {
    #expect(demand("M") == .mandatory && demand("O") == .optional && demand("desc") == .optional)
    #expect(demand("P, M") == .optional && demand("P, O") == .optional)
    #expect(demand("X") == .notAllowed && demand("D") == .notAllowed && demand("") == .notAllowed)
    #expect(demand("M, D") == .mandatory && demand("O, D") == .optional)
    #expect(demand("O.a") == .choice(group: "a", atLeastOne: false))
    #expect(demand("O.b+") == .choice(group: "b", atLeastOne: true))
  }

  @Test("A condition is a demand if it is true, and in brackets an option") func conditions() {
    #expect(demand("LT", ["LT"]) == .mandatory && demand("LT") == .notAllowed)
    #expect(demand("[LT]", ["LT"]) == .optional && demand("[LT]") == .notAllowed)
    #expect(demand("!OFFONLY") == .mandatory && demand("!OFFONLY", ["OFFONLY"]) == .notAllowed)
    #expect(demand("LF & PA_LF", ["LF"]) == .notAllowed && demand("LF & PA_LF", ["LF", "PA_LF"]) == .mandatory)
    #expect(demand("HS | XY | CT", ["XY"]) == .mandatory && demand("HS | XY | CT") == .notAllowed)
    #expect(demand("A | B & C", ["A"]) == .mandatory && demand("(A | B) & C", ["A"]) == .notAllowed)
    #expect(demand("!USR & (PIN | RID | FGP)", ["RID"]) == .mandatory)
    #expect(demand("!USR & (PIN | RID | FGP)", ["RID", "USR"]) == .notAllowed)
    #expect(demand("!(A | B)") == .mandatory && demand("!!A", ["A"]) == .mandatory)
  }

  @Test("The first alternative that applies counts") func alternatives() {
    #expect(demand("LF & PA_LF, [LF]", ["LF"]) == .optional)
    #expect(demand("LF & PA_LF, [LF]", ["LF", "PA_LF"]) == .mandatory)
    #expect(demand("LF & PA_LF, [LF]") == .notAllowed)
    #expect(demand("AUTO, O.a+", ["AUTO"]) == .mandatory)
    #expect(demand("AUTO, O.a+") == .choice(group: "a", atLeastOne: true))
    #expect(demand("[LT], [!LT]") == .optional && demand("[LT], [!LT]", ["LT"]) == .optional)
    #expect(demand("A, [B], D", ["B"]) == .optional && demand("A, [B], D") == .notAllowed)
  }

  @Test("What depends on something unknown, or has another form, is optional") func unknown() {
    #expect(demand("sit") == .optional && demand("!sit") == .optional && demand("[sit]") == .optional)
    #expect(demand("sit & A") == .notAllowed && demand("sit & A", ["A"]) == .optional)
    #expect(demand("sit | A", ["A"]) == .mandatory && demand("sit | A") == .optional)
    for text in ["A > 0", "A &", "(A", "A B", "A)", "&", "😀", "A && A", "1"] {
      #expect(demand(text, ["A"]) == .optional, "\(text)")
    }
  }

  // MARK: Endpoints

  private static let light: [ClusterDescription] = [
    ClusterDescription(.identify, commands: ["TriggerEffect"]), ClusterDescription(.groups),
    ClusterDescription(.onOff, features: ["LT"]), ClusterDescription(.descriptor),
  ]

  private func problems(
    _ types: [DeviceTypeDefinition], _ clusters: [ClusterDescription]
  ) -> [String] {
    EndpointConformance.problems(deviceTypes: types.map { ($0.id, $0.revision) }, clusters: clusters)
      .map(\.description)
  }

  private func changed(
    _ id: ClusterID, in clusters: [ClusterDescription] = light, _ change: (inout ClusterDescription) -> Void
  ) -> [ClusterDescription] {
    clusters.map { cluster in
      var cluster = cluster
      if cluster.id == id { change(&cluster) }
      return cluster
    }
  }

  @Test("An endpoint with what is demanded has no problems, and vendors have no rules") func sound() {
    #expect(problems([.onOffLight], Self.light) == [])
    let own = ClusterDescription(0xFFF1_FC00, revision: 9, attributes: [.init(1)])
    #expect(
      EndpointConformance.problems(deviceTypes: [(0xFFF1_0001, 7)], clusters: [own, ClusterDescription(.descriptor)])
        == [])
    let extended = changed(6) { $0.attributes.append(.init(0xFFF1_0000)) }
    #expect(problems([.onOffLight], extended) == [])
  }

  @Test("A missing or a disallowed cluster of a device type is reported") func deviceTypes() {
    #expect(
      problems([.dimmableLight], Self.light)
        == ["the device type 0101 DimmableLight demands the cluster 0008 LevelControl"])
    #expect(
      problems([.onOffLight], changed(6) { $0 = ClusterDescription(.onOff) })
        == ["the device type 0100 OnOffLight demands the feature LT of the cluster 0006 OnOff"])
    #expect(
      problems([.onOffLight], changed(3) { $0.commands.removeLast() })
        == ["the device type 0100 OnOffLight demands the command TriggerEffect of the cluster 0003 Identify"])
    let lock = [
      ClusterDescription(.identify), ClusterDescription(.groups), ClusterDescription(.doorLock),
      ClusterDescription(.descriptor),
    ]
    #expect(problems([.doorLock], lock) == ["the device type 000A DoorLock does not allow the cluster 0004 Groups"])
    #expect(
      problems([.onOffLightSwitch], Self.light)
        == ["the device type 0103 OnOffLightSwitch demands clusters of a client, and a HAP accessory has none"])
    let wrong = EndpointConformance.problems(deviceTypes: [(0x100, 2), (0x999, 1)], clusters: Self.light)
    #expect(
      wrong.map(\.description) == [
        "the device type 0100 OnOffLight has the revision 2, not 3", "the catalogue has no device type 0999",
      ])
    #expect(problems([], Self.light) == ["the endpoint has no device type"])
  }

  @Test("Each missing element of a cluster is reported, with its name") func missing() {
    let start = "the cluster 0006 OnOff demands"
    #expect(problems([], []).count == 1)
    #expect(
      problems([.onOffLight], changed(6) { $0.attributes.removeLast() })
        == ["\(start) the attribute 4003 StartUpOnOff"])
    #expect(problems([.onOffLight], changed(6) { $0.commands.removeFirst() }) == ["\(start) the command 0000 Off"])
    #expect(
      problems([.onOffLight], changed(6) { $0.revision = 5 }) == ["the cluster 0006 OnOff has the revision 5, not 6"])
    let sensor = [
      ClusterDescription(.identify), ClusterDescription(.booleanState), ClusterDescription(.descriptor),
    ]
    #expect(
      problems([.waterLeakDetector], sensor)
        == ["the device type 0043 WaterLeakDetector demands the event StateChange of the cluster 0045 BooleanState"])
    let alarm = ClusterDescription(.smokeCoAlarm, features: ["SMOKE"])
    var quiet = alarm
    quiet.events.removeAll { $0.number == 0 }
    let clusters = [ClusterDescription(.identify), ClusterDescription(.descriptor)]
    #expect(problems([.smokeCoAlarm], clusters + [alarm]) == [])
    #expect(
      problems([.smokeCoAlarm], clusters + [quiet])
        == ["the cluster 005C SmokeCoAlarm demands the event 0000 SmokeAlarm"])
  }

  @Test("Elements that the features do not allow, and those that the catalogue does not know, are reported")
  func others() {
    let start = "the cluster 0006 OnOff does not allow"
    let plain = changed(6) { $0.features = 0 }
    let found = problems([.mountedOnOffControl], plain)
    #expect(found.contains("\(start) the attribute 4000 GlobalSceneControl"))
    #expect(found.contains("\(start) the command 0042 OnWithTimedOff"))
    let odd = changed(6) {
      $0.attributes.append(.init(0x1234))
      $0.commands.append(.init(0x55))
      $0.events.append(.init(9))
      $0.features |= 0x100
    }
    #expect(
      problems([.onOffLight], odd) == [
        "\(start) the attribute 1234", "\(start) the command 0055", "\(start) the event 0009",
        "\(start) the features 0100",
      ])
    #expect(
      problems([.onOffLight], Self.light + [ClusterDescription(0x7777, revision: 1, attributes: [])])
        == ["the catalogue has no cluster 7777"])
  }

  @Test("Of a group of features, one or at least one is demanded") func groups() {
    let clusters = [ClusterDescription(.identify), ClusterDescription(.descriptor)]
    func covering(_ features: [String]) -> [String] {
      problems([.windowCovering], clusters + [ClusterDescription(.windowCovering, features: features)])
    }
    #expect(covering(["LF"]) == [] && covering(["LF", "TL"]) == [])
    #expect(covering([]).count == 1)
    #expect(covering([]).first?.contains("demands at least one of the feature LF Lift, the feature TL Tilt") == true)
    let source = ClusterDescription(.powerSource, features: ["WIRED", "BAT"])
    #expect(
      problems([.powerSource], [source, ClusterDescription(.descriptor)])
        == ["the cluster 002F PowerSource demands exactly one of the feature WIRED Wired, the feature BAT Battery"])
  }

  /// The conditions among the alternatives that have another form than names with `!`, `&`, `|` and parentheses.
  private func unclear(_ conformance: Conformance) -> [String] {
    let alternatives = conformance.description.split(separator: ",").map { String($0.drop { $0 == " " }) }
    return alternatives.filter { alternative in
      if ["M", "O", "P", "D", "X", "desc"].contains(alternative) || alternative.hasPrefix("O.") { return false }
      // Without brackets, a condition that is understood is a demand or its opposite.
      let condition = Conformance(stringLiteral: alternative.filter { $0 != "[" && $0 != "]" })
      return [true, false].contains { value in condition.demand(where: { _ in value }) == .optional }
    }
  }

  @Test("Every condition of the catalogue is understood, except for those of values and those described elsewhere")
  func catalogue() {
    var rows: [Conformance] = []
    for definition in ClusterDefinition.all {
      rows += definition.features.map(\.conformance) + definition.attributes.map(\.conformance)
      rows += definition.commands.map(\.conformance) + definition.events.map(\.conformance)
    }
    for requirement in DeviceTypeDefinition.all.flatMap(\.requirements) {
      rows += [requirement.conformance] + requirement.elements.map(\.conformance)
    }
    #expect(Set(rows.flatMap(unclear)) == Set((0...5).map { "NumberOfPrimaries > \($0)" }))
    // A new row of this kind must be looked up in the specification: the check does not demand it.
    #expect(rows.count { $0.description.contains("desc") } == 19)
  }
}
