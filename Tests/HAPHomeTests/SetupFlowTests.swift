import HAPModel
import HAPTestSupport
import Testing

@testable import HAPHome
@testable import HAPHomeSetup

@Suite("The steps of adding an accessory")
struct SetupFlowTests {
  private let code = SetupFlowBench.code
  private let lamp = SetupFlowBench.lamp.device
  private let refusal = HomeError(.accessoryIsBusy, nil, "busy")

  @Test("One home: code, accessory, pairing, name and room, done")
  func whole() throws {
    var bench = try SetupFlowBench()
    #expect(bench.step == .code(problem: nil) && bench.actions == [.search])
    bench.send(.found(SetupCandidate(device: lamp, name: "Lamp")))
    bench.send(.code("03145154"))
    #expect(bench.step == .choose(problem: nil))
    bench.send(.choose(lamp))
    #expect(bench.step == .verifying(lamp))
    #expect(bench.actions == [.search, .endSearch, .pair(home: bench.home.id, lamp, code: code)])
    try bench.answer()
    let page = try #require(bench.page)
    #expect(page.name == "Lamp" && page.room == bench.home.roomForEntireHome.id && page.asksRoom)
    bench.send(.answer(name: "Reading Lamp", room: .existing(bench.home.rooms[0].id)))
    #expect(bench.step == .saving(page))
    try bench.settle()
    let accessory = try #require(bench.home.accessories.first)
    #expect(bench.step == .done([accessory.id]) && bench.flow.isOver)
    #expect(accessory.name.text == "Reading Lamp" && accessory.room == bench.home.rooms[0].id)
    #expect(accessory.services.first(where: \.isUserInteractive)?.name.text == "Reading Lamp")
    #expect(bench.flow.model == bench.homes.model)
  }

  @Test("The default answers change nothing")
  func defaults() throws {
    var bench = try SetupFlowBench.atPage()
    let page = try #require(bench.page)
    let before = bench.actions.count
    bench.send(.answer(name: page.name, room: .existing(page.room)))
    #expect(bench.actions.count == before)
    #expect(bench.step == .done(bench.home.accessories.map(\.id)))
  }

  @Test("With several homes, the person chooses one first, unless it is given")
  func severalHomes() throws {
    var bench = try SetupFlowBench(homes: 2)
    #expect(bench.step == .home)
    bench.send(.home(SetupFlowBench.lampID))
    #expect(bench.step == .home, "an unknown home is ignored")
    bench.send(.home(bench.homes.model.homes[1].id))
    #expect(bench.step == .code(problem: nil))
    bench.send(.back)
    #expect(bench.step == .home && bench.flow.home == nil)
    bench.send(.home(bench.homes.model.homes[1].id))
    bench.send(.found(SetupCandidate(device: lamp, name: "Lamp")))
    bench.send(.code(code))
    bench.send(.choose(lamp))
    try bench.settle()
    #expect(bench.homes.model.homes.map(\.accessories.count) == [0, 1])
    #expect(try SetupFlowBench(homes: 2, home: 0).step == .code(problem: nil))
  }

  @Test("Without a home, or for an unknown one, there is no flow")
  func noHome() {
    #expect { try SetupFlow(HomeModel()) } throws: { ($0 as? HomeError)?.code == .notFound }
    #expect(throws: HomeError.self) {
      try SetupFlow(try SetupFlowBench().homes.model, home: SetupFlowBench.lampID)
    }
  }

  // MARK: Codes

  @Test(
    "A text that is no code is refused with the reason, and the code is asked again",
    arguments: [
      ("", "eight digits"), ("031-45-15", "eight digits"), ("123-45-678", "too simple"),
      ("MT:Y.K9042C00KA0648G00", "Matter"),
      ("X-HM://0023ISYWY", "13 characters"), ("x-hm://0023ISYWY7OSX", "capitals"), ("hello", "eight digits"),
    ])
  func wrongCodes(text: String, says: String) throws {
    var bench = try SetupFlowBench()
    bench.send(.code(text))
    guard case .code(let problem?) = bench.step else { throw Wrong() }
    #expect(problem.message.contains(says), "\(problem)")
    bench.send(.code(" 031-45-154\n"))
    #expect(bench.step == .choose(problem: nil))
  }

  struct Wrong: Error {}

  @Test("A payload with a setup ID needs no choice; one without, and one of a Bluetooth accessory, are handled")
  func payloads() throws {
    let secret = try SetupCode(code)
    func payload(_ id: String?, ip: Bool = true, code: Bool = true) -> String {
      SetupPayload(
        category: 5, code: code ? secret : nil, setupID: id.flatMap { SetupID($0) }, supportsIP: ip, supportsBLE: !ip
      ).uri
    }
    var bench = try SetupFlowBench()
    bench.send(.code(payload("7OSX")))
    #expect(bench.step == .verifying(nil))
    #expect(bench.actions.last == .pair(home: bench.home.id, nil, code: payload("7OSX")))
    try bench.settle()
    #expect(bench.page != nil)

    var bluetooth = try SetupFlowBench()
    bluetooth.send(.code(payload("7OSX", ip: false)))
    #expect(bluetooth.problem?.code == .operationNotSupported)
    bluetooth.send(.code(payload("7OSX", code: false)))
    #expect(bluetooth.problem?.message.contains("no setup code") == true)
  }

  @Test("A wrong code leads back to the code, and the next one goes to the same accessory")
  func wrongCode() throws {
    var bench = try SetupFlowBench()
    bench.send(.found(SetupCandidate(device: lamp, name: "Lamp")))
    bench.send(.code("111-22-333"))
    bench.send(.choose(lamp))
    try bench.settle()
    #expect(bench.step == .code(problem: HomeError(.accessoryPairingFailed, nil, "the code is wrong")))
    bench.send(.code(code))
    #expect(bench.step == .verifying(lamp))
    try bench.settle()
    #expect(bench.page != nil)
  }

  @Test("Another error of pairing leads to the list, with a new search")
  func pairingFails() throws {
    var bench = try SetupFlowBench()
    bench.send(.found(SetupCandidate(device: lamp, name: "Lamp")))
    bench.send(.code(code))
    bench.send(.choose(lamp))
    try bench.answer(refusal)
    #expect(bench.step == .choose(problem: refusal) && bench.flow.candidates.isEmpty)
    #expect(bench.actions.last == .search)
    bench.send(.choose(lamp))
    #expect(bench.problem?.code == .notFound, "it has not appeared again")
    bench.send(.found(SetupCandidate(device: lamp, name: "Lamp")))
    bench.send(.choose(lamp))
    try bench.settle()
    #expect(bench.page != nil)
  }

  @Test("A given device is paired without a search")
  func givenDevice() throws {
    var bench = try SetupFlowBench(device: SetupFlowBench.lamp)
    #expect(bench.actions.isEmpty)
    bench.send(.code(code))
    #expect(bench.actions == [.pair(home: bench.home.id, lamp, code: code)])
    try bench.answer(refusal)
    #expect(bench.step == .choose(problem: refusal) && bench.actions.last == .search)
  }

  // MARK: The list

  @Test("The list has each accessory once, in the order of appearance, and loses those that disappear")
  func candidates() throws {
    var bench = try SetupFlowBench()
    let bridge = SetupFlowBench.bridge.device
    bench.send(.found(SetupCandidate(device: lamp, name: "Lamp")))
    bench.send(.found(SetupCandidate(device: bridge, name: "Bridge")))
    bench.send(.found(SetupCandidate(device: lamp, name: "Lamp", category: 5)))
    #expect(bench.flow.candidates.map(\.device) == [lamp, bridge] && bench.flow.candidates[0].category == 5)
    bench.send(.gone(lamp))
    #expect(bench.flow.candidates.map(\.device) == [bridge])
    bench.send(.code(code))
    bench.send(.back)
    #expect(bench.step == .code(problem: nil))
    bench.send(.cancel)
    bench.send(.found(SetupCandidate(device: lamp, name: "Lamp")))
    #expect(bench.flow.candidates.map(\.device) == [bridge], "after the search, nothing is added")
  }

  // MARK: Pages

  @Test("A bridge has a page for each bridged accessory; the room of one is the default of the next")
  func bridge() throws {
    var bench = try SetupFlowBench.atPage(SetupFlowBench.bridge)
    #expect(bench.page?.name == "Left")
    bench.send(.answer(name: "Desk", room: .new("Study")))
    try bench.settle()
    let study = try #require(bench.home.rooms.last)
    #expect(study.name.text == "Study" && bench.page?.name == "Right" && bench.page?.room == study.id)
    bench.send(.back)
    #expect(bench.page?.name == "Desk" && bench.page?.room == study.id)
    let page = try #require(bench.page)
    bench.send(.answer(name: page.name, room: .existing(page.room)))
    #expect(bench.page?.name == "Right")
    bench.send(.answer(name: "Right", room: .existing(study.id)))
    try bench.settle()
    #expect(bench.step == .done(bench.home.accessories.map(\.id)))
    #expect(bench.home.accessories.map(\.name.text) == ["Bridge", "Desk", "Right"])
    #expect(bench.home.accessories.map { $0.room == study.id } == [false, true, true])
  }

  @Test("A device without services for people has no page")
  func bare() throws {
    let bench = try SetupFlowBench.atPage(SetupFlowBench.bare)
    #expect(bench.step == .done(bench.home.accessories.map(\.id)))
  }

  @Test("A refused name stays on the page with the rule; the parts that were saved stay")
  func refusedName() throws {
    var bench = try SetupFlowBench.atPage(SetupFlowBench.bridge)
    bench.send(.answer(name: "Kitchen 1", room: .new("Study")))
    try bench.settle()
    #expect(bench.problem?.rule == .n2 && bench.page?.name == "Left")
    bench.send(.answer(name: "Desk", room: .new("Kitchen 1")))
    try bench.settle()
    #expect(bench.problem?.rule == .n2 && bench.page?.name == "Desk", "the name is saved, the room refused")
    bench.send(.answer(name: "Desk", room: .existing(bench.home.rooms[0].id)))
    try bench.settle()
    #expect(bench.page?.name == "Right")
  }

  // MARK: Cancelling

  @Test("Cancelled before pairing, the flow ends without a request")
  func cancelEarly() throws {
    for steps in 0...2 {
      var bench = try SetupFlowBench(homes: 2)
      if steps > 0 { bench.send(.home(bench.home.id)) }
      if steps > 1 { bench.send(.code(code)) }
      bench.send(.cancel)
      #expect(bench.step == .cancelled && bench.open.isEmpty && bench.actions == [.search, .endSearch])
    }
  }

  @Test("Cancelled while the hub pairs: if that succeeds, the pairing is removed")
  func cancelPairing() throws {
    for succeeds in [true, false] {
      var bench = try SetupFlowBench(device: SetupFlowBench.lamp)
      bench.send(.code(code))
      bench.send(.cancel)
      #expect(bench.step == .cancelling)
      bench.send(.cancel)
      try bench.answer(succeeds ? nil : refusal)
      if succeeds { #expect(bench.open == [.remove(bench.home.accessories[0].id)]) }
      try bench.settle()
      #expect(bench.step == .cancelled && bench.home.accessories.isEmpty)
    }
  }

  @Test("Cancelled on a page, or while the hub saves it, the device is removed with all its accessories")
  func cancelPage() throws {
    for isSaving in [false, true] {
      for isRefused in [false, true] {
        var bench = try SetupFlowBench.atPage(SetupFlowBench.bridge)
        if isSaving { bench.send(.answer(name: "Desk", room: .new("Study"))) }
        bench.send(.cancel)
        if isSaving { try bench.answer(isRefused ? refusal : nil) }
        #expect(bench.open == [.remove(bench.home.accessories[0].id)])
        try bench.settle()
        #expect(bench.step == .cancelled && bench.home.accessories.isEmpty)
      }
    }
  }

  @Test("If the pairing can't be removed, the flow ends with the error")
  func removalFails() throws {
    var bench = try SetupFlowBench.atPage()
    bench.send(.cancel)
    try bench.answer(refusal)
    #expect(bench.step == .failed(refusal))
  }

  // MARK: Other apps

  @Test("An accessory that another app removes has no page; without accessories, the flow fails")
  func removedMeanwhile() throws {
    var bench = try SetupFlowBench.atPage(SetupFlowBench.bridge)
    let changes = try bench.homes.perform(.removeAccessory(bench.home.accessories[0].id))
    bench.send(.changed(changes))
    guard case .failed(let error) = bench.step else { throw Wrong() }
    #expect(error.rule == .o1)

    var cancelled = try SetupFlowBench.atPage()
    _ = try cancelled.homes.perform(.removeAccessory(cancelled.home.accessories[0].id))
    cancelled.send(.answer(name: "X", room: .existing(cancelled.home.roomForEntireHome.id)))
    try cancelled.settle()
    #expect(cancelled.problem?.rule == .o1)
  }

  @Test("If another app removes the home, the flow fails and the search ends")
  func homeRemoved() throws {
    var bench = try SetupFlowBench()
    bench.send(.changed(try bench.homes.perform(.removeHome(bench.home.id))))
    guard case .failed = bench.step else { throw Wrong() }
    #expect(bench.actions == [.search, .endSearch])
  }

  // MARK: Inputs that do not belong to the step

  @Test("An input of another step, and an answer that was not asked for, change nothing")
  func foreignInputs() throws {
    let inputs: [SetupFlow.Input] = [
      .home(SetupFlowBench.lampID), .choose(lamp), .answer(name: "X", room: .new("Y")), .paired([], []), .performed([]),
      .refused(refusal),
    ]
    var benches = [try SetupFlowBench(), try SetupFlowBench.atPage(), try SetupFlowBench(homes: 2)]
    var verifying = try SetupFlowBench(device: SetupFlowBench.lamp)
    verifying.send(.code(code))
    var done = try SetupFlowBench.atPage(SetupFlowBench.bare)
    done.send(.cancel)
    benches += [verifying, done]
    for (index, start) in benches.enumerated() {
      for input in inputs + [.code(code)] {
        var bench = start
        switch (input, bench.step) {
        case (.code, .code), (.answer, .page), (.refused, .verifying): continue
        default: break
        }
        bench.send(input)
        #expect(bench.step == start.step && bench.actions == start.actions, "\(index): \(input)")
      }
    }
  }

  @Test(
    "Random inputs and answers: one answer is missing at most, and no pairing is left after cancelling",
    arguments: 1...400)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    /// Returns true in this percentage of calls.
    func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    var bench = try SetupFlowBench(homes: happens(30) ? 2 : 1)
    let devices = [SetupFlowBench.lamp, SetupFlowBench.bridge, SetupFlowBench.bare].map(\.device)
    for _ in 0..<80 where !bench.flow.isOver {
      if !bench.open.isEmpty, happens(60) {
        try bench.answer(happens(25) ? refusal : nil)
      } else {
        let rooms = bench.home.rooms.map { SetupRoom.existing($0.id) } + [.new("Room \(happens(50) ? "A" : "B")")]
        let inputs: [SetupFlow.Input] = [
          .home(bench.homes.model.homes[0].id), .code(happens(80) ? code : "123"),
          .found(SetupCandidate(device: devices.randomElement(using: &random) ?? lamp, name: "New")),
          .choose(devices.randomElement(using: &random) ?? lamp), .gone(lamp),
          .answer(name: happens(50) ? "Name A" : "Kitchen 1", room: rooms.randomElement(using: &random) ?? .new("A")),
          .back, happens(10) ? .cancel : .back,
        ]
        bench.send(inputs.randomElement(using: &random) ?? .back)
      }
      #expect(bench.open.count <= 1)
      #expect(bench.flow.model == bench.homes.model)
    }
    bench.send(.cancel)
    try bench.settle()
    #expect(bench.flow.isOver)
    if bench.step == .cancelled { #expect(bench.homes.model.homes.flatMap(\.accessories).isEmpty) }
    let searches = bench.actions.filter { $0 == .search || $0 == .endSearch }
    for (first, second) in zip(searches, searches.dropFirst()) { #expect(first != second) }
    #expect(searches.last == .endSearch)
  }
}

extension SetupFlowBench {
  /// An identifier of no home.
  static var lampID: HomeObjectID {
    var random = SeededGenerator(seed: 99)
    return HomeObjectID.random(using: &random)
  }
}
