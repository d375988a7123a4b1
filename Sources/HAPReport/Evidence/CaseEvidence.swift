/// The files that tell what happened in a case, byte for byte. They hold secrets; reports don't.
package enum CaseEvidence {
  /// Names and contents, for a folder of the case's own.
  ///
  /// - Parameter epoch: when the run began, since 1970, for the times of packets.
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
