import Foundation

#if !canImport(Darwin)
  /// A comparison of two expressions. Foundation on Linux has no such class; this one has Apple's names. The hub evaluates
  /// it as a part of the condition of a trigger.
  public final class NSComparisonPredicate: NSPredicate {
    /// The operators. The numbers are Apple's. Conditions of HomeKit use the first six.
    public enum Operator: UInt, Sendable {
      /// <
      case lessThan = 0
      /// ≤
      case lessThanOrEqualTo = 1
      /// >
      case greaterThan = 2
      /// ≥
      case greaterThanOrEqualTo = 3
      /// =
      case equalTo = 4
      /// ≠
      case notEqualTo = 5
      /// A regular expression.
      case matches = 6
      /// A pattern with "?" and "*".
      case like = 7
      /// A start of a text.
      case beginsWith = 8
      /// An end of a text.
      case endsWith = 9
      /// An element of a list.
      case `in` = 10
      /// A method of the app.
      case customSelector = 11
      /// A part of a text or of a list.
      case contains = 99
      /// A range.
      case between = 100
    }

    /// The part of the left side that is compared. The numbers are Apple's.
    public enum Modifier: UInt, Sendable {
      /// The value itself.
      case direct = 0
      /// All elements of a list.
      case all = 1
      /// One element of a list.
      case any = 2
    }

    /// The rules for comparing texts. The numbers are Apple's.
    public struct Options: OptionSet, Sendable {
      /// The bits.
      public let rawValue: UInt
      /// Creates a set. Unknown bits are kept.
      public init(rawValue: UInt) { self.rawValue = rawValue }

      /// Ignores case.
      public static let caseInsensitive = Options(rawValue: 1)
      /// Ignores accents.
      public static let diacriticInsensitive = Options(rawValue: 2)
      /// Compares the bytes of the texts.
      public static let normalized = Options(rawValue: 4)
    }

    /// The left side.
    public let leftExpression: NSExpression
    /// The right side.
    public let rightExpression: NSExpression
    /// The part of the left side that is compared.
    public let comparisonPredicateModifier: Modifier
    /// The operator.
    public let predicateOperatorType: Operator
    /// The rules for comparing texts.
    public let options: Options

    /// Creates a comparison.
    public init(
      leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator,
      options: Options = []
    ) {
      (leftExpression, rightExpression) = (lhs, rhs)
      (comparisonPredicateModifier, predicateOperatorType, self.options) = (modifier, type, options)
      super.init(value: false)
    }

    /// Returns nil: comparisons are not archived.
    public required init?(coder: NSCoder) { nil }

    /// Returns false: only the hub evaluates conditions.
    public override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool { false }

    /// The comparison as text, such as `sunset <= now()`.
    public override var predicateFormat: String {
      "\(leftExpression) \(predicateOperatorType.text) \(rightExpression)"
    }

    /// The same as `predicateFormat`.
    public override var description: String { predicateFormat }

    /// Returns the comparison itself, which never changes.
    public override func copy(with zone: NSZone? = nil) -> Any { self }
  }

  extension NSComparisonPredicate.Operator {
    fileprivate var text: String {
      switch self {
      case .lessThan: "<"
      case .lessThanOrEqualTo: "<="
      case .greaterThan: ">"
      case .greaterThanOrEqualTo: ">="
      case .equalTo: "=="
      case .notEqualTo: "!="
      case .matches, .like, .beginsWith, .endsWith, .in, .customSelector, .contains, .between:
        "\(self)".uppercased()
      }
    }
  }
#endif

/// The comparisons of HomeKit's predicates. In a file that also imports Foundation on Linux, the name
/// `NSComparisonPredicate` is ambiguous; `typealias NSComparisonPredicate = HMComparisonPredicate` in the app decides.
public typealias HMComparisonPredicate = NSComparisonPredicate
