import Testing

@testable import HAPHub
