import Foundation
import HomeKit

extension HMHome {
  /// The services that people see.
  var shownServices: [HMService] { accessories.flatMap(\.services).filter(\.isUserInteractive) }

  /// The characteristics that people see.
  var shownCharacteristics: [HMCharacteristic] { shownServices.flatMap(\.characteristics) }
}

extension HMCharacteristic {
  var isReadable: Bool { properties.contains(HMCharacteristicPropertyReadable) }
  var isWritable: Bool { properties.contains(HMCharacteristicPropertyWritable) }
  var isNotifying: Bool { properties.contains(HMCharacteristicPropertySupportsEventNotification) }

  /// The name in the lists of one service, such as "Brightness".
  var title: String { localizedDescription }
  /// The name in the lists of a home, such as "Desk Lamp/Brightness".
  var path: String { "\(service?.name ?? "-")/\(title)" }

  private var isBool: Bool { metadata?.format == HMCharacteristicMetadataFormatBool }

  /// The present value as text.
  var text: String { text(of: value) }

  /// A value as text: "on", "40", "red".
  func text(of value: Any?) -> String {
    guard let value else { return "-" }
    guard let number = value as? NSNumber else { return "\(value)" }
    return isBool ? (number.boolValue ? "on" : "off") : String(format: "%g", number.doubleValue)
  }

  /// The value of a text that the person entered.
  func value(from text: String) -> any NSCopying {
    if isBool, ["on", "off"].contains(text) { return NSNumber(value: text == "on") }
    return Double(text).map { NSNumber(value: $0) } ?? NSString(string: text)
  }
}

/// A text that the person entered, and that can't be used.
struct EntryError: LocalizedError {
  let errorDescription: String?
  init(_ text: String) { errorDescription = text }
}
