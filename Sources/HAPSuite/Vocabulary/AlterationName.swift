/// The alterations of a TLV8 message, in the order of the documentation.
package enum AlterationName: String, CaseIterable, Hashable, Sendable {
  case drop
  case set
  case add
  case prepend
  case duplicate
  case flip
  case truncate
  case extend
  case fragment
  case declare
  case reverse
  case move
  case append
  case cut
  case replace
}
