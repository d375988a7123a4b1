extension ControllerJudge {
  /// All rules, in the order of reports.
  static var rules: [any JudgeRule.Type] {
    [
      Reconnects.self, NoReconnectStorm.self, NoIdleConnections.self, Patience.self, KeepsConnection.self,
      OneRequestAtATime.self, Readable.self, HostField.self, BodyType.self, KnownEndpoints.self, QueryForm.self,
      WriteForm.self,
      ProcedureOrder.self, FreshKeys.self, SameBytes.self, IdentifierForm.self, VerifiesFirst.self,
      IdentifyUnpaired.self, PairingsByAdmins.self, BacksOff.self, StopsKnocking.self,
      KnownIDs.self, KeepsPermissions.self, WritesValues.self, TimedWrites.self, PreparedWrites.self,
      NoPolling.self, GathersReads.self,
      Resubscribes.self, SurvivesEvents.self,
      ReadsNewDatabase.self, KeepsDatabase.self,
    ]
  }
}
