import HAPAttributes
import HAPIP
import HAPModel
import HAPWire
import MatterBridge
import MatterInteraction
import MatterModel
import MatterWire

/// The endpoints of a recorded accessory as a Matter node, without endpoint 0. Executes the recorded writes and commands
/// of controllers again, and compares the results and the values that were read.
///
/// Sessions, access control, subscriptions and endpoint 0 depend on keys and are not repeated.
final class ReplayedNode {
  private let attributes: AttributeServer
  private lazy var session = AttributeSession(controller: Array("Matter".utf8), connection: self, frontEnd: self)
  private lazy var accessory = MappedAccessory(
    attributes, session, MappingOverrides(choices, in: attributes.database), numbers: numbers, nodeID: state.nodeID,
    vendor: state.vendor, settings: settings
  ) { 0 }
  private let state: MatterEndpointState
  /// Of the profile at the start.
  private let choices: MatterChoices
  private let numbers: EndpointNumbers
  private let settings: [AttributePath: Element.Value]
  /// The writes that the executed requests have made, and that the capture has to contain next.
  private var made: [[WrittenValue]] = []
  /// Whether all of the last request was executed, so that its recorded writes have to be made, too.
  private var isExecuted = false
  /// The values that the device was asked for.
  private var requested: [AttributeID]?
  private(set) var comparisons = 0
  /// The first result that is not as recorded.
  private(set) var difference: CaptureReplay.MatterDifference?
  /// The line of the first request that suppresses its answer: whether it was allowed, and what it has changed, is not
  /// known. From there on nothing is executed or compared, and writes are made as recorded. nil: there is none.
  private(set) var end: Int?

  /// - Throws: if the state is none that a node can have.
  init(
    _ attributes: AttributeServer, _ state: MatterEndpointState, _ choices: MatterChoices, at time: Duration
  ) throws(ReplayedCore.Refusal) {
    (self.attributes, self.state, self.choices) = (attributes, state, choices)
    try Self.check(attributes.database)
    do throws(EndpointNumbersError) { numbers = try EndpointNumbers(bytes: state.numbers) } catch {
      throw ReplayedCore.Refusal(message: error.description)
    }
    guard let settings = NodeSettings(bytes: state.settings) else {
      throw ReplayedCore.Refusal(message: "the settings of the node can't be read")
    }
    self.settings = settings.values
    session.getsEventsAtOnce = true
    attributes.open(session)
    accessory.now = time
    accessory.onRequest = { [unowned self] request in
      switch request {
      case .write(let writes):
        made.append(writes.compactMap { write in write.value.map { WrittenValue(write.id, $0) } })
      case .ask(let ids): requested = ids
      }
    }
    accessory.subscribe()
  }

  // MARK: Inputs

  func databaseWasReplaced(_ choices: MatterChoices, at time: Duration) throws(ReplayedCore.Refusal) {
    try Self.check(attributes.database)
    accessory.now = time
    _ = accessory.databaseWasReplaced(MappingOverrides(choices, in: attributes.database))
  }

  /// The conversions of Matter need values and limits that a profile can have.
  private static func check(_ database: AttributeDatabase) throws(ReplayedCore.Refusal) {
    let isFinite = database.characteristics.allSatisfy { characteristic in
      let limits = characteristic.constraints
      return [characteristic.value, limits.minValue, limits.maxValue, limits.minStep].allSatisfy { value in
        if case .float(let number)? = value { number.isFinite } else { true }
      }
    }
    guard isFinite else { throw ReplayedCore.Refusal(message: "a number of the database is not finite") }
  }

  /// A recorded write. If the executed requests have not made it, it is made as recorded.
  func wrote(_ values: [WrittenValue], at time: Duration, line: Int) {
    // The run ends its countdowns with a timer, which can be late. Each of those ends that changes a value writes it.
    if made.isEmpty, end == nil { advance(to: time) } else { accessory.now = time }
    guard !made.isEmpty else {
      if isExecuted { compare("the write of a request", values.map(\.text), [], line) }
      var transaction = WriteTransaction()
      transaction.writes = values.map { AttributeWrite($0.id, value: $0.value) }
      _ = attributes.write(&transaction, isTimed: true, by: session, at: time)
      return
    }
    let now = made.removeFirst()
    compare("the write of a request", values.map(\.text), now.map(\.text), line)
  }

  /// A recorded request of values to the device.
  func asked(_ ids: [AttributeID], at time: Duration) throws(ReplayedCore.Refusal) {
    accessory.now = time
    requested = nil
    if accessory.askDevice(), requested == ids { return }
    if let unknown = ids.first(where: { !attributes.isLive($0, for: session) }) {
      throw ReplayedCore.Refusal(message: "the device is not asked for \(unknown)")
    }
    if requested == nil { attributes.askDevice(for: ids, of: session, at: time) }
  }

  /// A recorded message.
  /// - Parameter answer: the answer to a write or a command that the accessory has sent; nil: there is none.
  func took(_ message: MatterMessage, answer: MatterMessage?, at time: Duration, line: Int) {
    guard !message.isRepeated, message.session != .unsecured, message.protocolID == 1,
      let opcode = InteractionOpcode(rawValue: message.opcode)
    else { return }
    // The writes of a request come before the next message.
    for extra in made { compare("the write of a request", [], extra.map(\.text), line) }
    made = []
    isExecuted = false
    accessory.now = time
    if message.isReceived, answer == nil, Self.suppressesAnswer(opcode, message.payload) { end = end ?? line }
    switch (opcode, message.isReceived) {
    case _ where end != nil: break
    case (.invoke, true): invoke(message.payload, answer, line)
    case (.write, true): write(message.payload, answer, line)
    case (.report, false): compareReport(message.payload, line)
    default: break
    }
    _ = accessory.takeChanges()
    _ = accessory.takeEvents()
  }

  private func advance(to time: Duration) {
    accessory.now = time
    _ = accessory.advance(to: time)
  }

  // MARK: Requests

  private func invoke(_ payload: [UInt8], _ answer: MatterMessage?, _ line: Int) {
    guard let answer, let request = try? InvokeRequest(decoding: payload), let command = request.items.first,
      let response = try? InvokeResponse(decoding: answer.payload)
    else { return }
    let endpoints = response.items.map { Self.endpoint(of: $0, command) }
    isExecuted = !response.hasMore && !endpoints.isEmpty && !endpoints.contains(nil)
    for (item, endpoint) in zip(response.items, endpoints) {
      guard let endpoint else { continue }
      let path = CommandPath(endpoint, command.path.cluster, command.path.command)
      let fields = Element(.anonymous, .container(.structure, command.fields))
      let outcome = accessory.invoke(path, fields, for: Self.subject)
      compare(CommandPattern(endpoint, path.cluster, path.command).text(isResponse: false), item.outcome, outcome, line)
    }
  }

  /// The endpoint of the result of a command, if the accessory can have given it; nil: it was not asked.
  private static func endpoint(of item: InvokeResponse.Item, _ command: InvokeRequest.Item) -> EndpointNumber? {
    guard item.path.cluster == command.path.cluster, let endpoint = item.path.endpoint, endpoint > 0 else { return nil }
    if case .status(let status) = item.outcome, !status.isOfAccessory { return nil }
    return endpoint
  }

  private func write(_ payload: [UInt8], _ answer: MatterMessage?, _ line: Int) {
    guard let answer, let request = try? WriteRequest(decoding: payload),
      let response = try? WriteResponse(decoding: answer.payload)
    else { return }
    // A request can have an attribute twice. Its results are in its order.
    var items = request.items
    isExecuted = !response.items.isEmpty
    for result in response.items {
      let item = items.firstIndex { $0.path == result.path }.map { items.remove(at: $0) }
      guard let item, let path = result.path.path, path.endpoint > 0, result.status.isOfAccessory else {
        isExecuted = false
        continue
      }
      var status = InteractionStatus.success
      do throws(InteractionStatus) { try accessory.write(path, item.change, for: Self.subject) } catch {
        status = error
      }
      compare("the write of " + result.path.text, result.status.text, status.text, line)
    }
  }

  /// Whether a message is a write or a command to an endpoint other than 0, and asks for no answer.
  private static func suppressesAnswer(_ opcode: InteractionOpcode, _ payload: [UInt8]) -> Bool {
    switch opcode {
    case .invoke:
      guard let request = try? InvokeRequest(decoding: payload) else { return false }
      return request.suppressesResponse && request.items.contains { $0.path.endpoint != 0 }
    case .write:
      guard let request = try? WriteRequest(decoding: payload) else { return false }
      return request.suppressesResponse && request.items.contains { $0.path.endpoint != 0 }
    default: return false
    }
  }

  /// The sender of repeated requests. It decides nothing: the access control list has allowed them.
  private static let subject = Subject.node(1, fabric: 1, tags: [])

  private func compareReport(_ payload: [UInt8], _ line: Int) {
    guard let report = try? ReportData(decoding: payload) else { return }
    for attribute in report.attributes {
      guard let path = attribute.path.path, path.endpoint > 0, GlobalAttribute(rawValue: path.attribute) == nil
      else { continue }
      switch attribute.content {
      // A list can be in several parts.
      case .change(.append, _), .change(.replace(.container(.array, _)), _): continue
      case .change(.replace(let value), _):
        compare(attribute.path.text, value.text(hidesOctets: false), shown(path), line)
      case .status(let status):
        if status.isOfAccessory { compare(attribute.path.text, status.text, shown(path), line) }
      }
    }
  }

  /// The present value of an attribute, or the status with which its read is refused.
  private func shown(_ path: AttributePath) -> String {
    var buffer = ByteBuffer()
    do throws(InteractionStatus) {
      try accessory.read(path, for: Self.subject, isFabricFiltered: true, tag: .anonymous, into: &buffer)
    } catch { return error.text }
    return (try? Element(decoding: buffer.bytes))?.value.text(hidesOctets: false) ?? "no value"
  }

  // MARK: Comparison

  private func compare(_ what: String, _ then: CommandOutcome, _ now: CommandOutcome, _ line: Int) {
    func text(_ outcome: CommandOutcome) -> String {
      switch outcome {
      case .status(let status): status.text
      case .response(let command, let fields): "response \(command) \(fields.text(hidesOctets: false))"
      }
    }
    compare(what, text(then), text(now), line)
  }

  private func compare<Result: Equatable>(_ what: String, _ then: Result, _ now: Result, _ line: Int) {
    comparisons += 1
    guard difference == nil, then != now else { return }
    difference = CaptureReplay.MatterDifference(line: line, what: what, then: "\(then)", now: "\(now)")
  }
}

extension ReplayedNode: AttributeFrontEnd {
  func isAdmin(_ session: AttributeSession) -> Bool { true }

  func sendEvents(of session: AttributeSession, at now: Duration) {
    let events = session.waitingEvents
    session.didSendEvents(at: now)
    accessory.now = now
    _ = accessory.mark(events: events)
  }

  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {
    switch request {
    case .read(let failures): accessory.deviceAnswered(failures: failures)
    case .write(let transaction): _ = accessory.finished(transaction)
    }
  }

  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {}
  func reportMissing(_ id: AttributeID, in session: AttributeSession) {}
}

extension WrittenValue {
  fileprivate var text: String { "\(id) = \(value)" }
}

extension InteractionStatus {
  /// Whether the accessory itself can have given the status. Others come from the interaction model, before the accessory
  /// is asked: without access, without the path, or at the wrong time.
  fileprivate var isOfAccessory: Bool {
    switch code {
    case .unsupportedAccess, .accessRestricted, .unsupportedEndpoint, .unsupportedCluster, .unsupportedCommand,
      .unsupportedAttribute, .needsTimedInteraction, .timedRequestMismatch, .timeout, .dataVersionMismatch,
      .resourceExhausted:
      false
    default: true
    }
  }
}
