/// Record types, RFC 1035 §3.2.2 and later RFCs.
package enum DNSType {
  package static let a: UInt16 = 1
  package static let ptr: UInt16 = 12
  package static let txt: UInt16 = 16
  package static let aaaa: UInt16 = 28
  package static let srv: UInt16 = 33
  package static let nsec: UInt16 = 47
  /// Only in questions: all types.
  package static let any: UInt16 = 255
}
