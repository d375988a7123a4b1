import HAPModel

extension LintRun {
  // MARK: ADB-27

  /// Checks the format and permissions of an Apple-defined characteristic.
  mutating func judgeDefinition(_ characteristic: ParsedCharacteristic, _ spot: LintSpot) {
    // ADB-07 covers Identify.
    guard let definition = characteristic.definition, definition.type != .identify else { return }
    if characteristic.value["format"] != nil, let format = characteristic.format, format != definition.format {
      let isOlder = Self.otherFormats[definition.type]?.contains(format) == true
      let message = "the format of \(definition.name) is \(definition.format.rawValue), not \(format.rawValue)"
      report(
        .definition, isOlder ? "other-format" : "format", at: spot.member("format"),
        isOlder
          ? Remark(
            .nonStrict, message, ios: .tolerates,
            source: "another release of Apple's metadata, or HAP-NodeJS and brutella/hap")
          : Remark(.must, message, source: "Pylo#3"))
    }
    guard let perms = characteristic.perms, !perms.isEmpty else { return }
    let watched: Permissions = [.pairedRead, .pairedWrite, .events]
    let disputed = Self.disputedPermissions[definition.type] ?? []
    let missing = definition.perms.intersection(watched).subtracting(perms).subtracting(disputed)
    if !missing.isEmpty {
      report(
        .definition, "perms", at: spot.member("perms"),
        Remark(
          .must,
          "Apple defines \(definition.name) with \(list(definition.perms.names)); \(list(missing.names)) is missing"))
    }
    if perms.contains(.pairedWrite), !definition.perms.contains(.pairedWrite), !disputed.contains(.pairedWrite) {
      report(
        .definition, "writable", at: spot.member("perms"),
        Remark(.should, "Apple defines \(definition.name) without pw, and it has pw"))
    }
  }

  /// Formats of other sources of the catalogue (`disagreements` in Catalogue/characteristics.json).
  private static let otherFormats: [TypeID: [Format]] = [
    CharacteristicDefinition.serviceSignature.type: [.tlv8],
    CharacteristicDefinition.colorTemperature.type: [.int],
    CharacteristicDefinition.pictureMode.type: [.uint16],
    CharacteristicDefinition.imageRotation.type: [.int],
    CharacteristicDefinition.homeKitCameraActive.type: [.bool],
    CharacteristicDefinition.thirdPartyCameraActive.type: [.bool],
    CharacteristicDefinition.eventSnapshotsActive.type: [.bool],
    CharacteristicDefinition.periodicSnapshotsActive.type: [.bool],
  ]

  /// Permissions that only some of the sources list.
  private static let disputedPermissions: [TypeID: Permissions] = [
    CharacteristicDefinition.version.type: .events,
    CharacteristicDefinition.pairingFeatures.type: .pairedWrite,
    CharacteristicDefinition.serviceSignature.type: .pairedWrite,
    CharacteristicDefinition.isConfigured.type: .pairedWrite,
    CharacteristicDefinition.configuredName.type: .pairedWrite,
    CharacteristicDefinition.activeIdentifier.type: .pairedWrite,
    CharacteristicDefinition.displayOrder.type: .pairedWrite,
  ]

  // MARK: ADB-28 to ADB-31

  /// Checks an Apple-defined service for its required and allowed characteristics.
  mutating func judgeAgainstCatalogue(_ service: ParsedService, _ spot: LintSpot) {
    var there: Set<TypeID> = []
    for characteristic in service.characteristics {
      guard let type = characteristic.type else { continue }
      if !there.insert(type).inserted {
        report(
          .typeTwice, "twice", at: spot.characteristic(characteristic),
          Remark(
            .must, "the service already has \(characteristic.name)", ios: .rejects, source: "edomoticz#297",
            fix: "move it to a separate service, or remove it"))
      }
      if let service = service.definition, let definition = characteristic.definition,
        !service.required.contains(type), !service.optional.contains(type), !Self.goAnywhere.contains(type)
      {
        report(
          .unlisted, "unlisted", at: spot.characteristic(characteristic),
          Remark(
            .should, "\(definition.name) is not a characteristic of \(service.name)",
            source: "weather-plus#317 and #319 report refusals; working bridges do the same",
            fix: "remove it, move it to a service that lists it, or use a custom type"))
      }
    }
    if service.characteristics.count > 100 {
      report(
        .counts, "characteristics", at: spot,
        Remark(
          .should, "\(service.characteristics.count) characteristics, more than 100",
          source: "HAP-NodeJS refuses more"))
    }
    judgeRequired(service, there, spot)
  }

  private mutating func judgeRequired(_ service: ParsedService, _ there: Set<TypeID>, _ spot: LintSpot) {
    // ADB-06 and ADB-13 cover these two.
    guard let definition = service.definition, definition.type != .information, definition.type != .protocolInformation
    else { return }
    for type in definition.required where !there.contains(type) {
      let name = Catalogue.characteristic(type)?.name ?? type.wireForm
      let message = "\(name) (\(type.wireForm)) is missing, which \(definition.name) requires"
      if let whose = Self.optionalElsewhere[definition.type]?[type] {
        report(
          .required, "optional-elsewhere", at: spot, Remark(.nonStrict, message, source: "it is optional for \(whose)"))
      } else {
        report(.required, "missing", at: spot, Remark(.must, message, fix: "add it"))
      }
    }
  }

  /// Characteristics that every stack has in services that do not list them.
  private static let goAnywhere: Set<TypeID> = [.name, .configuredName]

  /// Characteristics that the catalogue requires and some sources do not (`disagreements` in Catalogue/services.json).
  private static let optionalElsewhere: [TypeID: [TypeID: String]] = {
    let metadata = "HAP-NodeJS and Apple's metadata 880"
    let position: [TypeID: String] = [CharacteristicDefinition.positionState.type: "HomeSpan"]
    return [
      ServiceDefinition.outlet.type: [CharacteristicDefinition.outletInUse.type: metadata],
      ServiceDefinition.batteryService.type: [
        CharacteristicDefinition.batteryLevel.type: metadata, CharacteristicDefinition.chargingState.type: metadata,
      ],
      ServiceDefinition.door.type: position, ServiceDefinition.window.type: position,
      ServiceDefinition.windowCovering.type: position,
      ServiceDefinition.television.type: [
        CharacteristicDefinition.remoteKey.type: "HAP-python and brutella/hap", .configuredName: "HomeSpan",
        CharacteristicDefinition.activeIdentifier.type: "HomeSpan",
        CharacteristicDefinition.sleepDiscoveryMode.type: "HomeSpan",
      ],
      ServiceDefinition.inputSource.type: [
        .name: "HAP-python and brutella/hap", .configuredName: "HomeSpan",
        CharacteristicDefinition.isConfigured.type: "HomeSpan",
        CharacteristicDefinition.inputSourceType.type: "HomeSpan",
        CharacteristicDefinition.currentVisibilityState.type: "HomeSpan",
      ],
      ServiceDefinition.cameraRecordingManagement.type: [CharacteristicDefinition.active.type: "brutella/hap"],
      ServiceDefinition.accessoryMetrics.type: [
        CharacteristicDefinition.supportedMetrics.type: "Apple's metadata 880",
        CharacteristicDefinition.metricsBufferFullState.type: "Apple's metadata 880",
      ],
    ]
  }()
}
