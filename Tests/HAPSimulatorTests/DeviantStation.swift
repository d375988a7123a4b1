@testable import HAPFrontEnds
import HAPDeviations
import HAPDiscovery
import HAPLoop
import HAPWire
import Testing
import WorldTestSupport
@testable import HAPHost

let hapType = DNSName("_hap._tcp.local")!
let oddHost = DNSName("odd-host.local")!

func instance(_ label: String) -> DNSName { hapType.prefixed(by: Array(label.utf8)) }

func oddRecord(_ name: String, sf: Int = 1) -> ServiceRecord {
  ServiceRecord(name: name, port: 1234, txt: [("c#", "1"), ("sf", "\(sf)")], host: "odd-host")
}

/// The claim of another responder to a name of ours.
func otherService(_ label: String) -> DNSRecord {
  DNSRecord(
    instance(label), DNSType.srv, ttl: 120, flushesCache: true,
    .service(priority: 0, weight: 0, port: 9, target: instance("x"))
  )
}

/// A deviating responder on a loop, and its events.
final class DeviantStation: @unchecked Sendable {  // confined to the world's thread
  private let loop: EventLoop
  private var responder: DeviantAdvertiser!

  init(_ host: TestHost) throws {
    loop = try host.makeLoop("odd")
    try loop.performAndWait { self.responder = DeviantAdvertiser(self.loop, on: InterfaceChoice([host.interface])) }
  }

  func publish(
    _ record: ServiceRecord, also: String? = nil, _ manner: ResponderQuirk = ResponderQuirk()
  ) throws -> AsyncStream<AdvertisementEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
    try loop.performAndWait {
      self.responder.manner = manner
      self.responder.also = also
      self.responder.publish(record) { continuation.yield($0) }
    }
    return stream
  }

  func with(_ body: @escaping @Sendable (DeviantAdvertiser) -> Void) throws {
    try loop.performAndWait { body(self.responder) }
  }

  /// Checks that no handle is left.
  func close() throws {
    try loop.performAndWait {
      self.responder.close()
      self.responder.close()
      self.responder = nil
    }
    loop.stop()
    #expect(loop.openHandleCount == 0)
  }
}

extension AsyncStream<AdvertisementEvent> {
  /// The events up to the first `established` or `failed`.
  func upToOutcome() async -> [AdvertisementEvent] {
    var seen: [AdvertisementEvent] = []
    for await event in self {
      seen.append(event)
      switch event {
      case .established, .failed: return seen
      default: break
      }
    }
    return seen
  }
}

extension Neighbour.Packet {
  func answers(_ name: DNSName, _ type: UInt16) -> [DNSRecord] {
    message.isResponse ? message.answers.filter { $0.name == name && $0.type == type } : []
  }
  func tells(_ name: DNSName, _ type: UInt16) -> Bool { answers(name, type).contains { !$0.isGoodbye } }
  /// Whether the packet announces the service.
  func points(to label: String) -> Bool {
    answers(hapType, DNSType.ptr).contains { $0.data == .pointer(instance(label)) && !$0.isGoodbye }
  }
}
