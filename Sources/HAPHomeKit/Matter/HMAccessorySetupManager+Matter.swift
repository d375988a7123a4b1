import Foundation

extension HMAccessorySetupManager {
  /// Refuses with the error 48: the hub does not support Matter.
  public func performMatterEcosystemAccessorySetup(
    using request: HMAccessorySetupRequest, topology: HMMatterTopology,
    completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    AppSession.refuse(.noMatter) { completion($0.error) }
  }

  /// Refuses with the error 48.
  public func performMatterEcosystemAccessorySetup(
    using request: HMAccessorySetupRequest, topology: HMMatterTopology
  ) async throws {
    try await awaiting {
      performMatterEcosystemAccessorySetup(using: request, topology: topology, completionHandler: $0)
    }
  }

  /// Refuses with the error 48: the hub does not support Matter.
  @available(*, deprecated, message: "Use performMatterEcosystemAccessorySetup(using:topology:completionHandler:).")
  public func addAndSetUpAccessories(
    for topology: HMMatterTopology, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    AppSession.refuse(.noMatter) { completion($0.error) }
  }

  /// Refuses with the error 48.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use performMatterEcosystemAccessorySetup(using:topology:).")
  public func addAndSetUpAccessories(for topology: HMMatterTopology) async throws {
    try await awaiting { done in AppSession.refuse(.noMatter) { done($0.error) } }
  }
}
