import HAPStore
import HAPWorld
import Testing

@Suite("A simulated disk used by several processes") struct DiskProcessTests {
  private func row(_ id: String) -> HomeRowChange {
    .keep(.object(HomeObjectRow(id: id, home: id, kind: "home", name: id, json: "{}")))
  }

  @Test("A store is refused to another process with the number of the first; it is free when that process has ended")
  func locks() throws {
    let disk = SimulatedDisk()
    let (first, second) = (disk.used(by: 7), disk.used(by: 8))
    let store = try HomeStore(folder: "/home", files: first)
    try store.commit([row("a")])
    let refusal = #expect(throws: StoreError.self) { try HomeStore(folder: "/home", files: second) }
    #expect(refusal?.code == .alreadyRunning(name: "hub", pid: 7))

    first.end()
    // The files of the first process are closed, although its store still exists.
    #expect(throws: StoreError.self) { try store.commit([row("b")]) }
    let next = try HomeStore(folder: "/home", files: second)
    #expect(try next.load().objects.map(\.id) == ["a"])
    try next.commit([row("c")])
    next.close()
    let last = try HomeStore(folder: "/home", files: disk.used(by: 9))
    #expect(try last.load().objects.map(\.id) == ["a", "c"])
  }

  @Test("The end of a process changes nothing for the others") func others() throws {
    let disk = SimulatedDisk()
    let (first, second) = (disk.used(by: 7), disk.used(by: 8))
    let (one, two) = (try HomeStore(folder: "/one", files: first), try HomeStore(folder: "/two", files: second))
    try one.commit([row("a")])
    first.end()
    first.end()
    try two.commit([row("b")])
    #expect(try two.load().objects.map(\.id) == ["b"])
    let refusal = #expect(throws: StoreError.self) { try HomeStore(folder: "/two", files: disk.used(by: 9)) }
    #expect(refusal?.code == .alreadyRunning(name: "hub", pid: 8))
  }
}
