import HAPLoop

/// How an accessory is served: where, in which time, and who is told. It holds for every start of the accessory.
package struct ServingTerms {
  package var places: [ListeningPlace]
  /// 0: any at the first start, the same one from then on.
  package var port: UInt16
  package var clock: SimulationClock
  /// Keys never come from it.
  var chance: AccessoryChance
  /// The file in which a start, counted from 1, is kept; nil: none is.
  package var capturePath: (@Sendable (_ start: Int) -> String)?
  /// Is told what happens, on the loop; nil: nothing is told, and a request costs less.
  package var sink: (@Sendable (SimulatorEvent) -> Void)?
  /// False: it is told what goes wrong and nothing else, and a request costs as little as without it.
  package var tellsAll: Bool
  /// Each request is told, too.
  package var tellsRequests = false
  /// Judges controllers; nil: nobody does, and a request costs nothing for it.
  package var observation: ControllerObservation?

  init(
    places: [ListeningPlace], port: UInt16, clock: SimulationClock, chance: AccessoryChance,
    capturePath: (@Sendable (_ start: Int) -> String)? = nil, sink: (@Sendable (SimulatorEvent) -> Void)? = nil,
    tellsAll: Bool = true
  ) {
    self.places = places
    self.port = port
    self.clock = clock
    self.chance = chance
    self.capturePath = capturePath
    self.sink = sink
    self.tellsAll = tellsAll
  }
}
