import HAPModel

extension LintRun {
  /// The services of an accessory among one another.
  mutating func judgeServices(_ accessory: SeenAccessory, _ place: LintSpot) {
    if accessory.services.count > 100 {
      report(
        .counts, "services", at: place.member("services"),
        Remark(.should, "\(accessory.services.count) services: 100 is the most", source: "HAP-NodeJS refuses more"))
    }
    judgePrimary(accessory, place)
    judgeLinks(accessory, place)
    judgeCycles(accessory, place)
    judgeSwitches(accessory, place)
    judgeValves(accessory, place)
  }

  // MARK: ADB-36, ADB-37

  private mutating func judgePrimary(_ accessory: SeenAccessory, _ place: LintSpot) {
    let primary = accessory.services.filter(\.isPrimary)
    for service in primary.dropFirst() {
      report(
        .primary, "several", at: place.service(service).member("primary"),
        Remark(.must, "another service is primary already: at most one is", fix: "say it of the main function alone"))
    }
    for service in primary {
      if service.type == .information {
        report(
          .primary, "information", at: place.service(service).member("primary"),
          Remark(.should, "Accessory Information is not the accessory's main function"))
      } else if service.type?.isAppleDefined == false {
        report(
          .primary, "custom", at: place.service(service).member("primary"),
          Remark(.should, "a service of one's own is primary; controllers don't know what it is"))
      }
    }
  }

  mutating func judgeHidden(_ service: SeenService, _ spot: LintSpot) {
    guard service.value["characteristics"]?.elements != nil, !service.isHidden,
      service.characteristics.allSatisfy({ $0.perms?.contains(.hidden) == true })
    else { return }
    let isEmpty = service.characteristics.isEmpty
    report(
      .hidden, isEmpty ? "empty" : "all-hidden", at: spot,
      Remark(
        .must,
        isEmpty
          ? "it has no characteristics, and is not hidden" : "all its characteristics are hidden (hd), and it is not",
        fix: "add \"hidden\": true"))
  }

  // MARK: ADB-34, ADB-35

  private mutating func judgeLinks(_ accessory: SeenAccessory, _ place: LintSpot) {
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
              .must, "it is linked to 0, which is nobody's iid", ios: .tolerates, source: "home-assistant/core#100160"))
          continue
        }
        guard let iid = element.id else {
          report(.links, "not-an-iid", at: spot, Remark(.must, "it is linked to \(element.words), which is no iid"))
          continue
        }
        if !seen.insert(iid).inserted {
          report(.links, "twice", at: spot, Remark(.must, "it is linked to \(iid) twice"))
        } else if iid == service.iid {
          report(
            .links, "self", at: spot,
            Remark(.should, "it is linked to itself", source: "HomeKitADK and HAP-NodeJS let it pass"))
        } else if !iids.contains(iid) {
          report(
            .links, "nowhere", at: spot,
            Remark(.must, "it is linked to \(iid), and no service of this accessory has that iid"))
        }
      }
    }
  }

  /// Follows links from every service, each link once; without recursion, for a chain may be as long as the text.
  private mutating func judgeCycles(_ accessory: SeenAccessory, _ place: LintSpot) {
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
              "by its links one gets back to \(accessory.services[target].label); links mean something one level deep only"
            ))
        case .done: break
        }
      }
    }
  }
}
