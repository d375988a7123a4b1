import HAPModel
import MatterModel

/// What the services of one type become.
struct ServiceRow: Sendable {
  /// The first one is its own, the others are those of additional clusters; nil: the vendor's own type.
  let deviceTypes: @Sendable (ServiceView) -> [DeviceType]?
  /// Besides Identify and the descriptor. A service gets those clusters whose characteristics it has.
  let clusters: [ClusterTemplate]
  /// Clusters that only another device type demands, which a profile can choose.
  var onDemand: [ClusterTemplate] = []

  /// - Parameter additional: types by the characteristic that a service must have for them.
  init(
    _ deviceType: DeviceType, additional: [TypeID: DeviceType] = [:], _ clusters: [ClusterTemplate],
    onDemand: [ClusterTemplate] = []
  ) {
    self.onDemand = onDemand
    deviceTypes = { service in [deviceType] + additional.filter { service.has($0.key) }.map(\.value) }
    self.clusters = clusters
  }

  init(_ deviceType: @escaping @Sendable (ServiceView) -> DeviceType?, _ clusters: [ClusterTemplate]) {
    deviceTypes = { deviceType($0).map { [$0] } }
    self.clusters = clusters
  }
}

/// A service that is a cluster of another service's endpoint.
struct Attachment: Sendable {
  let cluster: ClusterTemplate
  /// The services whose endpoint it can join; empty: any of the accessory.
  let hosts: Set<TypeID>
  /// The additional device type of the endpoint.
  let deviceType: DeviceType?
}

/// The services that Matter knows. All others become a vendor's endpoint, or have no Matter side.
enum ServiceTable {
  static let rows: [TypeID: ServiceRow] = [
    ServiceDefinition.lightBulb.type: ServiceRow(
      lightType,
      [
        .groups, onOff, LevelCluster(power: .on, type: .brightness).template(features: lightLevel),
        ColourCluster.template,
      ]),
    ServiceDefinition.outlet.type: ServiceRow(.onOffPlug, [.groups, onOff]),
    ServiceDefinition.switch.type: ServiceRow(.mountedOnOffControl, [.groups, onOff]),
    ServiceDefinition.contactSensor.type: ServiceRow(
      .contactSensor, [.booleanState(.contactState, trueValue: 0)]),
    ServiceDefinition.leakSensor.type: ServiceRow(
      .waterLeakDetector, [.booleanState(.leakDetected, trueValue: 1)]),
    ServiceDefinition.motionSensor.type: ServiceRow(.occupancySensor, [.occupancy(.motionDetected)]),
    ServiceDefinition.occupancySensor.type: ServiceRow(.occupancySensor, [.occupancy(.occupancyDetected)]),
    ServiceDefinition.temperatureSensor.type: ServiceRow(.temperatureSensor, [.temperature]),
    ServiceDefinition.humiditySensor.type: ServiceRow(.humiditySensor, [.humidity]),
    ServiceDefinition.lightSensor.type: ServiceRow(.lightSensor, [.illuminance]),
    ServiceDefinition.lockMechanism.type: ServiceRow(.doorLock, [.doorLock]),
    ServiceDefinition.thermostat.type: ServiceRow(
      .thermostat, additional: [.currentHumidity: .humiditySensor],
      [ThermostatCluster.thermostat.template, .thermostatUserInterface, .humidity]),
    ServiceDefinition.heaterCooler.type: ServiceRow(
      .thermostat, [ThermostatCluster.heaterCooler.template, .thermostatUserInterface],
      onDemand: [OnOffCluster(power: .active).template(features: OnOffCluster.deadFront)]),
    ServiceDefinition.windowCovering.type: ServiceRow(.windowCovering, [CoveringCluster.horizontal.template]),
    ServiceDefinition.door.type: ServiceRow(.windowCovering, [CoveringCluster.horizontal.template]),
    ServiceDefinition.window.type: ServiceRow(.windowCovering, [CoveringCluster.horizontal.template]),
    ServiceDefinition.slat.type: ServiceRow(.windowCovering, [CoveringCluster.slat.template]),
    ServiceDefinition.garageDoorOpener.type: ServiceRow(.windowCovering, [.garageDoor]),
    ServiceDefinition.fan.type: ServiceRow(.fan, [.groups, FanCluster(power: .on, automatic: nil).template]),
    ServiceDefinition.fanv2.type: ServiceRow(
      .fan, [.groups, FanCluster(power: .active, automatic: .targetFanState).template]),
    ServiceDefinition.airPurifier.type: ServiceRow(
      .airPurifier, [FanCluster(power: .active, automatic: .targetAirPurifier).template]),
    ServiceDefinition.smokeSensor.type: ServiceRow(.smokeAlarm, [.smokeAlarm]),
    ServiceDefinition.carbonMonoxideSensor.type: ServiceRow(.smokeAlarm, [.monoxideAlarm, .monoxide]),
    ServiceDefinition.carbonDioxideSensor.type: ServiceRow(.airQualitySensor, [.dioxideQuality, .dioxide]),
    ServiceDefinition.airQualitySensor.type: ServiceRow(
      .airQualitySensor, [.airQuality] + ClusterTemplate.airConcentrations),
    ServiceDefinition.valve.type: ServiceRow(.waterValve, [.valve]),
    ServiceDefinition.statelessProgrammableSwitch.type: ServiceRow(.genericSwitch, [.button]),
    ServiceDefinition.doorbell.type: ServiceRow(.genericSwitch, [.button]),
    ServiceDefinition.television.type: ServiceRow(
      { $0.hasAll([.currentMediaState, .targetMediaState, .remoteKey]) ? .videoPlayer : nil },
      [OnOffCluster(power: .active).template(features: 0), .mediaPlayback, .keypad]),
    ServiceDefinition.speaker.type: ServiceRow(
      { $0.has(.volume) ? .speaker : nil },
      [
        OnOffCluster(power: .mute).template(features: 0),
        LevelCluster(power: .mute, type: .volume).template(features: LevelCluster.onOff),
      ]),
    battery: ServiceRow(.powerSource, [.battery]),
  ]

  /// Without a host, they are endpoints of their own.
  static let attachments: [TypeID: Attachment] = [
    battery: Attachment(cluster: .battery, hosts: [], deviceType: .powerSource),
    ServiceDefinition.filterMaintenance.type: Attachment(
      cluster: .filter, hosts: [ServiceDefinition.airPurifier.type], deviceType: nil),
  ]

  /// Services whose linked services are parts of their endpoint.
  static let parents: Set<TypeID> = [ServiceDefinition.faucet.type, ServiceDefinition.irrigationSystem.type]

  static let battery = ServiceDefinition.batteryService.type
  static let information = ServiceDefinition.accessoryInformation.type

  // MARK: Reasons

  /// Services that describe the accessory or HAP itself, with the reasons why they are no endpoints.
  static let silent: [TypeID: String] = [
    information: "its texts are in the clusters 0028 and 0039",
    ServiceDefinition.hapProtocolInformation.type: "it describes HAP",
  ]

  /// The reasons why services have no Matter side.
  static let refusals: [TypeID: String] = [
    ServiceDefinition.cameraRTPStreamManagement.type: stream,
    ServiceDefinition.cameraRecordingManagement.type: stream,
    ServiceDefinition.audioStreamManagement.type: stream,
    ServiceDefinition.dataStreamTransportManagement.type: "HomeKit Data Stream is a protocol of its own",
    ServiceDefinition.transferTransportManagement.type: "HomeKit Data Stream is a protocol of its own",
    ServiceDefinition.firmwareUpdate.type: "firmware updates are not served over Matter",
    ServiceDefinition.assetUpdate.type: "firmware updates are not served over Matter",
    ServiceDefinition.nfcAccess.type: "keys of Apple Wallet are a protocol of HomeKit",
    ServiceDefinition.serviceLabel.type: "it only numbers other services",
  ]

  static let leftOut = "the profile leaves it out"
  static let nothingToShow = "it has no characteristics that a Matter controller could use"
  static let noNumber = "all endpoint numbers were given"
  static let noVendorNumber = "all numbers of vendor attributes were given"

  /// The reasons why characteristics that no cluster shows are in no vendor's cluster either.
  static let omittedCharacteristics: [TypeID: String] = [
    .name: "Matter has names of nodes and of bridged accessories only",
    .identify: "the cluster 0003 identifies the accessory",
    .labelIndex: "it only numbers other services",
  ]
  static let neitherReadNorWritten = "it can be neither read nor written"
  static let messages = "its values are messages of a protocol of HomeKit"

  private static let stream = "Matter 1.4 has no streams of cameras and audio"
  private static let lightLevel = LevelCluster.onOff | LevelCluster.lighting
  private static let onOff = OnOffCluster(power: .on).template(features: OnOffCluster.lighting)

  /// The light types build on each other: a colour light must have a level.
  private static let lightType: @Sendable (ServiceView) -> DeviceType? = { service in
    guard service.has(.brightness) else { return .onOffLight }
    if service.hasAll([.hue, .saturation]) { return .extendedColourLight }
    return service.has(.colourTemperature) ? .colourTemperatureLight : .dimmableLight
  }
}
