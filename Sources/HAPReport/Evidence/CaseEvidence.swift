/// The evidence files of a case: a complete record of its bytes. They contain secrets; reports do not.
package enum CaseEvidence {
  /// Returns names and contents of the files, for the case's folder.
  ///
  /// - Parameter epoch: the start of the run since 1970, for the times of packets.
  package static func files(
    of outcome: CaseOutcome, header: RunHeader?, epoch: Duration = .zero
  ) -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = [
      ("transcript.txt", Array(EvidenceText.transcript(of: outcome, header: header).utf8)),
      (
        "packets.pcapng",
        PcapngWriter.bytes(of: outcome.transcript, application: "haptest \(header?.version ?? "")", epoch: epoch)
      ),
    ]
    if !outcome.sessionKeys.isEmpty {
      files.append(("session-keys.txt", Array(EvidenceText.sessionKeys(of: outcome).utf8)))
    }
    return files
  }
}
