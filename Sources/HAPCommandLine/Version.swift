/// The version of the programs and libraries, by Semantic Versioning 2.0.0. Before a release, it is the next one.
package let projectVersion = "1.0.0"

/// The commit of the sources. `git archive` writes it between the dollar signs (`.gitattributes`); a checkout has the
/// placeholder.
private let archivedCommit = "$Format:%H$"

/// The version as `--version` prints it: with the first characters of the commit, if the sources are of an archive.
func versionText(_ version: String, commit: String = archivedCommit) -> String {
  commit.hasPrefix("$") ? version : "\(version) (\(commit.prefix(10)))"
}
