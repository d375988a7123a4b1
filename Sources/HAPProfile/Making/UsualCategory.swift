import HAPModel

extension HAPModel.Category {
  /// The category of accessories whose main service has this type; `other` if there is no usual category.
  static func usual(for service: TypeID) -> HAPModel.Category {
    usual.first { $0.services.contains { $0.type == service } }?.category ?? .other
  }

  private static let usual: [(category: HAPModel.Category, services: [ServiceDefinition])] = [
    (.airPurifier, [.airPurifier]),
    (.airConditioner, [.heaterCooler]),
    (.airHumidifier, [.humidifierDehumidifier]),
    (.door, [.door]),
    (.doorLock, [.lockMechanism, .lockManagement]),
    (.fan, [.fan, .fanv2]),
    (.faucet, [.faucet, .valve]),
    (.garageDoorOpener, [.garageDoorOpener]),
    (.ipCamera, [.cameraRTPStreamManagement, .cameraOperatingMode, .cameraRecordingManagement]),
    (.lightbulb, [.lightBulb]),
    (.outlet, [.outlet]),
    (.programmableSwitch, [.statelessProgrammableSwitch, .statefulProgrammableSwitch]),
    (.securitySystem, [.securitySystem]),
    (
      .sensor,
      [
        .airQualitySensor, .carbonDioxideSensor, .carbonMonoxideSensor, .contactSensor, .humiditySensor, .leakSensor,
        .lightSensor, .motionSensor, .occupancySensor, .smokeSensor, .temperatureSensor,
      ]
    ),
    (.speaker, [.speaker, .smartSpeaker]),
    (.sprinkler, [.irrigationSystem]),
    (.switch, [.switch]),
    (.targetController, [.targetControlManagement, .targetControl]),
    (.television, [.television, .inputSource]),
    (.thermostat, [.thermostat]),
    (.videoDoorbell, [.doorbell]),
    (.wiFiRouter, [.wiFiRouter, .wiFiSatellite]),
    (.window, [.window]),
    (.windowCovering, [.windowCovering, .slat]),
  ]
}
