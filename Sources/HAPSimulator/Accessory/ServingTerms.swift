import HAPLoop

/// How an accessory is served: where, in which time, and who is told. It holds for every start of the accessory.
package struct ServingTerms {
  package var places: [ListeningPlace]
  /// 0: any at the first start, the same one from then on.
  package var port: UInt16
  package var clock: SimulationClock
  /// Of the simulation's chance; keys never come from it.
  package var seed: UInt64
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

  package init(
    places: [ListeningPlace], port: UInt16, clock: SimulationClock, seed: UInt64,
    capturePath: (@Sendable (_ start: Int) -> String)? = nil, sink: (@Sendable (SimulatorEvent) -> Void)? = nil,
    tellsAll: Bool = true
  ) {
    self.places = places
    self.port = port
    self.clock = clock
    self.seed = seed
    self.capturePath = capturePath
    self.sink = sink
    self.tellsAll = tellsAll
  }
}
