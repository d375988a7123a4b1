import Foundation
import HAPHome
import HAPHubLink

extension HMAccessory {
  /// Adds an accessory that a browser found to a home. The prompt asks for the setup code.
  /// - Parameter completion: called on the main queue, after the accessory is one of the home.
  func add(to home: HMHome, _ completion: @escaping ((any Error)?) -> Void) {
    let (session, prompt, id) = (home.session, HMSetupUI.shared, home.handle.id)
    guard let session, let found, !home.handle.isGone else {
      let error = problem(of: home)
      return AppSession.refuse(error) { completion($0.error) }
    }
    session.place.begin { [self] in
      let request = SetupRunner.Request(home: id, accessory: HMSetupUI.Candidate(found.news), asksPages: false)
      let added = try await SetupRunner(session, prompt, request).run()
      try join(added.accessories, of: added.home, session)
    } then: {
      completion($0.error)
    }
  }

  /// The reason why the accessory can't be added to a home.
  private func problem(of home: HMHome) -> HMError {
    if home.session == nil { return .sessionEnded }
    if home.handle.isGone || handle?.isGone == true { return .removedObject }
    return HMError(.objectAlreadyAssociatedToHome, "the accessory \"\(name)\" is in a home")
  }

  /// The object becomes that of the home's accessory.
  private func join(_ ids: [HomeObjectID], of home: HomeObjectID, _ session: AppSession) throws(HMError) {
    guard let id = ids.first, let record = session.homeRecord(home)?.accessories.find(id) else {
      throw .removedObject
    }
    // A delegate may have got the accessory already. Then both objects share the record, which the session updates.
    let known = session.known(HMAccessory.self, id)?.handle
    let handle = known ?? Handle(record, HomePath(home: home, accessory: id), session)
    session.adopt(self, handle, as: id)
    join(handle)
  }
}
