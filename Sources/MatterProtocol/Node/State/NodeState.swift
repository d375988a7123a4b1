import MatterModel

/// What a node keeps over a restart.
package struct NodeState: Equatable, Sendable {
  /// Sorted by index; the indices are unique.
  package internal(set) var fabrics: [Fabric] = []
  /// At most 32 bytes.
  package internal(set) var label = ""
  /// A country code.
  package internal(set) var location = "XX"
  /// 0 indoor, 1 outdoor, 2 both. Matter 1.4 §11.10.5.3.
  package internal(set) var regulatoryConfig: UInt8 = 0
  package internal(set) var rebootCount: UInt16 = 0
  /// The number of the first event after a restart.
  package internal(set) var eventNumber: UInt64 = 1

  package static let mostFabrics = 16
  static let mostLabelBytes = 32
  static let locationBytes = 2

  /// A node as it was made, but for the counters, which only rise.
  init(rebootCount: UInt16 = 0, eventNumber: UInt64 = 1) {
    (self.rebootCount, self.eventNumber) = (rebootCount, eventNumber)
  }

  package subscript(_ index: FabricIndex) -> Fabric? { fabrics.first { $0.index == index } }

  /// The lowest index without a fabric; nil: the table is full.
  var freeIndex: FabricIndex? {
    guard fabrics.count < Self.mostFabrics else { return nil }
    return Fabric.indices.first { self[$0] == nil }
  }

  mutating func insert(_ fabric: Fabric) {
    let place = fabrics.firstIndex { $0.index > fabric.index } ?? fabrics.count
    fabrics.insert(fabric, at: place)
  }

  mutating func change(_ index: FabricIndex, _ change: (inout Fabric) -> Void) {
    guard let place = fabrics.firstIndex(where: { $0.index == index }) else { return }
    change(&fabrics[place])
  }

  /// Removes a fabric. Without fabrics, the node is as it was made.
  mutating func remove(_ index: FabricIndex) {
    fabrics.removeAll { $0.index == index }
    if fabrics.isEmpty { self = NodeState(rebootCount: rebootCount, eventNumber: eventNumber) }
  }
}
