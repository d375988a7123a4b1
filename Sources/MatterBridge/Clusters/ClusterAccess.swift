import HAPAttributes
import HAPModel
import MatterModel
import MatterWire

/// What the bindings of a cluster use: the characteristics of its service, and the values that only the node knows.
struct ClusterAccess {
  let accessory: MappedAccessory
  let endpoint: MappedEndpoint
  let cluster: MappedCluster

  // MARK: Characteristics

  private func slot(_ type: TypeID) -> Int? {
    let database = accessory.server.database
    return database.services[cluster.service].slots.first {
      database.characteristics[$0].type == type && !accessory.leftOut.contains($0)
    }
  }

  func has(_ type: TypeID) -> Bool { slot(type) != nil }

  /// The metadata of a characteristic.
  func characteristic(_ type: TypeID) -> Characteristic? {
    slot(type).map { accessory.server.database.characteristics[$0] }
  }

  /// Reads a characteristic.
  /// - Throws: UnsupportedAttribute if the service does not have it.
  func value(_ type: TypeID) throws(InteractionStatus) -> Value {
    guard let slot = slot(type) else { throw InteractionStatus(.unsupportedAttribute) }
    return try accessory.value(ofSlot: slot)
  }

  /// The number of a numeric or Boolean characteristic; nil: it has no value.
  func number(_ type: TypeID) throws(InteractionStatus) -> Double? { try value(type).doubleValue }

  func isTrue(_ type: TypeID) throws(InteractionStatus) -> Bool { try number(type) ?? 0 != 0 }

  /// Returns whether a characteristic of the service has a value. False if the service does not have it, or if it can't
  /// be read.
  func isEqual(_ type: TypeID, _ value: Value) -> Bool { (try? self.value(type)) == value }

  /// Writes characteristics in one request, as one action of the device.
  func write(_ values: [(type: TypeID, value: Value)]) throws(InteractionStatus) {
    let database = accessory.server.database
    var writes: [AttributeWrite] = []
    for (type, value) in values {
      guard let slot = slot(type) else { throw InteractionStatus(.unsupportedAttribute) }
      writes.append(AttributeWrite(database.id(ofSlot: slot), value: value))
    }
    try accessory.write(writes)
  }

  func write(_ type: TypeID, _ value: Value) throws(InteractionStatus) { try write([(type, value)]) }

  /// Returns the nearest value that a characteristic allows.
  /// - Parameter isOn: a number above 0 becomes a value above 0, if the characteristic allows one.
  func fitted(_ number: Double, _ type: TypeID, isOn: Bool = false) -> Value {
    characteristic(type)?.nearest(to: number, isOn: isOn) ?? .float(number)
  }

  /// The limits of a characteristic.
  func limits(_ type: TypeID, default range: ClosedRange<Double>) -> ClosedRange<Double> {
    let constraints = characteristic(type)?.constraints
    let low = constraints?.minValue?.doubleValue ?? range.lowerBound
    return low...max(low, constraints?.maxValue?.doubleValue ?? range.upperBound)
  }

  // MARK: Values that only the node knows

  func stored(_ attribute: AttributeNumber, of other: ClusterID? = nil) -> Element.Value? {
    endpoint.stored[AttributePath(endpoint.number, other ?? cluster.id, attribute)]
  }

  /// Stores a value. The attribute is marked if it reads as another value then.
  func store(_ attribute: AttributeNumber, _ value: Element.Value) {
    let before = shown(attribute)
    endpoint.stored[AttributePath(endpoint.number, cluster.id, attribute)] = value
    accessory.settingsEdition += 1
    if shown(attribute) != before { note(attribute) }
  }

  /// Marks an attribute as changed, if the cluster has it.
  func note(_ attribute: AttributeNumber) {
    guard cluster.shape.attribute(attribute) != nil else { return }
    accessory.note(AttributePath(endpoint.number, cluster.id, attribute), of: cluster)
  }

  private func shown(_ attribute: AttributeNumber) -> Element.Value? {
    guard let read = cluster.shape.attribute(attribute)?.read else { return nil }
    return try? read(self)
  }

  // MARK: Countdowns

  /// The remaining ticks of an attribute that counts down.
  func remaining(_ attribute: AttributeNumber, tick: Duration) -> UInt64 {
    let path = AttributePath(endpoint.number, cluster.id, attribute)
    if let end = accessory.countdowns[path] {
      guard end > accessory.now else { return 0 }
      return UInt64(nearest: ((end - accessory.now) / tick).rounded(.up), in: 0...UInt64(UInt32.max))
    }
    return endpoint.held[path] ?? 0
  }

  /// Sets an attribute that counts down, while it stands still.
  func hold(_ attribute: AttributeNumber, _ ticks: UInt64) {
    let path = AttributePath(endpoint.number, cluster.id, attribute)
    let wasCounting = accessory.countdowns.removeValue(forKey: path) != nil
    let before = endpoint.held.updateValue(ticks, forKey: path) ?? 0
    if wasCounting || before != ticks { accessory.note(path, of: cluster) }
  }

  /// Starts to count down. `ClusterTemplate.expired` is called at the end.
  func countDown(_ attribute: AttributeNumber, _ ticks: UInt64, tick: Duration) {
    let path = AttributePath(endpoint.number, cluster.id, attribute)
    accessory.countdowns[path] = accessory.now + tick * Int(ticks)
    accessory.note(path, of: cluster)
  }

  func stopCountdown(_ attribute: AttributeNumber) {
    accessory.countdowns[AttributePath(endpoint.number, cluster.id, attribute)] = nil
  }
}
