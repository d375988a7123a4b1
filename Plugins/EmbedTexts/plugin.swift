import Foundation
import PackagePlugin

/// Generates Swift from the texts of a target, with one command of EmbedTool for each target.
@main struct EmbedTexts: BuildToolPlugin {
  /// One part of the command.
  private struct Part {
    let option: String
    /// The name of the type in Swift.
    let type: String
    /// The folder, relative to the target's folder.
    let folder: String
    let extensions: [String]
    /// Whether the tool receives the folder and chooses the files itself.
    var givesFolder = false
  }

  /// `Texts`, `DefectTexts` and `FaultTexts` are symbolic links to folders outside of `Sources`: in a target's folder, the package manager notices files that are added or removed.
  private static let parts: [String: [Part]] = [
    "HAPSuite": [Part(option: "--texts", type: "EmbeddedSuites", folder: "Texts", extensions: ["yaml"])],
    "HAPDeviations": [
      Part(option: "--texts", type: "EmbeddedDefects", folder: "DefectTexts", extensions: ["yaml"]),
      Part(option: "--texts", type: "EmbeddedFaults", folder: "FaultTexts", extensions: ["yaml"]),
    ],
    "HAPControl": [
      Part(option: "--texts", type: "EmbeddedPage", folder: "Page", extensions: ["html", "css", "js", "svg"]),
      Part(option: "--json", type: "EmbeddedDescription", folder: "OpenAPI", extensions: ["json"]),
    ],
    "HAPWeb": [Part(option: "--texts", type: "CommonPage", folder: "Page", extensions: ["css", "js", "svg"])],
    "HAPHomeControl": [
      Part(option: "--texts", type: "EmbeddedHomePage", folder: "Page", extensions: ["html", "css", "js", "svg"]),
      Part(option: "--json", type: "EmbeddedHomeDescription", folder: "OpenAPI", extensions: ["json"]),
    ],
    "HAPReport": [
      Part(
        option: "--report-page", type: "ReportPage", folder: "HTML/page", extensions: ["html", "css", "js"],
        givesFolder: true)
    ],
  ]

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let parts = Self.parts[target.name] else {
      throw EmbedProblem(
        "EmbedTexts has no texts for the target \(target.name): add it to Plugins/EmbedTexts/plugin.swift")
    }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedTexts.swift")
    var arguments = [output.path]
    var inputs: [URL] = []
    for part in parts {
      let folder = target.directoryURL.appending(path: part.folder).resolvingSymlinksInPath()
      let files = try files(of: folder, part)
      arguments += [part.option, part.type] + (part.givesFolder ? [folder.path] : files.map(\.path))
      inputs += files
    }
    return [
      .buildCommand(
        displayName: "Embedding the texts of \(target.name)", executable: try context.tool(named: "EmbedTool").url,
        arguments: arguments, inputFiles: inputs, outputFiles: [output])
    ]
  }

  /// The files with one of these extensions in the order of the bytes of their names, without hidden ones.
  private func files(of folder: URL, _ part: Part) throws -> [URL] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
      let link = try? FileManager.default.destinationOfSymbolicLink(atPath: folder.path)
      throw EmbedProblem(
        "EmbedTexts can't read the folder \(folder.path)\(link.map { ", a link to \($0)" } ?? ""): "
          + "\(error.localizedDescription) Take it from the repository again.")
    }
    let files = names.filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { folder.appending(path: $0) }.filter { part.extensions.contains($0.pathExtension) }
    guard !files.isEmpty else {
      throw EmbedProblem(
        "The folder \(folder.path) has no file with the extension \(part.extensions.joined(separator: " or ")). "
          + "Take its files from the repository again.")
    }
    return files
  }
}

private struct EmbedProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
