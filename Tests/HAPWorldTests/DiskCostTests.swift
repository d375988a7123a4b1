import HAPModel
import Testing

@testable import HAPStore
@testable import HAPWorld

/// Tests create thousands of stores. This counts operations instead of measuring time.
@Suite("The cost of a simulated disk")
struct DiskCostTests {
  @Test("A new store with a write, and one more write, need few operations")
  func operations() throws {
    let lines = Counted()
    let disk = disk { _ in lines.count += 1 }
    let store = try StateFolder.open(path: "/state", files: disk).accessory(key: "garage")
    try store.setFailedTries(1)
    #expect((100..<1000).contains(lines.count), "\(lines.count)")
    let (before, changes) = (lines.count, disk.changes)
    try store.setFailedTries(2)
    // The header and the page of a frame, and a sync.
    #expect(disk.changes - changes == 3 && lines.count - before < 20, "\(lines.count - before)")
    let values = disk.changes
    try store.values.commit([(AttributeID(aid: 1, iid: 1), .bool(true))])
    #expect(disk.changes - values < 10)
  }
}

private final class Counted: @unchecked Sendable { var count = 0 }
