/// A kind of population.
package enum SwarmPopulation: String, CaseIterable, Sendable {
  /// Accessories with HAP controllers.
  case accessories
  /// Accessories that are served over HAP and Matter, with controllers of both protocols.
  case nodes
}

/// A word of the vocabulary of runs.
package protocol SwarmWord: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {
  /// Whether it belongs to Matter, and not to the population `accessories`.
  var isOfMatter: Bool { get }
}

extension SwarmWord {
  /// The words of a population, in a fixed order.
  package static func all(of population: SwarmPopulation) -> [Self] {
    allCases.filter { population == .nodes || !$0.isOfMatter }
  }
}

/// An action of a controller or a person in a swarm.
package enum SwarmOperation: String, SwarmWord {
  case pair
  case wrongCode = "wrong-code"
  case open
  case read
  case write
  case timedWrite = "timed-write"
  case subscribe
  case unsubscribe
  case database
  case addPairing = "add-pairing"
  case removePairing = "remove-pairing"
  case listPairings = "list-pairings"
  case close
  /// A person changes a value at the accessory.
  case set
  /// The accessory serves a profile with one more service.
  case reconfigure
  case factoryReset = "factory-reset"

  // Matter.
  case commission
  case wrongPasscode = "wrong-passcode"
  /// A session with the whole handshake.
  case connect
  /// A session with the secret of an earlier one.
  case resume
  case endSession = "end-session"
  case readAttribute = "read-attribute"
  /// A read of all attributes of a cluster, in one message.
  case readCluster = "read-cluster"
  /// A read of all attributes of all endpoints.
  case readAll = "read-all"
  case readEvents = "read-events"
  case writeAttribute = "write-attribute"
  case timedAttributeWrite = "timed-attribute-write"
  case command
  case timedCommand = "timed-command"
  case subscribeAttributes = "subscribe-attributes"
  case openWindow = "open-window"
  case removeFabric = "remove-fabric"
  /// The accessory restarts in its process, with or without a goodbye.
  case reboot
  /// A person turns a lamp on or off.
  case switchByHand = "switch-by-hand"

  package var isOfMatter: Bool {
    switch self {
    case .pair, .wrongCode, .open, .read, .write, .timedWrite, .subscribe, .unsubscribe, .database, .addPairing,
      .removePairing, .listPairings, .close, .set, .reconfigure, .factoryReset:
      false
    case .commission, .wrongPasscode, .connect, .resume, .endSession, .readAttribute, .readCluster, .readAll,
      .readEvents, .writeAttribute, .timedAttributeWrite, .command, .timedCommand, .subscribeAttributes, .openWindow,
      .removeFabric, .reboot, .switchByHand:
      true
    }
  }
}

/// A fault in a swarm.
package enum SwarmFault: String, SwarmWord {
  case latency
  case stall
  /// No packet passes between a controller and an accessory.
  case cut
  /// Packets pass in one direction only.
  case halfCut = "half-cut"
  /// The accessory closes all connections.
  case disconnect
  case kill
  case powerLoss = "power-loss"
  /// The process of the accessory dies between two writes to its disk.
  case crashInWrite = "crash-in-write"
  case freeze
  case newAddress = "new-address"
  case diskFull = "disk-full"
  case failingSync = "failing-sync"
  case controllerKill = "controller-kill"
  /// A controller loses power. The accessory keeps connections whose peer is gone.
  case controllerPowerLoss = "controller-power-loss"

  // Datagrams between a controller and an accessory.
  case loss
  /// Some datagrams arrive twice.
  case duplicates
  /// Some datagrams are overtaken by later ones.
  case reordering

  package var isOfMatter: Bool { self == .loss || self == .duplicates || self == .reordering }
}

/// A property that holds in spite of any faults.
package enum SwarmInvariant: String, SwarmWord {
  /// A read returns the last value whose write was answered. After a power loss, older values may reappear.
  case writesAreKept = "writes-are-kept"
  /// Identity and setup code survive each crash.
  case identityIsKept = "identity-is-kept"
  /// The accessory and its controllers agree on the pairings.
  case pairingsAgree = "pairings-agree"
  /// The count of wrong setup codes survives each crash.
  case triesAreKept = "tries-are-kept"
  /// No event is sent to the connection that wrote the value.
  case noEventToWriter = "no-event-to-writer"
  /// A connected subscriber gets an event for each change.
  case noEventLost = "no-event-lost"
  /// No event is sent without a subscription, or after its end.
  case noEventUnsubscribed = "no-event-unsubscribed"
  /// Every frame of a session can be opened with the next counter.
  case countersAreUnique = "counters-are-unique"
  /// `c#` increases if the database changes, and stays otherwise.
  case configurationRises = "configuration-rises"
  /// Each request is answered, or its connection ends.
  case requestsAreAnswered = "requests-are-answered"
  /// No answer takes longer than its limit while there is no fault.
  case waitsAreBounded = "waits-are-bounded"
  /// At the end, an accessory has as many sockets and handles as after its start.
  case memoryReturns = "memory-returns"
  /// Answers are well-formed and have the expected status.
  case answersAreSound = "answers-are-sound"

  // Matter.
  /// A commissioning that was answered survives each crash; another one is whole or undone.
  case commissioningsAreKept = "commissionings-are-kept"
  /// A controller of a removed fabric gets no session and no answer.
  case removalsAreKept = "removals-are-kept"
  /// The removal of a fabric does not end sessions and subscriptions of other fabrics.
  case removalsHarmNobody = "removals-harm-nobody"
  /// At rest, HAP and Matter read the same values.
  case protocolsAgree = "protocols-agree"
  /// A subscription has the present values within its intervals, or has ended at both ends.
  case subscriptionsConverge = "subscriptions-converge"
  /// The tables of a node have limits. At rest, no exchange and no handshake is open.
  case tablesAreBounded = "tables-are-bounded"
  /// The numbers of events rise, also over restarts. A number belongs to one event.
  case eventNumbersRise = "event-numbers-rise"
  /// The data version of a cluster changes when its data changes, and only then.
  case versionsFollowData = "versions-follow-data"
  /// At rest, the records of a node are those of its fabrics and of its window.
  case recordsAreTrue = "records-are-true"

  package var isOfMatter: Bool {
    switch self {
    case .writesAreKept, .identityIsKept, .pairingsAgree, .triesAreKept, .noEventToWriter, .noEventLost,
      .noEventUnsubscribed, .countersAreUnique, .configurationRises, .requestsAreAnswered, .waitsAreBounded,
      .memoryReturns, .answersAreSound:
      false
    case .commissioningsAreKept, .removalsAreKept, .removalsHarmNobody, .protocolsAgree, .subscriptionsConverge,
      .tablesAreBounded, .eventNumbersRise, .versionsFollowData, .recordsAreTrue:
      true
    }
  }
}

/// One invariant that did not hold.
package struct SwarmViolation: Sendable, Equatable, CustomStringConvertible {
  package let invariant: SwarmInvariant
  package let text: String

  package var description: String { "\(invariant.rawValue): \(text)" }
}
