import HAPWire
import MatterWire

/// How an end wants to be sent messages. Matter 1.4 §4.12.8, §4.13.1.
package struct SessionParameters: Hashable, Sendable {
  /// The wait before the first retransmission to an idle end (SII).
  package var idleInterval = Duration.milliseconds(500)
  /// The same while it is active (SAI).
  package var activeInterval = Duration.milliseconds(300)
  /// How long it is active after a message (SAT).
  package var activeThreshold = Duration.milliseconds(4000)
  package var dataModelRevision: UInt16 = 18
  package var interactionModelRevision: UInt16 = 12
  package var specification: UInt32 = 0x0104_0000
  package var mostPathsPerInvoke: UInt16 = 1

  package init() {}

  /// Appends the structure.
  package func encode(_ tag: ElementTag, into buffer: inout ByteBuffer) {
    func milliseconds(_ duration: Duration) -> UInt64 { UInt64(max(0, duration / .milliseconds(1))) }
    buffer.openContainer(tag, .structure)
    buffer.appendElement(.context(1), unsigned: milliseconds(idleInterval))
    buffer.appendElement(.context(2), unsigned: milliseconds(activeInterval))
    buffer.appendElement(.context(3), unsigned: milliseconds(activeThreshold))
    buffer.appendElement(.context(4), unsigned: UInt64(dataModelRevision))
    buffer.appendElement(.context(5), unsigned: UInt64(interactionModelRevision))
    buffer.appendElement(.context(6), unsigned: UInt64(specification))
    buffer.appendElement(.context(7), unsigned: UInt64(mostPathsPerInvoke))
    buffer.closeContainer()
  }

  /// Reads a structure; members that are absent or out of range keep their defaults.
  package init(_ element: Element?) {
    guard let element else { return }
    func number(_ tag: UInt8, _ limit: UInt64) -> UInt64? {
      guard case .unsigned(let number) = element[tag], number <= limit else { return nil }
      return number
    }
    // Intervals of more than an hour are not allowed. Matter 1.4 §4.3.4.
    if let value = number(1, 3_600_000) { idleInterval = .milliseconds(Int64(value)) }
    if let value = number(2, 3_600_000) { activeInterval = .milliseconds(Int64(value)) }
    if let value = number(3, 65_535) { activeThreshold = .milliseconds(Int64(value)) }
    if let value = number(4, 65_535) { dataModelRevision = UInt16(value) }
    if let value = number(5, 65_535) { interactionModelRevision = UInt16(value) }
    if let value = number(6, 0xFFFF_FFFF) { specification = UInt32(value) }
    if let value = number(7, 65_535) { mostPathsPerInvoke = UInt16(value) }
  }
}
