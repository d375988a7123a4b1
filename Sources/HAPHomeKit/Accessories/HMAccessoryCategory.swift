import Foundation
import HAPModel

/// The category of an accessory, as its network record has it. HMAccessoryCategory
public final class HMAccessoryCategory: NSObject, Sendable {
  /// The number of the record, HAP R2 §13.
  let number: UInt8

  init(number: UInt8) { self.number = number }

  /// The text of the category, such as `HMAccessoryCategoryTypeLightbulb`.
  public var categoryType: String {
    accessoryCategoryTypes[number] ?? HMAccessoryCategoryTypeOther
  }
  /// The name for people, in English.
  public var localizedDescription: String { Catalogue.category(number: number)?.name ?? "Other" }

  /// Compares the categories.
  public override func isEqual(_ object: Any?) -> Bool { (object as? HMAccessoryCategory)?.number == number }
  /// The hash of the category.
  public override var hash: Int { Int(number) }
}
