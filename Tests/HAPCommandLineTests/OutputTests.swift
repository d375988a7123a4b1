import Foundation
import HAPCommandLine
import Synchronization
import Testing

@Suite struct OutputTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)").path

  private func withFolder(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body()
  }

  private func message(_ body: () throws(FileError) -> Void) -> String? {
    do throws(FileError) {
      try body()
      return nil
    } catch { return error.message }
  }

  @Test("An output path is checked before the work, and the check changes nothing") func paths() throws {
    try withFolder {
      let file = folder + "/report"
      #expect(message { () throws(FileError) in try checkOutputFile(file) } == nil)
      #expect(!fileExists(file))
      try writeFile(file, [1, 2], overwriting: true)
      #expect(message { () throws(FileError) in try checkOutputFile(file) } == nil)
      #expect(try readFile(file, limit: 10) == [1, 2])
      #expect(
        message { () throws(FileError) in try checkOutputFile(file, overwriting: false) }?.contains("--force") == true)
      #expect(message { () throws(FileError) in try checkOutputFile("/dev/null") } == nil)
      #expect(message { () throws(FileError) in try checkOutputFolder(folder) } == nil)
      #expect(message { () throws(FileError) in try checkOutputFolder(folder + "/new/") } == nil)
    }
  }

  @Test("A path that cannot be written is named with the reason") func refused() throws {
    try withFolder {
      let nowhere = folder + "/nowhere/r.html"
      #expect(
        message { () throws(FileError) in try checkOutputFile(nowhere) }
          == "\(nowhere) can't be written: there is no folder \(folder)/nowhere")
      #expect(message { () throws(FileError) in try checkOutputFolder(nowhere) } != nil)
      #expect(message { () throws(FileError) in try checkOutputFile(folder) }?.contains("can't be written") == true)
      try writeFile(folder + "/file", [], overwriting: true)
      #expect(message { () throws(FileError) in try checkOutputFile(folder + "/file/x") } != nil)
      #expect(message { () throws(FileError) in try checkOutputFolder(folder + "/file") } != nil)
      #expect(message { () throws(FileError) in try checkOutputFile("x\0y") } != nil)
      #expect(message { () throws(FileError) in try checkOutputFile("") } != nil)
      #expect(message { () throws(FileError) in try checkOutputFolder("") } != nil)
      #expect(message { () throws(FileError) in try checkOutputFile(folder + "/new/") }?.contains("directory") == true)
      // The link exists, but its target can't be created.
      try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/gone/x")
      #expect(message { () throws(FileError) in try checkOutputFile(folder + "/link") } != nil)
    }
  }

  @Test("Two outputs cannot have one path, unless it is a device") func samePath() throws {
    try withFolder {
      let file = folder + "/r"
      #expect(outputProblems(files: [file, folder + "/s"], folders: [folder + "/t"]).isEmpty)
      #expect(outputProblems(files: ["/dev/null", "/dev/null"]).isEmpty)
      let words = "is given for two outputs; give each its own path"
      #expect(outputProblems(files: [file, folder + "/./r"]).map(\.message) == ["\(folder)/./r \(words)"])
      #expect(outputProblems(files: [file], folders: [file + "/"]).map(\.message) == ["\(file)/ \(words)"])
      try writeFile(file, [], overwriting: true)
      try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: file)
      #expect(outputProblems(files: [file, folder + "/link"]).map(\.message) == ["\(folder)/link \(words)"])
      #expect(outputProblems(files: [folder + "/no/r", ""]).count == 2)
    }
  }

  @Test("A write that fails is reported once, and a closed pipe is not") func failures() throws {
    let reasons = Mutex<[String]>([])
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    let output = StandardOutput(full) { reason in reasons.withLock { $0.append(reason) } }
    #expect(!output.isIncomplete)
    output.write("lost\n")
    output.write("lost, too\n")
    #expect(output.isIncomplete)
    #expect(reasons.withLock { $0 } == ["No space left on device"])

    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    signal(SIGPIPE, SIG_IGN)
    let closed = StandardOutput(ends[1]) { reason in reasons.withLock { $0.append(reason) } }
    closed.write("this is not read\n")
    #expect(!closed.isIncomplete && reasons.withLock { $0.count } == 1)
  }

  @Test("A command whose output was lost exits with status 3, whatever it found", arguments: [ExitCode.well, .problem])
  func lostOutput(_ code: ExitCode) {
    let program = Program(
      name: "p", version: "1", summary: "Prints",
      commands: [
        Command("go", "print") { (_, console) in
          console.print("x")
          return code
        }
      ])
    let isLost = Mutex(false)
    let console = Console(
      out: { _ in isLost.withLock { $0 = true } }, error: { _ in }, isOutputIncomplete: { isLost.withLock { $0 } })
    #expect(program.run(["go"], console: console) == .cannotRun)
    #expect(program.run(["--version"], console: console) == .cannotRun)
  }

  @Test(
    "A file name after a flag that prints JSON is an error that names the option for files",
    arguments: [["--json", "r.json"], ["--json=r.json"], ["--json=r"], ["--json", "/dev/stdout"]])
  func fileName(_ words: [String]) {
    let json = Flag("json", "print JSON", fileOption: "report-json")
    let error = #expect(throws: UsageError.self) { try Arguments(parsing: words, options: [json.definition]) }
    #expect(error?.message.contains("--report-json \(words.last!.split(separator: "=").last!)") == true)
    #expect(throws: Never.self) { try Arguments(parsing: ["--json", "lamp"], options: [json.definition]) }
  }

  @Test("A file that exists may be an operand after a flag that prints JSON") func existingFile() throws {
    try withFolder {
      let json = Flag("json", "print JSON", fileOption: "report-json")
      let path = folder + "/case.json"
      try writeFile(path, [], overwriting: true)
      let arguments = try Arguments(parsing: ["--json", path, "lamp"], options: [json.definition])
      #expect(arguments.operands == [path, "lamp"] && arguments[json])
      #expect(throws: UsageError.self) { try Arguments(parsing: ["--json=\(path)"], options: [json.definition]) }
    }
  }
}
