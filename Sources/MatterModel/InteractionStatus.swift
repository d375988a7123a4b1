/// A status of the interaction model. Matter 1.4 §8.10.
package struct InteractionStatus: Error, Hashable, Sendable {
  package enum Code: UInt8, Hashable, Sendable, CaseIterable {
    case success = 0x00
    case failure = 0x01
    case invalidSubscription = 0x7D
    case unsupportedAccess = 0x7E
    case unsupportedEndpoint = 0x7F
    case invalidAction = 0x80
    case unsupportedCommand = 0x81
    case invalidCommand = 0x85
    case unsupportedAttribute = 0x86
    case constraintError = 0x87
    case unsupportedWrite = 0x88
    case resourceExhausted = 0x89
    case notFound = 0x8B
    case unreportableAttribute = 0x8C
    case invalidDataType = 0x8D
    case unsupportedRead = 0x8F
    case dataVersionMismatch = 0x92
    case timeout = 0x94
    case busy = 0x9C
    case accessRestricted = 0x9D
    case unsupportedCluster = 0xC3
    case noUpstreamSubscription = 0xC5
    case needsTimedInteraction = 0xC6
    case unsupportedEvent = 0xC7
    case pathsExhausted = 0xC8
    case timedRequestMismatch = 0xC9
    case failsafeRequired = 0xCA
    case invalidInState = 0xCB
    case noCommandResponse = 0xCC
    case alreadyExists = 0xD0
  }

  package var code: Code
  /// The status that the cluster itself defines; nil: none.
  package var clusterStatus: UInt8?

  package init(_ code: Code, cluster: UInt8? = nil) { (self.code, clusterStatus) = (code, cluster) }

  package static let success = InteractionStatus(.success)
}
