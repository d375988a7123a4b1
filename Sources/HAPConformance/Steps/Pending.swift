import HAPWire
extension CaseRun {
  func hook(_ node: JSONNode) async throws {}
  func mdns(_ node: JSONNode) async throws {}
  func claims(_ node: JSONNode) throws {}
  func lint(_ node: JSONNode) throws {}
  func compare(_ node: JSONNode) throws {}
}
