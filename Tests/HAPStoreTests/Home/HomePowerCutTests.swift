import HAPWorld
import Testing

@testable import HAPStore

@Suite("A crash of a hub's machine at any change of its disk")
struct HomePowerCutTests {
  private static func disk(seed: Int, sectorSize: Int) -> SimulatedDisk {
    var options = SimulatedDisk.Options(seed: UInt64(seed))
    options.sectorSize = sectorSize
    return SimulatedDisk(options)
  }

  /// Commits all commands, with a restart and a backup in between, up to the first error.
  /// - Returns: the number of acknowledged commands; `nil` if the store could not be opened.
  private func run(_ disk: SimulatedDisk) throws -> Int? {
    var acknowledged: Int?
    do {
      var store = try HomeStore(folder: "/hub", files: disk)
      acknowledged = 0
      for (number, command) in HomeCommands.all.enumerated() {
        if number == 6 {
          store.close()
          store = try HomeStore(folder: "/hub", files: disk)
        }
        if number == 9 { try store.backUp(to: "/backup") }
        try store.commit(command)
        acknowledged = number + 1
      }
    } catch { #expect(disk.isDown, "\(error)") }
    return acknowledged
  }

  @Test(
    "The store holds a prefix of the commands, which has all acknowledged ones; a backup is complete or absent",
    arguments: [true, false], [512, 4096])
  func crashes(losingPower: Bool, sectorSize: Int) throws {
    try #expect(run(Self.disk(seed: 0, sectorSize: sectorSize)) == HomeCommands.all.count)
    var count = 0
    var backups: Set<String> = []
    while true {
      let disk = Self.disk(seed: count, sectorSize: sectorSize)
      disk.crash(after: count, losingPower: losingPower)
      let acknowledged = try run(disk)
      guard disk.isDown else { break }
      disk.start()
      let store = try HomeStore(folder: "/hub", files: disk)
      let found = try store.load()
      let started = acknowledged ?? 0
      // The command during which the machine crashed may or may not be stored.
      let allowed = HomeCommands.states[started...min(started + 1, HomeCommands.all.count)]
      #expect(allowed.contains(found), "after \(count) changes, with \(started) acknowledged")
      try store.commit([.keep(.object(.test(99)))])
      store.close()

      switch disk.contents(of: "/backup")?.count {
      case nil: backups.insert("absent")
      case 0: backups.insert("reserved")
      default:
        backups.insert("complete")
        try HomeStore.restore("/backup", into: "/other", files: disk)
        try #expect(HomeStore(folder: "/other", files: disk).load() == HomeCommands.states[9])
      }
      count += 1
    }
    #expect(count > 100, "\(count) changes are too few for this test")
    #expect(backups == ["absent", "reserved", "complete"])
  }

  @Test(
    "A change whose fsync failed is not there after the end of the process", arguments: [true, false], [true, false])
  func failedSync(isLasting: Bool, settles: Bool) throws {
    for command in HomeCommands.all.indices {
      let disk = Self.disk(seed: command, sectorSize: 4096)
      let store = try HomeStore(folder: "/hub", files: disk)
      for earlier in HomeCommands.all[..<command] { try store.commit(earlier) }
      disk.fail(.sync, after: 0, isLasting: isLasting)
      #expect(throws: StoreError.self) { try store.commit(HomeCommands.all[command]) }
      if isLasting, command.isMultiple(of: 2) {
        disk.clearFaults()
        try store.commit([.remove(.people, id: "nobody")])  // changes nothing
        disk.kill()
      } else if settles {
        if isLasting { #expect(throws: StoreError.self) { try store.commit([]) } }
        disk.clearFaults()
        try store.commit([])
        disk.losePower()
      } else {
        disk.kill()
        disk.clearFaults()
      }
      disk.start()
      let found = try HomeStore(folder: "/hub", files: disk).load()
      #expect(found == HomeCommands.states[command], "command \(command)")
    }
  }

  @Test("What an opening found is there after a power loss, too")
  func foundIsDurable() throws {
    var unacknowledged = 0
    for count in 0... {
      let disk = Self.disk(seed: count, sectorSize: 512)
      disk.crash(after: count, losingPower: false)
      let acknowledged = try run(disk)
      guard disk.isDown else { break }
      disk.start()
      let store = try HomeStore(folder: "/hub", files: disk)
      let found = try store.load()
      disk.losePower()  // the store is open: closing it would make the log durable
      withExtendedLifetime(store) {}
      disk.start()
      try #expect(HomeStore(folder: "/hub", files: disk).load() == found, "after \(count) changes")
      if let acknowledged, found != HomeCommands.states[acknowledged] { unacknowledged += 1 }
    }
    #expect(unacknowledged > 0)
  }

  @Test(
    "A restore that crashes at any change leaves the old rows or the new ones, and no other", arguments: [true, false])
  func restore(losingPower: Bool) throws {
    var outcomes: [HomeRows] = []
    for count in 0... {
      let disk = Self.disk(seed: count, sectorSize: 512)
      do {
        // The old store has a log and a file of an earlier restore; the backup is shorter.
        var store = try HomeStore(folder: "/hub", files: disk)
        try store.commit(HomeCommands.all[0])
        try store.backUp(to: "/backup")
        store.close()
        try HomeStore.restore("/backup", into: "/hub", files: disk)
        store = try HomeStore(folder: "/hub", files: disk)
        for command in HomeCommands.all[1...] { try store.commit(command) }
        disk.kill()
        disk.start()
      }
      disk.crash(after: count, losingPower: losingPower)
      let isAnswered = (try? HomeStore.restore("/backup", into: "/hub", files: disk)) != nil
      guard disk.isDown else {
        #expect(isAnswered)
        break
      }
      disk.start()
      let store = try HomeStore(folder: "/hub", files: disk)
      let found = try store.load()
      let isNew = found == HomeCommands.states[1]
      #expect(isNew || found == HomeCommands.states.last, "after \(count) changes")
      #expect(isNew || !isAnswered, "after \(count) changes")
      outcomes.append(found)
      try store.commit([.keep(.object(.test(99)))])
      store.close()
      // The restore can be repeated.
      try HomeStore.restore("/backup", into: "/hub", files: disk)
      try #expect(HomeStore(folder: "/hub", files: disk).load() == HomeCommands.states[1])
    }
    #expect(outcomes.contains(HomeCommands.states[1]) && outcomes.contains(HomeCommands.states.last!))
  }

  @Test("The first start that crashes at any change leaves a store that can be opened", arguments: [true, false])
  func firstStart(losingPower: Bool) throws {
    for count in 0... {
      let disk = Self.disk(seed: count, sectorSize: 512)
      disk.crash(after: count, losingPower: losingPower)
      _ = try? HomeStore(folder: "/hub", files: disk).commit(HomeCommands.all[1])
      guard disk.isDown else {
        #expect(count > 5)
        break
      }
      disk.start()
      let found = try HomeStore(folder: "/hub", files: disk).load()
      #expect(found == HomeRows() || found == HomeRows().after(HomeCommands.all[1]))
    }
  }
}
