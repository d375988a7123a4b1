import HAPHome
import HAPHubLink
import HAPModel

extension HomeHub {
  /// Makes the change of an app's command, and answers with its changes.
  func perform(
    _ command: HomeCommand, for client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    switch command {
    case .addDevice, .updateDevice:
      throw HomeError(
        .operationNotSupported, nil, "only the hub describes accessories: add the accessory, or adopt its pairing")
    case .removeHome(let id):
      if model.home(id)?.copy != nil { return try await leave(id, for: client, answer) }
    case .removeAccessory(let id): return try await remove(id, forgets: false, for: client, answer)
    default: break
    }
    await withCheckedContinuation { continuation in
      change(for: client, editsCopies: command.isLocal) { draft throws(HomeError) in
        // Not earlier: an accessory may be added before this command begins.
        if case .removeHome(let id) = command, let home = draft.model.home(id), !home.accessories.isEmpty {
          throw HomeError(
            .operationNotSupported, nil,
            "the home \"\(home.name)\" has \(home.accessories.count) accessories, which keep their pairings: "
              + "remove the accessories first")
        }
        try draft.perform(command)
      } done: { result in
        answer(result.map { .changed($0) })
        continuation.resume()
      }
    }
    return nil
  }

  /// Makes an accessory identify itself.
  func identify(_ id: HomeObjectID) async throws(HomeError) {
    guard let (_, accessory) = model.accessory(id) else { throw HomeError.unknown(.accessory, id) }
    try await readyConnection(accessory.deviceID).identify(aid: accessory.aid)
  }
}

extension HomeCommand {
  /// Whether it is about this hub, not about the home: it is possible in a copy of another hub's home, too.
  fileprivate var isLocal: Bool {
    switch self {
    case .setPrimaryHome, .unblockAccessory: true
    default: false
    }
  }
}
