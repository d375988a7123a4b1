import HAPCommandLine
import Testing

@testable import haptest

@Test("haptest is a program of subcommands") func program() { #expect(Program.haptest.name == "haptest") }
