import HAPDevices
import HAPHost
import HAPIP
import HAPModel
import HAPScenario
import HAPVocabulary
import HAPWire

/// The accessories of a simulation, for its scenario.
///
/// Belongs to the loop's thread.
final class RunningWorld: ScenarioWorld {
  private let simulation: Simulation
  private let dispatcher: CommandDispatcher

  init(_ simulation: Simulation, _ dispatcher: CommandDispatcher) {
    self.simulation = simulation
    self.dispatcher = dispatcher
  }

  func subject(
    _ selector: CharacteristicSelector, of accessory: AccessorySelector?
  ) throws(ScenarioTrouble) -> ScenarioSubject {
    do throws(CommandError) {
      let (found, id) = try dispatcher.characteristic(selector, of: accessory)
      return found.assumeIsolated { found in
        let name = found.database.slot(of: id).map { found.database.named($0).name } ?? "\(id)"
        return ScenarioSubject(accessory: found.name, aid: id.aid, iid: id.iid, name: name)
      }
    } catch { throw ScenarioTrouble(error.message) }
  }

  func place(_ accessory: AccessorySelector) throws(ScenarioTrouble) -> ScenarioPlace {
    do throws(CommandError) {
      let (found, aid) = try dispatcher.place(of: accessory)
      return ScenarioPlace(accessory: found.assumeIsolated { $0.name }, aid: aid)
    } catch { throw ScenarioTrouble(error.message) }
  }

  func value(of subject: ScenarioSubject) -> Value? { characteristic(subject)?.value.asWritten }

  func text(of value: Value, for subject: ScenarioSubject) -> String {
    guard let characteristic = characteristic(subject), let value = try? characteristic.value(ofWritten: value) else {
      return value.writtenText
    }
    let word = Catalogue.characteristic(characteristic.type)?.word(for: value)
    return word.map { "\($0) (\(value.text))" } ?? value.text
  }

  func meaning(of value: Value, for subject: ScenarioSubject) throws(ScenarioTrouble) -> Value {
    guard let characteristic = characteristic(subject) else {
      throw ScenarioTrouble("\(subject.name) no longer exists")
    }
    do throws(CommandError) { return try characteristic.value(ofWritten: value).asWritten } catch {
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
