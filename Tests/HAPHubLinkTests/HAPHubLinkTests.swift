import Testing

@testable import HAPHubLink
