import HAPModel
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Checked: these tests fail without the descriptor's own entry in its server list, with a cluster of an older revision,
/// and with an aggregator without parts.
@Suite("Matter: every profile") struct ProfileTests {
  @Test("Each endpoint lists exactly its clusters, its parts and known device types", arguments: MappedHome.profiles)
  func descriptors(_ name: String) throws {
    let home = try MappedHome(name)
    #expect(home.node.endpoints == home.node.endpoints.sorted() && !home.node.endpoints.contains(0))
    for endpoint in home.node.endpoints {
      let clusters = home.node.clusters(of: endpoint)
      #expect(clusters.map(\.id) == clusters.map(\.id).sorted() && Set(clusters.map(\.id)).count == clusters.count)
      #expect(try home.read(endpoint, 0x1D, 1).numbers == clusters.map { UInt64($0.id) })
      let types = try home.deviceTypes(endpoint)
      let parts = try home.read(endpoint, 0x1D, 3).numbers.map { EndpointNumber($0) }
      #expect(parts == parts.sorted() && !parts.contains(endpoint))
      #expect(Set(parts).isSubset(of: home.node.endpoints))
      if types.contains(.aggregator) { #expect(parts == home.node.endpoints.filter { $0 != endpoint }) }
    }
  }

  @Test("Each endpoint has what the catalogue demands, and nothing else", arguments: MappedHome.profiles)
  func conformance(_ name: String) throws {
    let home = try MappedHome(name)
    for endpoint in home.node.endpoints {
      let types = try home.deviceTypes(endpoint).map { (number: $0.number, revision: $0.revision) }
      let problems = EndpointConformance.problems(deviceTypes: types, clusters: home.node.clusters(of: endpoint))
      #expect(problems.isEmpty, "endpoint \(endpoint)")
    }
  }

  @Test("Each value has the type of the catalogue", arguments: MappedHome.profiles)
  func types(_ name: String) throws {
    let home = try MappedHome(name)
    let catalogue = try MatterCatalogue()
    for endpoint in home.node.endpoints {
      for cluster in home.node.clusters(of: endpoint) where !ClusterName.isOwn(cluster.id) {
        for attribute in cluster.attributes {
          let mistake = catalogue.mistake(
            in: try home.read(endpoint, cluster.id, attribute.number), of: attribute.number, cluster.id)
          #expect(mistake == nil, "attribute \(attribute.number.digits) of \(cluster.id.clusterName)")
        }
      }
    }
  }

  @Test("Access to attributes and commands is that of the catalogue", arguments: MappedHome.profiles)
  func access(_ name: String) throws {
    let home = try MappedHome(name)
    let catalogue = try MatterCatalogue()
    for endpoint in home.node.endpoints {
      for cluster in home.node.clusters(of: endpoint) where !ClusterName.isOwn(cluster.id) {
        let place: Comment = "cluster \(cluster.id) of endpoint \(endpoint)"
        for attribute in cluster.attributes {
          guard let access = catalogue.access("attributes", attribute.number, of: cluster.id) else { continue }
          #expect(attribute.read == .view, place)
          #expect(attribute.write == nil || attribute.write == privilege(access), "\(place) \(attribute)")
          if !access.hasPrefix("R[W]"), access.hasPrefix("RW") {
            #expect(attribute.write != nil, "\(place) attribute \(attribute.number)")
          }
        }
        for command in cluster.commands {
          let access = try #require(catalogue.access("commands", command.number, of: cluster.id))
          #expect(command.invoke == (access.contains("M") ? .manage : access.contains("A") ? .administer : .operate))
          #expect(command.isTimed == access.contains("T") && command.isFabricScoped == access.contains("F"), place)
          #expect(
            command.response
              == cluster.definition?.commands.first { $0.description.number == command.number }?.description.response)
        }
      }
    }
  }

  private func privilege(_ access: String) -> Privilege {
    access.hasSuffix("A") ? .administer : access.hasSuffix("M") ? .manage : .operate
  }

  @Test("Each attribute that a description lists can be read, and no other one", arguments: MappedHome.profiles)
  func values(_ name: String) throws {
    let home = try MappedHome(name)
    for endpoint in home.node.endpoints {
      for cluster in home.node.clusters(of: endpoint) {
        #expect(cluster.attributes.map(\.number) == cluster.attributes.map(\.number).sorted())
        #expect(cluster.commands.map(\.number) == cluster.commands.map(\.number).sorted())
        for attribute in cluster.attributes where attribute.read != nil {
          #expect(throws: Never.self, "attribute \(attribute.number) of cluster \(cluster.id)") {
            _ = try home.read(endpoint, cluster.id, attribute.number)
          }
        }
        for attribute in cluster.attributes where attribute.write == nil {
          #expect(home.write(endpoint, cluster.id, attribute.number, .null) == .unsupportedWrite)
        }
        #expect(throws: InteractionStatus(.unsupportedAttribute)) { _ = try home.read(endpoint, cluster.id, 0x4FFF) }
        #expect(home.write(endpoint, cluster.id, 0x4FFF, .null) == .unsupportedAttribute)
        #expect(home.invoke(endpoint, cluster.id, 0xEE) == .unsupportedCommand)
      }
      #expect(throws: InteractionStatus(.unsupportedCluster)) { _ = try home.read(endpoint, 0x1234, 0) }
    }
    #expect(throws: InteractionStatus(.unsupportedEndpoint)) { _ = try home.read(60000, 0x1D, 0) }
    #expect(home.written.isEmpty && home.node.takeChanges().isEmpty)
  }

  @Test("Each service has an endpoint, or a reason why it has none", arguments: MappedHome.profiles)
  func services(_ name: String) throws {
    let home = try MappedHome(name)
    let all = home.server.database.services.filter { ServiceTable.silent[$0.type] == nil }
    #expect(home.node.services.map(\.iid) == all.map(\.iid))
    for service in home.node.services {
      switch service.result {
      case .endpoint(let number, _, let clusters):
        let present = home.node.clusters(of: number).map(\.id)
        #expect(!clusters.isEmpty && Set(clusters).isSubset(of: present))
      case .none(let reason): #expect(!reason.isEmpty)
      }
    }
  }

  @Test("A device that changes every value marks only attributes that exist", arguments: MappedHome.profiles)
  func marks(_ name: String) throws {
    let home = try MappedHome(name)
    let paths = Set(
      home.node.endpoints.flatMap { endpoint in
        home.node.clusters(of: endpoint).flatMap { cluster in
          cluster.attributes.map { AttributePath(endpoint, cluster.id, $0.number) }
        }
      })
    #expect(Set(home.node.mark(home.server.database.characteristics.indices)).isSubset(of: paths))
  }
}

extension Element.Value {
  /// The members of an array of numbers.
  var numbers: [UInt64] {
    guard case .container(.array, let members) = self else { return [] }
    return members.compactMap { if case .unsigned(let number) = $0.value { number } else { nil } }
  }
}

extension MappedHome {
  func deviceTypes(_ endpoint: EndpointNumber) throws -> [DeviceType] {
    guard case .container(.array, let members) = try read(endpoint, 0x1D, 0) else { return [] }
    return members.compactMap { member in
      guard case .unsigned(let number)? = member[0], case .unsigned(let revision)? = member[1] else { return nil }
      return DeviceType(UInt32(number), revision: UInt16(revision))
    }
  }
}
