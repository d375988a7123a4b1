import HomeKit

// Foundation on Linux has an unusable NSComparisonPredicate of its own. A file that imports the rest by name has no
// conflict, and compiles on Apple's systems, too.
import struct Foundation.DateComponents
import class Foundation.NSCompoundPredicate
import class Foundation.NSPredicate

extension NSPredicate {
  /// The condition of a trigger for the person, such as "the time is before 22:00".
  var conditionText: String {
    if let compound = self as? NSCompoundPredicate {
      // Apple's type of the parts is [Any].
      let parts = (compound.subpredicates as [Any]).compactMap { ($0 as? NSPredicate)?.conditionText }
      return parts.joined(separator: compound.compoundPredicateType == .or ? " or " : " and ")
    }
    guard let comparison = self as? NSComparisonPredicate, comparison.leftExpression.isNow,
      let time = comparison.rightExpression.constantTime
    else { return "another condition is true" }
    switch comparison.predicateOperatorType {
    case .lessThan: return "the time is before \(time.clockText)"
    case .greaterThanOrEqualTo: return "the time is after \(time.clockText)"
    default: return "the time is \(time.clockText)"
    }
  }
}

extension NSExpression {
  /// Whether it is the present time.
  fileprivate var isNow: Bool { expressionType == .function && function == "now" }

  /// The time that it is; nil: it is something else.
  fileprivate var constantTime: DateComponents? {
    expressionType == .constantValue ? constantValue as? DateComponents : nil
  }
}

extension DateComponents {
  /// "22:00".
  var clockText: String {
    func part(_ number: Int?) -> String { "\((number ?? 0) / 10)\((number ?? 0) % 10)" }
    return "\(part(hour)):\(part(minute))"
  }
}
