import HAPModel

extension LintRun {
  /// Checks ADB-11: the serial numbers of bridged accessories.
  mutating func judgeSerials(_ database: ParsedDatabase) {
    var seen: Set<String> = []
    for accessory in database.accessories where accessory.aid != 1 {
      guard let information = accessory.information, let serial = information[.serialNumber],
        let text = serial.content?.string, !text.isEmpty, !seen.insert(text).inserted
      else { continue }
      report(
        .serials, "twice",
        at: LintSpot(database, accessory).service(information).characteristic(serial).member("value"),
        Remark(.should, "another bridged accessory also has the serial number \(quoted(text))"))
    }
  }

  /// Checks ADB-13: the Protocol Information service.
  mutating func judgeProtocolInformation(_ database: ParsedDatabase) {
    for accessory in database.accessories {
      let place = LintSpot(database, accessory)
      let services = accessory.services.filter { $0.type == .protocolInformation }
      for service in services { judgeVersion(service, place.service(service)) }
      guard accessory.aid == 1 else { continue }
      if services.isEmpty {
        report(
          .protocolInformation, "missing", at: place,
          Remark(
            .nonStrict, "there is no Protocol Information service (A2)", ios: .tolerates,
            source: "certified Koogeek, Lennox and iDevices devices lack it; Pylo#3 reports a refusal",
            fix: "add it with Version \"1.1.0\""))
      }
      for service in services.dropFirst() {
        report(
          .protocolInformation, "twice", at: place.service(service),
          Remark(.should, "there is more than one Protocol Information"))
      }
    }
  }

  private mutating func judgeVersion(_ service: ParsedService, _ spot: LintSpot) {
    guard let version = service[.version] else {
      report(.protocolInformation, "version-missing", at: spot, Remark(.must, "Version (37) is missing"))
      return
    }
    guard let text = version.content?.string, text != "1.1.0" else { return }
    let isPadded = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0) } == [1, 1, 0]
    report(
      .protocolInformation, isPadded ? "padded" : "version", at: spot.characteristic(version).member("value"),
      isPadded
        ? Remark(
          .nonStrict, "\(quoted(text)) is \"1.1.0\" with leading zeros", ios: .tolerates,
          source: "HAP-python sends it, and Home Assistant with it")
        : Remark(.must, "the version of HAP over IP is \"1.1.0\", not \(quoted(text))", fix: "write \"1.1.0\""))
  }

  /// Checks DISC-20 and DISC-21: the advertised category.
  mutating func judgeCategory(_ database: ParsedDatabase) {
    guard let category = facts.category else { return }
    let name = UInt8(exactly: category).flatMap(Category.category).map { "\($0.name) (\(category))" } ?? "\(category)"
    if database.accessories.count > 1, category != 2 {
      report(
        .bridgeCategory, "not-a-bridge", at: LintSpot(database),
        Remark(
          .should, "\(database.accessories.count) accessories are served, but the category is \(name), not Bridge (2)",
          source: "HomeKitADK allows any category for a bridge"))
    }
    guard let accessory = database.accessories.first(where: { $0.aid == 1 }), category != 2 else { return }
    // Services that fit any category are ignored.
    let services = accessory.services.filter { $0.isPrimary }
    let judged = services.isEmpty ? accessory.services.filter { !$0.isHidden } : services
    let fitting = judged.compactMap { $0.type.flatMap(Category.fitting) }
    guard !fitting.isEmpty, !fitting.contains(where: { $0.contains(category) }) else { return }
    let what = judged.filter { $0.type.flatMap(Category.fitting) != nil }.prefix(3).map(\.name)
    report(
      .category, "unfit", at: LintSpot(database, accessory),
      category == 1
        ? Remark(.info, "the category is \(name); \(list(what)) has its own category")
        : Remark(.should, "the category is \(name), which does not fit \(list(what))"))
  }
}

private typealias Category = HAPModel.Category

extension HAPModel.Category {
  fileprivate static func category(_ number: UInt8) -> HAPModel.Category? { Catalogue.category(number: number) }

  /// Returns the categories that fit a service; `nil` for services that fit any.
  fileprivate static func fitting(_ service: TypeID) -> [Int]? {
    table.first { $0.services.contains { $0.type == service } }?.categories.map { Int($0.number) }
  }

  private static let table: [(services: [ServiceDefinition], categories: [HAPModel.Category])] = [
    ([.airPurifier], [.airPurifier]),
    ([.heaterCooler], [.airConditioner, .airHeater, .thermostat, .fan]),
    ([.humidifierDehumidifier], [.airHumidifier, .airDehumidifier]),
    ([.door], [.door]),
    ([.lockMechanism], [.doorLock, .garageDoorOpener]),
    ([.fan, .fanv2], [.fan, .airPurifier, .airConditioner, .airHeater]),
    ([.faucet], [.faucet, .showerHead]),
    ([.valve], [.faucet, .sprinkler, .showerHead]),
    ([.garageDoorOpener], [.garageDoorOpener]),
    ([.cameraRTPStreamManagement, .cameraOperatingMode], [.ipCamera, .videoDoorbell, .lightbulb]),
    ([.lightBulb], [.lightbulb]),
    ([.outlet], [.outlet]),
    ([.statelessProgrammableSwitch], [.programmableSwitch, .videoDoorbell, .targetController]),
    ([.securitySystem], [.securitySystem]),
    (
      [
        .airQualitySensor, .carbonDioxideSensor, .carbonMonoxideSensor, .contactSensor, .humiditySensor, .leakSensor,
        .lightSensor, .motionSensor, .occupancySensor, .smokeSensor, .temperatureSensor,
      ], [.sensor, .thermostat, .airConditioner, .airHeater]
    ),
    ([.smartSpeaker], [.speaker, .audioReceiver, .homePod]),
    ([.irrigationSystem], [.sprinkler]),
    ([.switch], [.switch]),
    ([.targetControlManagement], [.targetController, .appleTV]),
    ([.television], [.television, .televisionSetTopBox, .televisionStreamingStick, .audioReceiver, .appleTV]),
    ([.thermostat], [.thermostat, .airHeater, .airConditioner]),
    ([.doorbell], [.videoDoorbell, .programmableSwitch, .ipCamera]),
    ([.wiFiRouter], [.wiFiRouter, .airPort]),
    ([.window], [.window]),
    ([.windowCovering], [.windowCovering]),
  ]
}
