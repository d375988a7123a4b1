import Foundation
import HAPAlmanac
import HAPHome
import HAPModel

/// A value of an app: on its way through a function that waits, or kept for the app.
// Safe: it is a number, a text or data, which nothing changes, or another value that only the app itself gets back.
struct UncheckedValue: @unchecked Sendable {
  let value: Any?
  init(_ value: Any?) { self.value = value }
}

extension Value {
  /// The value that an app wrote. Other types than numbers, texts and data give null, which every format refuses.
  init(written any: Any?, format: Format) {
    switch any {
    case let text as String: self = .string(text)
    case let data as Data: self = .data(Array(data))
    case let number as NSNumber: self.init(number, format)
    default: self = .null
    }
  }

  private init(_ number: NSNumber, _ format: Format) {
    let double = number.doubleValue
    switch format {
    case .bool where double == 0 || double == 1: self = .bool(double == 1)
    case .float: self = .float(double)
    default:
      if let integer = Int128(exactly: double), double.magnitude < 9e15 {
        self = .integer(integer)
      } else if !["f", "d"].contains(String(cString: number.objCType)) {
        self = .integer(double < 0 ? Int128(number.int64Value) : Int128(number.uint64Value))
      } else {
        self = .float(double)
      }
    }
  }

  /// The value that an app gave for a characteristic, in its canonical form.
  /// - Throws: 43 to 46, 51, 3 for a value that the characteristic does not take.
  init(_ any: Any?, for characteristic: HomeCharacteristic) throws(HMError) {
    do throws(HomeError) {
      self = try characteristic.canonical(Value(written: any, format: characteristic.rules.format))
    } catch { throw HMError(error) }
  }

  /// The number of an integer, a float or a Boolean.
  var foundationNumber: NSNumber? {
    switch self {
    case .bool(let bool): NSNumber(value: bool)
    case .integer(let integer):
      Int64(exactly: integer).map { NSNumber(value: $0) } ?? NSNumber(value: UInt64(clamping: integer))
    case .float(let number): NSNumber(value: number)
    case .null, .string, .data: nil
    }
  }

  /// The value as Apple's API has it: NSNumber, NSString or NSData; nil for null.
  var foundationValue: (any NSCopying)? {
    switch self {
    case .null: nil
    case .bool, .integer, .float: foundationNumber
    case .string(let text): NSString(string: text)
    case .data(let bytes): NSData(data: Data(bytes))
    }
  }
}

extension Date {
  package init(_ instant: Instant) {
    self.init(timeIntervalSince1970: TimeInterval(instant.seconds) + TimeInterval(instant.nanosecond) / 1e9)
  }
}

extension Instant {
  /// The moment of a date, in whole milliseconds. A date outside of 1677 to 2262 gives the first or the last instant.
  package init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    guard milliseconds.magnitude < 9.2e15 else {
      self = milliseconds < 0 ? .distantPast : .distantFuture
      return
    }
    self.init(seconds: 0, nanosecond: 0)
    self = advanced(by: .milliseconds(Int64(milliseconds)))
  }
}
