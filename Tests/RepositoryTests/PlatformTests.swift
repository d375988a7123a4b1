import Foundation
import Testing

/// Code that depends on the platform: `Scripts/check-platform` finds code for Linux outside of a platform condition, and
/// docs/internals/macos.md describes all of it.
///
/// Checked: these tests fail without a row of each table, with a row for a symbol that no file contains, with a formula
/// fewer in the README, and with `on_macos` replaced by `False` in the script.
struct PlatformTests {
  private static let page = "docs/internals/macos.md"

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Checkout.folder.appendingPathComponent(path), encoding: .utf8)
  }

  private static func lines(of option: String) throws -> [String] {
    String(decoding: try Checkout.output(of: ["Scripts/check-platform", option]), as: UTF8.self).split(separator: "\n")
      .map(String.init)
  }

  /// The cells of a table of the page between marks, without its head.
  private static func rows(_ mark: String) throws -> [[String]] {
    let parts = try text(page).components(separatedBy: "<!-- \(mark) -->")
    let table = try parts.dropFirst().first.orFail("the page has no mark \(mark)")
      .components(separatedBy: "<!-- /\(mark) -->")[0]
    return table.split(separator: "\n").dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The texts in code style.
  private static func codes(_ cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  @Test("The page lists each symbol that differs by platform, with its files, and no other") func symbols() throws {
    let written = Set(
      try Self.rows("symbols").flatMap { cells in
        Self.codes(cells[0]).flatMap { symbol in Self.codes(cells[1]).map { "\(symbol)\t\($0)" } }
      })
    let found = Set(try Self.lines(of: "--list"))
    #expect(found.count > 25)
    #expect(found.subtracting(written) == [], "these are not in \(Self.page)")
    #expect(written.subtracting(found) == [], "these are not in the code")
  }

  @Test("The page lists each file with a platform condition, or its folder, and each path exists") func files() throws {
    let places = try Self.rows("files").flatMap { Self.codes($0[0]) }
    let found = try Self.lines(of: "--conditions")
    #expect(found.count > 30)
    for file in found {
      #expect(places.contains { $0.hasSuffix("/") ? file.hasPrefix($0) : file == $0 }, "\(file) is not in \(Self.page)")
    }
    for place in places {
      #expect(found.contains { place.hasSuffix("/") ? $0.hasPrefix(place) : $0 == place }, "\(place) has no condition")
    }
  }

  // MARK: The script

  /// The errors that the script prints for a folder with one file.
  private static func errors(_ path: String, _ text: String) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("platform-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: file)
    let command = "Scripts/check-platform --root '\(folder.path)' || true"
    let output = String(decoding: try Checkout.output(of: ["bash", "-c", command]), as: UTF8.self)
    return output.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("check-platform:") }
  }

  @Test(
    "The script finds code that macOS can't compile, or where it would do something else",
    arguments: [
      "import Glibc", "@preconcurrency import Glibc", "import FoundationXML",
      "let type = Int32(SOCK_STREAM.rawValue)", "_ = accept4(a, nil, nil, 0)", "let flags = SOCK_CLOEXEC",
      "_ = setsockopt(a, SOL_SOCKET, SO_BINDTODEVICE, name, 3)", "malloc_trim(0)", "var a = epoll_event()",
      "let clock = CLOCK_BOOTTIME", "getrlimit(__rlimit_resource_t(8), &limit)", "let s = socket(AF_NETLINK, 3, 0)",
      #"let file = open("/proc/self/exe", O_RDONLY)"#, #"let folder = "/sys/class/net""#,  // platform: any
      "var handle = uv_thread_t()", #"dlsym(nil, "f")"#, "_NSGetExecutablePath(nil, &size)",
      "let set = set(level, IP_ADD_MEMBERSHIP, request)",
    ])
  func planted(_ line: String) throws {
    #expect(try Self.errors("Sources/A/B.swift", line).count == 1)
  }

  @Test("The script evaluates conditions") func conditions() throws {
    let line = "let flags = SOCK_CLOEXEC"
    for condition in ["os(macOS)", "!os(Linux)", "DEBUG", "os(Linux) || DEBUG", "canImport(Darwin) && DEBUG"] {
      #expect(!(try Self.errors("Sources/A/B.swift", "#if \(condition)\n\(line)\n#endif").isEmpty), "\(condition)")
    }
    let after = "#if os(macOS)\n#else\n#endif\n\(line)"
    #expect(try Self.errors("Sources/A/B.swift", after).map { $0.prefix(20) } == ["Sources/A/B.swift:4:"])
  }

  @Test("The script accepts code for Linux in a condition, comments, texts, and marked lines") func accepted() throws {
    let trap = "let type = Int32(SOCK_STREAM.rawValue)"
    for text in [
      "#if os(Linux)\n\(trap)\n#endif", "#if os(Linux) && DEBUG\n\(trap)\n#endif",
      "#if canImport(Darwin)\n#elseif DEBUG\n\(trap)\n#endif", "#if !canImport(Darwin)\n\(trap)\n#endif",
      "#if os(macOS)\n#else\n  #if DEBUG\n\(trap)\n#endif\n#endif", "// \(trap)", "let text = \"epoll_wait, accept4\"",
      "let a = 3  // SOCK_CLOEXEC", "\(trap)  // platform: any", "#if canImport(Glibc)\nimport Glibc\n#endif",
      "#if canImport(FoundationXML)\nimport FoundationXML\n#endif", "let path = \"https://host/sys/a\"",
    ] { #expect(try Self.errors("Tests/A/B.swift", text) == [], "\(text)") }
  }

  @Test("The script finds code for macOS that Linux can't compile") func macOSOnly() throws {
    for line in ["import Darwin", "import CoreLocation", "let a = PF_ROUTE", "let length = address.sa_len"] {
      #expect(try Self.errors("Sources/A/B.swift", line).count == 1, "\(line)")
      #expect(try Self.errors("Sources/A/B.swift", "#if os(Linux)\n#else\n\(line)\n#endif") == [], "\(line)")
    }
  }

  @Test("The script finds headers and link settings for Linux") func settings() throws {
    #expect(try Self.errors("Sources/C/shim.h", "#include <malloc.h>").count == 1)
    #expect(try Self.errors("Sources/C/shim.h", "#if defined(__linux__)\n#include <malloc.h>\n#endif") == [])
    #expect(try Self.errors("Sources/C/shim.h", "#ifndef __linux__\n#include <linux/if.h>\n#endif").count == 1)
    #expect(try Self.errors("Sources/C/module.modulemap", "  link \"rt\"").count == 1)
    #expect(try Self.errors("Sources/C/module.modulemap", "  link \"sodium\"") == [])
    let flags = "linkerSettings: [.unsafeFlags([\"-use-ld=lld\"])]"
    #expect(try Self.errors("Package.swift", flags).count == 1)
    let bound = "linkerSettings: [.unsafeFlags([\"-use-ld=lld\"], .when(platforms: [.linux]))]"
    #expect(try Self.errors("Package.swift", bound) == [])
    #expect(try Self.errors("Makefile", "FLAGS := -Xswiftc -use-ld=lld").count == 1)
    #expect(try Self.errors("Makefile", "ifeq ($(SYSTEM),Linux)\nFLAGS := -use-ld=lld\nendif") == [])
    #expect(try Self.errors("Makefile", "ifeq ($(SYSTEM),Linux)\nelse\nFLAGS := -use-ld=lld\nendif").count == 1)
  }

  // MARK: The job

  /// The commands for a Mac in the README.
  private static func commands() throws -> [String] {
    let part = try text("README.md").components(separatedBy: "<!-- test: elsewhere macOS -->").dropFirst().first
      .orFail("the README has no mark macOS")
    let block = try part.components(separatedBy: "```text\n").dropFirst().first.orFail("it has no block")
    return block.components(separatedBy: "\n```")[0].split(separator: "\n").map {
      String($0.components(separatedBy: "  #")[0]).trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("The job for macOS runs exactly the commands of the README") func job() throws {
    let steps = try Self.text(".github/workflows/macos.yml").split(separator: "\n").compactMap { line in
      line.firstMatch(of: /^ *(?:- )?run: (.*)$/).map { String($0.1) }
    }
    let commands = try Self.commands()
    #expect(commands.count == 3)
    #expect(steps == commands)
  }

  @Test("The README names the formulas that the build demands") func formulas() throws {
    let script = try Self.text("Scripts/install-dependencies")
    let list = try script.firstMatch(of: /formulas=\(([^)]*)\)/).orFail("the script has no list of formulas")
    #expect(try Self.commands().first == "brew install \(list.1)")
  }
}
