import HAPModel
import Testing

@testable import HAPAccessoryPort

/// Checked: these tests fail with `<` instead of `<=` for the time; without the filter; if `forgive` keeps the times.
@Suite("Violations of the protocol") struct ViolationCounterTests {
  private static let lamp = DeviceID(bytes: [0, 0, 0, 0, 0, 1])!
  private static let other = DeviceID(bytes: [0, 0, 0, 0, 0, 2])!

  @Test("The third violation within ten minutes blocks the device, and no other one")
  func third() {
    var counter = ViolationCounter()
    #expect(counter.violation(of: Self.lamp, at: .seconds(5)) == false)
    #expect(counter.violation(of: Self.lamp, at: .seconds(300)) == false)
    #expect(counter.violation(of: Self.other, at: .seconds(301)) == false)
    #expect(counter.violation(of: Self.lamp, at: .seconds(605)) == true)
    #expect(counter.blocked == [Self.lamp])
    #expect(counter.violation(of: Self.lamp, at: .seconds(606)) == false, "it is blocked only once")
  }

  @Test("A violation counts for ten minutes, and not a nanosecond longer")
  func window() {
    var counter = ViolationCounter()
    #expect(counter.violation(of: Self.lamp, at: .zero) == false)
    #expect(counter.violation(of: Self.lamp, at: .seconds(1)) == false)
    #expect(counter.violation(of: Self.lamp, at: .seconds(600) + .nanoseconds(1)) == false)
    #expect(counter.violation(of: Self.lamp, at: .seconds(601) + .nanoseconds(1)) == false)
    #expect(counter.blocked.isEmpty)
    #expect(counter.violation(of: Self.lamp, at: .seconds(1200)) == true)
    var atEnd = ViolationCounter()
    for time in [Duration.zero, .seconds(1)] { #expect(atEnd.violation(of: Self.lamp, at: time) == false) }
    #expect(atEnd.violation(of: Self.lamp, at: .seconds(600)) == true)
  }

  @Test("A forgiven device starts from zero; a device that was blocked before a restart is blocked")
  func forgiven() {
    var counter = ViolationCounter(blocked: [Self.lamp])
    #expect(counter.violation(of: Self.lamp, at: .zero) == false)
    counter.forgive(Self.lamp)
    #expect(counter.blocked.isEmpty)
    for second in 1...2 { #expect(counter.violation(of: Self.lamp, at: .seconds(second)) == false) }
    counter.forgive(Self.lamp)
    for second in 3...4 { #expect(counter.violation(of: Self.lamp, at: .seconds(second)) == false) }
    #expect(counter.violation(of: Self.lamp, at: .seconds(5)) == true)
  }
}

/// Checked: these tests fail if a goodbye removes at once; without the comparison with the known record; if `setOwn`
/// reports nothing; without the limit.
@Suite("New accessories") struct NewAccessoryListTests {
  private static func seen(
    _ number: Int, _ name: String = "Lamp", isPaired: Bool? = false
  ) -> SeenDevice {
    SeenDevice(
      device: id(number), name: name, model: "L1", category: 5, isPaired: isPaired, setupHash: nil,
      configurationNumber: 1, addresses: ["192.0.2.1:80"])
  }

  private static func id(_ number: Int) -> DeviceID {
    DeviceID(bytes: [0, 0, 0, UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)])!
  }

  @Test("An accessory is found once; a changed record is a change, and the same record is nothing")
  func once() {
    var list = NewAccessoryList(own: [])
    #expect(list.seen(Self.seen(1)) == [.found(Self.seen(1))])
    #expect(list.seen(Self.seen(1)) == [])
    #expect(list.seen(Self.seen(1, "Lamp 2")) == [.changed(Self.seen(1, "Lamp 2"))])
    #expect(list.accessories == [Self.seen(1, "Lamp 2")])
  }

  @Test("An accessory with a pairing, without that information, or in a home is not found", arguments: [true, nil])
  func notNew(_ isPaired: Bool?) {
    var list = NewAccessoryList(own: [Self.id(2)])
    #expect(list.seen(Self.seen(1, isPaired: isPaired)) == [])
    #expect(list.seen(Self.seen(2)) == [])
    #expect(list.accessories.isEmpty)
  }

  @Test("An accessory that was paired or added is gone at once, and once")
  func pairedOrAdded() {
    var list = NewAccessoryList(own: [])
    for number in 1...3 { _ = list.seen(Self.seen(number)) }
    #expect(list.seen(Self.seen(1, isPaired: true)) == [.gone(Self.id(1))])
    #expect(list.seen(Self.seen(1, isPaired: true)) == [])
    #expect(list.setOwn([Self.id(3), Self.id(2), Self.id(9)]) == [.gone(Self.id(2)), .gone(Self.id(3))])
    #expect(list.setOwn([Self.id(3)]) == [])
    #expect(list.seen(Self.seen(3)) == [])
    // Removed from the home, its pairing gone, it is new again.
    #expect(list.seen(Self.seen(2)) == [.found(Self.seen(2))])
  }

  @Test("An accessory whose record is gone is gone after 2 s, unless a record returns before")
  func goodbye() {
    var list = NewAccessoryList(own: [])
    _ = list.seen(Self.seen(1))
    list.gone(Self.id(1), at: .seconds(10))
    list.gone(Self.id(1), at: .seconds(11))
    list.gone(Self.id(2), at: .seconds(11))
    #expect(list.nextDeadline == .seconds(12))
    #expect(list.advance(to: .milliseconds(11_999)) == [])
    #expect(list.seen(Self.seen(1, "Lamp (2)")) == [.changed(Self.seen(1, "Lamp (2)"))], "it changed its name")
    #expect(list.nextDeadline == nil)
    for second in 13..<50 {
      list.gone(Self.id(1), at: .seconds(second))
      #expect(list.seen(Self.seen(1, "Lamp (2)")).isEmpty, "it flaps")
      #expect(list.advance(to: .seconds(second)) == [])
    }
    list.gone(Self.id(1), at: .seconds(50))
    #expect(list.advance(to: .seconds(52)) == [.gone(Self.id(1))])
    #expect(list.advance(to: .seconds(60)) == [] && list.accessories.isEmpty)
    #expect(list.seen(Self.seen(1)) == [.found(Self.seen(1))])
  }

  @Test("A start empties the list without reporting it, and accessories are found again")
  func start() {
    var list = NewAccessoryList(own: [])
    _ = list.seen(Self.seen(1))
    list.gone(Self.id(1), at: .zero)
    list.start()
    #expect(list.accessories.isEmpty && list.nextDeadline == nil && list.advance(to: .seconds(9)) == [])
    #expect(list.seen(Self.seen(1)) == [.found(Self.seen(1))])
  }

  @Test("The list is limited, and its accessories stay")
  func limit() {
    var list = NewAccessoryList(own: [])
    for number in 0..<NewAccessoryList.room { #expect(list.seen(Self.seen(number)) != []) }
    #expect(list.seen(Self.seen(NewAccessoryList.room)) == [])
    #expect(list.seen(Self.seen(0, "x")) == [.changed(Self.seen(0, "x"))])
    #expect(list.accessories.count == NewAccessoryList.room)
  }
}
