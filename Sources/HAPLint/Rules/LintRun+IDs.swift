import HAPModel

extension LintRun {
  /// Checks ADB-03, ADB-04, ADB-32 and ADB-33: the ids, and the number of accessories.
  mutating func judgeIDs(_ database: ParsedDatabase) {
    var seen: Set<UInt64> = []
    for accessory in database.accessories {
      let spot = LintSpot(database, accessory)
      judgeIIDs(accessory, spot)
      guard let member = accessory.value["aid"] else { continue }
      guard let aid = accessory.aid else {
        report(
          .aids, "not-an-id", at: spot.member("aid"),
          Remark(.must, "aid is \(member.words), not an integer of at least 1"))
        continue
      }
      if seen.insert(aid).inserted { continue }
      if aid == 1 {
        report(
          .bridgeAID, "taken", at: spot.member("aid"),
          Remark(.must, "aid 1 is reserved for the bridge, and this is another accessory", fix: "give it another aid"))
      } else {
        report(.aids, "twice", at: spot.member("aid"), Remark(.must, "another accessory also has aid \(aid)"))
      }
    }
    if !seen.isEmpty, !seen.contains(1), let first = database.accessories.first {
      let spot = LintSpot(database, first).member("aid")
      if database.accessories.count > 1 {
        report(.bridgeAID, "missing", at: spot, Remark(.must, "no accessory has aid 1: the bridge itself must have it"))
      } else {
        report(.aids, "no-aid-1", at: spot, Remark(.must, "the only accessory must have aid 1"))
      }
    }
    let count = database.accessories.count
    if count > 150 {
      report(
        .accessoryCount, "too-many", at: LintSpot(database).member(database.listName),
        Remark(
          .must, "\(count) accessories, more than 150 including the bridge", ios: .rejects,
          source: "HAP-NodeJS#658, homebridge#1155", fix: "distribute the accessories over several bridges"))
    }
  }

  private mutating func judgeIIDs(_ accessory: ParsedAccessory, _ place: LintSpot) {
    var seen: Set<UInt64> = []
    func claim(_ run: inout LintRun, _ iid: UInt64?, _ value: ParsedValue, _ spot: LintSpot) {
      guard let member = value["iid"] else { return }
      guard let iid else {
        run.report(
          .iids, "not-an-id", at: spot.member("iid"),
          Remark(.must, "iid is \(member.words), not an integer of at least 1"))
        return
      }
      if !seen.insert(iid).inserted {
        run.report(
          .iids, "twice", at: spot.member("iid"),
          Remark(
            .must, "iid \(iid) is used twice in this accessory",
            fix: "give each service and characteristic a unique iid")
        )
      }
    }
    for service in accessory.services {
      let spot = place.service(service)
      claim(&self, service.iid, service.value, spot)
      for characteristic in service.characteristics {
        claim(&self, characteristic.iid, characteristic.value, spot.characteristic(characteristic))
      }
    }
  }
}
