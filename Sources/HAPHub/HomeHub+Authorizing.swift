import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPStore
import HAPWire

// Data that authorizes writes. HAP R2 §6.7.2.2, `authData`.
extension HomeHub {
  /// Sets the data that authorizes writes of a characteristic.
  /// - Throws: 12 for an unknown characteristic, 3 for too few or too many bytes, 48 for a characteristic that takes no
  ///   such data; the error of the store.
  func authorize(_ characteristic: HomeObjectID, _ data: [UInt8]?) async throws(HomeError) {
    if let data, !(1...HubLimits.authorizationData).contains(data.count) {
      throw HomeError(
        .invalidParameter, nil,
        "authorization data has 1 to \(HubLimits.authorizationData) bytes, but these are \(data.count)")
    }
    let row = authorizationRow(characteristic, data)
    try await withCheckedContinuation { continuation in
      // A command, not a record: no command can remove the characteristic between the check and the end of the storing.
      change(for: nil, with: [row]) { _ throws(HomeError) in
        try self.checkTakesAuthorization(characteristic)
      } done: { result in
        if case .success = result { self.authorizations[characteristic] = data }
        continuation.resume(returning: result.map { _ in })
      }
    }.get()
  }

  private func authorizationRow(_ characteristic: HomeObjectID, _ data: [UInt8]?) -> HomeRowChange {
    let id = characteristic.description
    guard let data else { return .remove(.authorizations, id: id) }
    let json = JSONNode.object([("characteristic", .text(id)), ("data", .text(Base64.encode(data)))])
    return .keep(.authorization(HomeStateRow(id: id, json: json.compactText)))
  }

  private func checkTakesAuthorization(_ characteristic: HomeObjectID) throws(HomeError) {
    guard let target = index.targets[characteristic] else { throw HomeError.unknown(.characteristic, characteristic) }
    guard target.takesAuthorization else {
      throw HomeError(
        .operationNotSupported, nil, "\(name(of: characteristic)) takes no authorization data: write it without")
    }
  }

  /// The data for the entries of a PUT.
  func authorizations(of put: ScenePut) -> [HomeObjectID: [UInt8]] {
    if authorizations.isEmpty { return [:] }
    return Dictionary(
      uniqueKeysWithValues: put.entries.compactMap { entry in
        guard index.targets[entry.characteristic]?.takesAuthorization == true else { return nil }
        return authorizations[entry.characteristic].map { (entry.characteristic, $0) }
      })
  }

  // MARK: The model changes

  /// The removal of the data of characteristics that are not in a draft any more, or take no data there.
  func removedAuthorizations(by draft: HubDraft) -> [HomeRowChange] {
    guard draft.changes.contains(where: \.detail.movesCharacteristics) else { return [] }
    // Also those without known data: their row may be damaged.
    let ids = index.targets.filter { $0.value.takesAuthorization || authorizations[$0.key] != nil }.keys
    if ids.isEmpty { return [] }
    let after = HubIndex(draft.model)
    return ids.filter { after.targets[$0]?.takesAuthorization != true }.map(\.description).sorted()
      .map { .remove(.authorizations, id: $0) }
  }

  /// Drops the data of characteristics that are not in the index any more, or take no data.
  func dropAuthorizations() {
    authorizations = authorizations.filter { index.targets[$0.key]?.takesAuthorization == true }
  }
}

extension HubIndex.Target {
  fileprivate var takesAuthorization: Bool { permissions.contains(.additionalAuthorization) }
}
