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
  /// The front ends that each run has in addition to the one over IP. The list is empty today.
  package var frontEnds: [FrontEndMaker] = []

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
}
