import HAPFrontEnds
import HAPLoop
import HAPPreparation

/// How an accessory is served: where, with which clock, and who receives its events. The terms apply to every start of
/// the accessory.
package struct ServingTerms {
  package var places: [ListeningPlace]
  /// 0: any port at the first start, and the same port afterwards.
  package var port: UInt16
  package var clock: SimulationClock
  /// The random numbers of the simulation. Keys never come from them.
  var chance: AccessoryChance
  /// Records a start, counted from 1; `nil`: no start is recorded.
  package var capture: (@Sendable (_ start: Int) -> CaptureMaker)?
  /// Receives events, on the loop; `nil`: no events, and requests cost less.
  package var sink: (@Sendable (SimulatorEvent) -> Void)?
  /// If false, only failures are reported, and a request costs as little as without a sink.
  package var tellsAll: Bool
  /// Whether each request is reported too.
  package var tellsRequests = false
  /// Checks the controllers; `nil`: no check, and no cost for requests.
  package var observation: (any RunObservation)?
  /// The front ends. Each run makes its own.
  package var frontEnds: [FrontEndChoice] = [.ip]

  init(
    places: [ListeningPlace], port: UInt16, clock: SimulationClock, chance: AccessoryChance,
    sink: (@Sendable (SimulatorEvent) -> Void)? = nil,
    tellsAll: Bool = true
  ) {
    self.places = places
    self.port = port
    self.clock = clock
    self.chance = chance
    self.sink = sink
    self.tellsAll = tellsAll
  }

  /// Begins the recording of a start, counted from 1; `nil`: the start is not recorded.
  /// - Throws: `LoopError` if the file can't be created, or if the accessory has a front end that does not record what
  ///   it does.
  func makeCapture(of name: String, start: Int) throws(LoopError) -> (any RunCapture)? {
    guard let capture else { return nil }
    guard frontEnds.contains(where: \.isIP), frontEnds.allSatisfy(\.isRecorded) else {
      throw LoopError(
        .other(0),
        "\"\(name)\" can't be captured: a capture records HAP over IP and Matter, and the accessory has another front end"
      )
    }
    return try capture(start)({ [sink] in sink?(SimulatorEvent(accessory: name, .trouble($0))) })
  }
}
