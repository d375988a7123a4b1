#if os(Linux)
  import HAPLoop
  import HAPModel
  import Testing

  @testable import HAPAccessoryPort
  @testable import HAPSimulator

  /// Searches of a port, in simulated worlds.
  @Suite("Searches of a port") struct SearchTests {
    /// The news of a search.
    private final class Log: @unchecked Sendable {  // confined to the world's thread
      private(set) var news: [SearchNews] = []
      private(set) var times: [Duration] = []
      var seen: [SeenDevice] { news.compactMap { if case .seen(let device) = $0 { device } else { nil } } }
      var gone: [DeviceID] { news.compactMap { if case .gone(let device) = $0 { device } else { nil } } }
      func take(_ one: SearchNews, at time: Duration = .zero) {
        news.append(one)
        times.append(time)
      }
      func clear() { (news, times) = ([], []) }
    }

    @Test("A search reports the present accessories, changes of their records, and goodbyes")
    func life() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let log = Log()
        let search = it.port.search { log.take($0) }
        try await it.world.sleep(for: .seconds(5))
        let device = try DeviceID(of: door)
        try #require(log.seen.map(\.device) == [device] && log.seen[0].isPaired == false && log.seen[0].category == 4)
        try #require(log.seen[0].name == "Garage" && log.seen[0].addresses == ["\(it.home.address):\(door.port)"])
        try #require(log.seen[0].setupHash?.count == 4 && log.seen[0].configurationNumber == 1)
        // A second search begins with the accessories that are known.
        let second = Log()
        let other = it.port.search { second.take($0) }
        try await it.world.sleep(for: .milliseconds(1))
        try #require(second.seen.map(\.device) == [device])
        other.close()
        other.close()
        log.clear()
        second.clear()
        _ = try await it.pair(door)
        try await it.world.sleep(for: .seconds(5))
        try #require(log.seen.last?.isPaired == true && log.gone.isEmpty)
        await door.stop()
        try await it.world.sleep(for: .seconds(5))
        try #require(log.gone == [device] && second.news.isEmpty)
        search.close()
        _ = try await it.home.start(Profiles.garage())
        log.clear()
        try await it.world.sleep(for: .seconds(5))
        try #require(log.news.isEmpty)
      }
    }

    @Test("An accessory that changes its name is the same one; after a reset, it is a new one")
    func names() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let device = try DeviceID(of: door)
        let log = Log()
        let world = it.world
        let search = it.port.search { log.take($0, at: world.now) }
        try await it.world.sleep(for: .seconds(5))
        try await door.switchOn(fault: "rival-name")
        try await it.world.sleep(for: .seconds(10))
        // The record of the first name is gone before there is another one, but not for long.
        var list = NewAccessoryList(own: [])
        var changes: [NewAccessoryList.Change] = []
        for (news, time) in zip(log.news, log.times) {
          changes += list.advance(to: time)
          switch news {
          case .seen(let seen) where seen.device != device: break  // the rival
          case .seen(let seen): changes += list.seen(seen)
          case .gone(let device): list.gone(device, at: time)
          case .trouble: break
          }
        }
        changes += list.advance(to: it.world.now)
        let records = log.seen.filter { $0.device == device }
        let last = try #require(records.last)
        try #require(last.name != "Garage" && log.gone.contains(device))
        try #require(changes == [.found(records[0]), .changed(last)])
        log.clear()
        try await door.restart(.factoryReset)
        try await it.world.sleep(for: .seconds(10))
        try #require(log.gone == [device])
        try #require(log.seen.last?.device == (try DeviceID(of: door)) && log.seen.last?.device != device)
        search.close()
      }
    }

    @Test("A slow reader gets only the latest record of each accessory")
    func slowReader() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let log = Log()
        let world = it.world
        let search = it.port.search { news in
          log.take(news)
          try? await world.sleep(for: .seconds(60))
        }
        try await it.world.sleep(for: .seconds(5))
        for count in 1...8 {
          let extra = (1...count).map { #", { "type": "Switch", "name": "S\#($0)" }"# }.joined()
          try await door.replace(by: Profiles.garage(extra: extra))
          try await it.world.sleep(for: .seconds(3))
        }
        try await it.world.sleep(for: .seconds(60))
        try #require(log.seen.count == 2 && log.seen[1].configurationNumber == 9)
        search.close()
      }
    }

    @Test("A slow reader of connections delays no other reader, and many connections share one search")
    func shared() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let lamp = try await it.world.addHost("other").start(Profiles.lamp("Lamp"))
        let (doors, lamps) = (try await it.pair(door), try await it.pair(lamp))
        let world = it.world
        let slow = it.port.open(doors, isNew: true) { _ in try? await world.sleep(for: .seconds(1000)) }
        let device = FollowedDevice(it.port, lamps)
        _ = try await device.connected()
        _ = try await device.database()
        try #require(it.world.now < .seconds(20))
        await slow.close()
        await device.connection.close()
      }
    }
  }
#endif
