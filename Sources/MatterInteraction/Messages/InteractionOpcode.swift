/// The opcodes of the interaction model (protocol 1). Matter 1.4 §10.2.1.
package enum InteractionOpcode: UInt8, Hashable, Sendable {
  case status = 1
  case read = 2
  case subscribe = 3
  case subscribeResponse = 4
  case report = 5
  case write = 6
  case writeResponse = 7
  case invoke = 8
  case invokeResponse = 9
  case timed = 10
}

/// A message of the interaction model, without its headers.
package struct InteractionMessage: Hashable, Sendable {
  package var opcode: InteractionOpcode
  package var payload: [UInt8]

  package init(_ opcode: InteractionOpcode, _ payload: [UInt8]) { (self.opcode, self.payload) = (opcode, payload) }
}
