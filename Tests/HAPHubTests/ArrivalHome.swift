#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPModel
  import Testing

  @testable import HAPHub

  /// A home with a lock and a lamp, whose trigger is the lock.
  enum ArrivalHome {
    static func devices() -> [ScriptedDevice] {
      [ScriptedDevice(Script.id(1), [Script.lock("Lock")]), Script.lampDevice(2, "Lamp")]
    }

    /// A home in which an unlocked lock switches the lamp on.
    static func prepare(_ bench: HubBench, condition: Condition? = nil) async throws -> TestApp {
      let app = try await bench.attach("a")
      try await app.setUp(bench)
      try await app.addSet("Light", [HomeAction(try app.id("Lamp", .on), .bool(true))])
      let event = HomeEvent.characteristic(try app.id("Lock", .lockCurrent), equals: .integer(0))
      try await app.addTrigger(
        "arrived", .event(EventTrigger(events: [event], condition: condition)), runs: "Light")
      await bench.settle()
      app.forget()
      return app
    }

    /// The same, with a condition, in a home that exists.
    static func prepareOnly(_ bench: HubBench, _ app: TestApp, _ condition: Condition) async throws -> TestApp {
      try await app.addSet("Light", [HomeAction(try app.id("Lamp", .on), .bool(true))])
      let event = HomeEvent.characteristic(try app.id("Lock", .lockCurrent), equals: .integer(0))
      try await app.addTrigger(
        "arrived", .event(EventTrigger(events: [event], condition: condition)), runs: "Light")
      await bench.settle()
      return app
    }
  }
#endif
