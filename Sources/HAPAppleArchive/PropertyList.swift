/// A property list as a Swift value.
enum PropertyList: Equatable, Sendable {
  case null
  case bool(Bool)
  /// libplist doesn't distinguish -1 from 2⁶⁴-1. A reader of an unsigned number must reinterpret the bits.
  case integer(Int64)
  case real(Double)
  case string(String)
  case data([UInt8])
  case date
  /// The position of another object in an archive.
  case uid(UInt64)
  case array([PropertyList])
  case dictionary([String: PropertyList])
}
