import Testing

@testable import HAPAccessoryPort
