import HAPDevices
import HAPHost
import HAPIP
import HAPModel
import HAPScenario
import HAPWire

/// The accessories of a simulation, as its scenario sees them.
///
/// Belongs to the loop's thread.
final class RunningWorld: ScenarioWorld {
  private let simulation: Simulation
  private let dispatcher: CommandDispatcher

  init(_ simulation: Simulation, _ dispatcher: CommandDispatcher) {
    self.simulation = simulation
    self.dispatcher = dispatcher
  }

  func subject(_ words: CharacteristicWords) throws(ScenarioTrouble) -> ScenarioSubject {
    do {
      let service = try ServiceSelector.member(of: words.serviceMember)
      let selector = try CharacteristicSelector(words.characteristic, service: service)
      let accessory = try words.accessory.map { node throws(JSONProblem) in try AccessorySelector(node) }
      let (found, id) = try dispatcher.characteristic(selector, of: accessory)
      return found.assumeIsolated { found in
        let name = found.database.slot(of: id).map { found.database.named($0).name } ?? "\(id)"
        return ScenarioSubject(accessory: found.name, aid: id.aid, iid: id.iid, name: name)
      }
    } catch { throw ScenarioTrouble(error) }
  }

  func place(_ accessory: JSONNode) throws(ScenarioTrouble) -> ScenarioPlace {
    do {
      let (found, aid) = try dispatcher.place(of: try AccessorySelector(accessory))
      return ScenarioPlace(accessory: found.assumeIsolated { $0.name }, aid: aid)
    } catch { throw ScenarioTrouble(error) }
  }

  func value(of subject: ScenarioSubject) -> JSONNode? { characteristic(subject).map { JSONNode($0.value) } }

  func text(of value: JSONNode, for subject: ScenarioSubject) -> String {
    guard let characteristic = characteristic(subject), let value = try? characteristic.value(from: value) else {
      return value.compactText
    }
    let word = Catalogue.characteristic(characteristic.type)?.word(for: value)
    return word.map { "\($0) (\(value.text))" } ?? value.text
  }

  func meaning(of value: JSONNode, for subject: ScenarioSubject) throws(ScenarioTrouble) -> JSONNode {
    guard let characteristic = characteristic(subject) else { throw ScenarioTrouble("\(subject.name) is gone") }
    do throws(CommandError) { return JSONNode(try characteristic.value(from: value)) } catch {
      throw ScenarioTrouble(error.message)
    }
  }

  private func characteristic(_ subject: ScenarioSubject) -> Characteristic? {
    for accessory in simulation.accessories {
      let found = accessory.assumeIsolated { accessory -> Characteristic? in
        guard accessory.name == subject.accessory else { return nil }
        let database = accessory.database
        return database.slot(of: AttributeID(aid: subject.aid, iid: subject.iid)).map { database.characteristics[$0] }
      }
      if let found { return found }
    }
    return nil
  }
}

extension ScenarioTrouble {
  fileprivate init(_ error: any Error) {
    self.init((error as? CommandError)?.message ?? (error as? JSONProblem)?.message ?? "\(error)")
  }
}

extension CharacteristicWords {
  /// An object with the service in it, where there is one.
  fileprivate var serviceMember: JSONNode { .object(service.map { [("service", $0)] } ?? []) }
}

extension JSONNode {
  /// A value as JSON says it: data in base64.
  package init(_ value: Value) {
    switch value {
    case .null: self.init(Kind.null)
    case .bool(let bool): self.init(Kind.bool(bool))
    case .integer(let integer): self = .integer(integer)
    case .float(let float): self = .number(float)
    case .string(let text): self = .text(text)
    case .data(let bytes):
      var buffer = ByteBuffer()
      buffer.appendBase64(bytes)
      self = .text(String(decoding: buffer.bytes, as: UTF8.self))
    }
  }

}
