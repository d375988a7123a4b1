import MatterModel
import Testing

@testable import MatterInteraction

@Suite("Access control of Matter") struct AccessControlTests {
  private func privilege(
    _ entries: [AccessEntry], _ subject: Subject, on endpoint: EndpointNumber = 1, _ cluster: ClusterID = 6
  ) -> Privilege? {
    var target = MemoryTarget.home
    target.access = [1: entries]
    return AccessControl(subject, target).privilege(on: endpoint, cluster, of: target)
  }

  private func node(_ id: UInt64, fabric: FabricIndex = 1, tags: [UInt32] = []) -> Subject {
    .node(id, fabric: fabric, tags: tags)
  }

  @Test("A session with the passcode administers, also without entries") func passcode() {
    #expect(privilege([], .passcode(fabric: 0)) == .administer)
    #expect(privilege([], .passcode(fabric: 1)) == .administer)
  }

  @Test("A node without an entry of its fabric has no privilege") func none() {
    let entries = [AccessEntry(.administer, subjects: [1])]
    #expect(privilege(entries, node(1)) == .administer)
    #expect(privilege(entries, node(2)) == nil)
    #expect(privilege(entries, node(1, fabric: 2)) == nil)
    #expect(privilege([], node(1)) == nil)
  }

  @Test("Entries without subjects apply to all nodes, but not those of groups") func all() {
    #expect(privilege([AccessEntry(.view)], node(7)) == .view)
    #expect(privilege([AccessEntry(.operate, .group)], node(7)) == nil)
    #expect(privilege([AccessEntry(.operate, .passcode)], node(7)) == nil)
  }

  @Test("The highest of the entries counts") func highest() {
    let entries = [AccessEntry(.view), AccessEntry(.manage, subjects: [7]), AccessEntry(.operate)]
    #expect(privilege(entries, node(7)) == .manage)
    #expect(privilege(entries, node(8)) == .operate)
  }

  @Test("A tag applies to nodes that have it in at least its version") func tags() {
    let entries = [AccessEntry(.operate, subjects: [0xFFFF_FFFD_ABCD_0002])]
    #expect(privilege(entries, node(7, tags: [0xABCD_0001])) == nil)
    #expect(privilege(entries, node(7, tags: [0xABCD_0002])) == .operate)
    #expect(privilege(entries, node(7, tags: [0x1234_0009, 0xABCD_0003])) == .operate)
    #expect(privilege(entries, node(7, tags: [0xABCE_0003])) == nil)
    let versionless = [AccessEntry(.operate, subjects: [0xFFFF_FFFD_ABCD_0000])]
    #expect(privilege(versionless, node(7, tags: [0xABCD_0001])) == nil)
  }

  @Test("All parts of a target have to match") func targets() {
    func entries(_ targets: AccessEntry.Target...) -> [AccessEntry] { [AccessEntry(.operate, targets: targets)] }
    #expect(privilege(entries(AccessEntry.Target(cluster: 6)), node(1)) == .operate)
    #expect(privilege(entries(AccessEntry.Target(cluster: 8)), node(1)) == nil)
    #expect(privilege(entries(AccessEntry.Target(endpoint: 1)), node(1)) == .operate)
    #expect(privilege(entries(AccessEntry.Target(endpoint: 2)), node(1)) == nil)
    #expect(privilege(entries(AccessEntry.Target(cluster: 6, endpoint: 2)), node(1)) == nil)
    #expect(privilege(entries(AccessEntry.Target(deviceType: 0x100)), node(1)) == .operate)
    #expect(privilege(entries(AccessEntry.Target(deviceType: 0x101)), node(1)) == nil)
    #expect(privilege(entries(AccessEntry.Target(cluster: 8), AccessEntry.Target(endpoint: 1)), node(1)) == .operate)
  }
}
