import HAPFrontEnds
import HAPLoop
import HAPPreparation

/// How an accessory is served: where, in which time, and who is told. It holds for every start of the accessory.
package struct ServingTerms {
  package var places: [ListeningPlace]
  /// 0: any at the first start, the same one from then on.
  package var port: UInt16
  package var clock: SimulationClock
  /// Keys never come from it.
  var chance: AccessoryChance
  /// Records a start, counted from 1; nil: none is recorded.
  package var capture: (@Sendable (_ start: Int) -> CaptureMaker)?
  /// Is told what happens, on the loop; nil: nothing is told, and a request costs less.
  package var sink: (@Sendable (SimulatorEvent) -> Void)?
  /// False: it is told what goes wrong and nothing else, and a request costs as little as without it.
  package var tellsAll: Bool
  /// Each request is told, too.
  package var tellsRequests = false
  /// Judges controllers; nil: nobody does, and a request costs nothing for it.
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

  /// Begins the record of a start, counted from 1; nil: it is not recorded.
  /// - Throws: `LoopError`: the file can't be made, or the accessory has another front end than the one over IP.
  func makeCapture(of name: String, start: Int) throws(LoopError) -> (any RunCapture)? {
    guard let capture else { return nil }
    guard frontEnds.map(\.isIP) == [true] else {
      throw LoopError(
        .other(0),
        "\"\(name)\" can't be captured: a capture records HAP over IP, and the accessory has another front end")
    }
    return try capture(start)({ [sink] in sink?(SimulatorEvent(accessory: name, .trouble($0))) })
  }
}
