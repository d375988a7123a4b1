import HAPModel

extension LintRun {
  /// Checks the relations between the services of an accessory.
  mutating func judgeServices(_ accessory: ParsedAccessory, _ place: LintSpot) {
    if accessory.services.count > 100 {
      report(
        .counts, "services", at: place.member("services"),
        Remark(.should, "\(accessory.services.count) services, more than 100", source: "HAP-NodeJS refuses more"))
    }
    judgePrimary(accessory, place)
    judgeLinks(accessory, place)
    judgeCycles(accessory, place)
    judgeSwitches(accessory, place)
    judgeValves(accessory, place)
  }

  // MARK: ADB-36, ADB-37

  private mutating func judgePrimary(_ accessory: ParsedAccessory, _ place: LintSpot) {
    let primary = accessory.services.filter(\.isPrimary)
    for service in primary.dropFirst() {
      report(
        .primary, "several", at: place.service(service).member("primary"),
        Remark(
          .must, "another service is already primary: at most one may be", fix: "mark only the main function as primary"
        ))
    }
    for service in primary {
      if service.type == .information {
        report(
          .primary, "information", at: place.service(service).member("primary"),
          Remark(.should, "Accessory Information is not the accessory's main function"))
      } else if service.type?.isAppleDefined == false {
        report(
          .primary, "custom", at: place.service(service).member("primary"),
          Remark(.should, "a custom service is primary, but controllers do not know its function"))
      }
    }
  }

  mutating func judgeHidden(_ service: ParsedService, _ spot: LintSpot) {
    guard service.value["characteristics"]?.elements != nil, !service.isHidden,
      service.characteristics.allSatisfy({ $0.perms?.contains(.hidden) == true })
    else { return }
    let isEmpty = service.characteristics.isEmpty
    report(
      .hidden, isEmpty ? "empty" : "all-hidden", at: spot,
      Remark(
        .must,
        isEmpty
          ? "it has no characteristics, but is not hidden" : "all its characteristics are hidden (hd), but it is not",
        fix: "add \"hidden\": true"))
  }

  // MARK: ADB-34, ADB-35

  private mutating func judgeLinks(_ accessory: ParsedAccessory, _ place: LintSpot) {
    let iids = Set(accessory.services.compactMap(\.iid))
    for service in accessory.services {
      guard let elements = service.value["linked"]?.elements else { continue }
      var seen: Set<UInt64> = []
      for (index, element) in elements.enumerated() {
        let spot = place.service(service).member("linked", index)
        if element.integer == 0 {
          report(
            .links, "zero", at: spot,
            Remark(
              .must, "it is linked to 0, which is not a valid iid", ios: .tolerates,
              source: "home-assistant/core#100160"))
          continue
        }
        guard let iid = element.id else {
          report(.links, "not-an-iid", at: spot, Remark(.must, "it is linked to \(element.words), which is not an iid"))
          continue
        }
        if !seen.insert(iid).inserted {
          report(.links, "twice", at: spot, Remark(.must, "it is linked to \(iid) twice"))
        } else if iid == service.iid {
          report(
            .links, "self", at: spot,
            Remark(.should, "it is linked to itself", source: "HomeKitADK and HAP-NodeJS accept it"))
        } else if !iids.contains(iid) {
          report(
            .links, "nowhere", at: spot,
            Remark(.must, "it is linked to \(iid), but no service of this accessory has that iid"))
        }
      }
    }
  }

  /// Follows links from every service, each link once. It does not recurse, because a chain can be as long as the text.
  private mutating func judgeCycles(_ accessory: ParsedAccessory, _ place: LintSpot) {
    guard isSelected(.linkCycles), accessory.services.contains(where: { !$0.linked.isEmpty }) else { return }
    var indexes: [UInt64: Int] = [:]
    for service in accessory.services {
      if let iid = service.iid, indexes[iid] == nil { indexes[iid] = service.index }
    }
    enum Mark { case new, open, done }
    var marks = [Mark](repeating: .new, count: accessory.services.count)
    for start in accessory.services.indices where marks[start] == .new {
      var path: [(service: Int, next: Int)] = [(start, 0)]
      marks[start] = .open
      while let top = path.last {
        let linked = accessory.services[top.service].linked
        guard top.next < linked.count else {
          marks[top.service] = .done
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        guard let target = indexes[linked[top.next]], target != top.service else { continue }
        switch marks[target] {
        case .new:
          marks[target] = .open
          path.append((target, 0))
        case .open:
          report(
            .linkCycles, "cycle", at: place.service(accessory.services[top.service]).member("linked"),
            Remark(
              .info,
              "its links lead back to \(accessory.services[target].label); links have a meaning only one level deep"
            ))
        case .done: break
        }
      }
    }
  }
}
