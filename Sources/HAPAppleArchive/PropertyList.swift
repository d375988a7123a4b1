/// A property list as a value of our own.
enum PropertyList: Equatable, Sendable {
  case null
  case bool(Bool)
  /// libplist doesn't tell -1 from 2⁶⁴-1: whoever knows that a number has no sign reads the bits again.
  case integer(Int64)
  case real(Double)
  case string(String)
  case data([UInt8])
  case date
  /// The place of another object, in an archive.
  case uid(UInt64)
  case array([PropertyList])
  case dictionary([String: PropertyList])
}
