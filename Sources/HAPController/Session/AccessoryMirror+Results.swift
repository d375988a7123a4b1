import HAPIP
import HAPModel

extension AccessoryMirror {
  /// Stores the entries of an answer or an event.
  /// - Parameter place: the answer or event, for the deviations.
  /// - Returns: a result for each entry, with the value in the format of the characteristic.
  package mutating func results(of entries: [CharacteristicEntry], _ place: String) -> [CharacteristicResult] {
    _ = take(entries, of: place)
    return entries.map { entry in
      let value = entry.isSuccess && entry.value != nil ? database[entry.id] : nil
      return CharacteristicResult(id: entry.id, value: value, status: entry.status ?? 0)
    }
  }
}
