import FuzzSupport
import HAPAlmanac
import HAPHome
import HAPHomeFile
import HAPModel

/// Reads a document of a home. A document that was read can be written and read again unchanged. A home gets a plan whose
/// changes have the same effect as its commands, and after which nothing is left to do.
package func fuzzHomeFile(_ bytes: UnsafeRawBufferPointer) {
  let file: HomeFile
  do throws(HomeFileProblems) { file = try HomeFile.read([UInt8](bytes)) } catch { return check(error) }
  for text in [file.yaml, file.json] {
    guard let again = try? HomeFile.read(Array(text.utf8)) else { fatalError("a written document is refused: \(text)") }
    require(again == file, "a written document is read as another one: \(text)")
    require(again.yaml == file.yaml && again.json == file.json, "a document is written in another way")
  }
  for removesOthers in [false, true] { checkPlan(file, removesOthers: removesOthers) }
}

private func check(_ error: HomeFileProblems) {
  require(!error.problems.isEmpty)
  for problem in error.problems {
    require(problem.place.line >= 1 && problem.place.column >= 1 && !problem.message.isEmpty)
  }
}

private func checkPlan(_ file: HomeFile, removesOthers: Bool) {
  let model = FuzzedHome.model
  var options = HomeFile.PlanOptions()
  options.removesOthers = removesOthers
  let plan: HomeFilePlan
  do throws(HomeFileProblems) {
    var random = FuzzedHome.Random(state: 2)
    plan = try file.plan(for: model, options, in: FuzzedHome.context, using: &random)
  } catch { return check(error) }
  var applied = model
  applied.apply(plan.changes)
  require(applied == plan.model, "the changes have another effect than the commands")
  for difference in plan.differences { require(!difference.text.isEmpty && difference.place.line >= 1) }
  require(nothingIsLeft(of: file, in: plan.model, options), "a second time changes something")
  guard let home = plan.model.home(plan.home) else { fatalError("the home of a plan is missing") }
  let export = HomeFile(of: home, zoneRules: FuzzedHome.context.zoneRules)
  require(nothingIsLeft(of: export, in: plan.model, options), "the document of a home changes the home")
}

private func nothingIsLeft(of file: HomeFile, in model: HomeModel, _ options: HomeFile.PlanOptions) -> Bool {
  var random = FuzzedHome.Random(state: 3)
  return (try? file.plan(for: model, options, in: FuzzedHome.context, using: &random).steps.isEmpty) == true
}

/// A home with a bridge and two lights, a room, a zone, a group, a scene and a trigger.
private enum FuzzedHome {
  static let context = HomeContext(now: Instant(seconds: 1_780_000_000)) { zone in
    switch zone {
    case .utc: .utc
    case ZoneName("Europe/Berlin"): try? ZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3")
    default: nil
    }
  }

  struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return state ^ state >> 29
    }
  }

  static let model: HomeModel = {
    var model = HomeModel()
    var random = Random(state: 1)
    func perform(_ command: HomeCommand) {
      require((try? model.perform(command, in: context, using: &random)) != nil, "a valid command is refused")
    }
    perform(.addHome(name: "My Home", zone: .utc, location: Coordinate(latitude: 1, longitude: 2), owner: "Anna"))
    guard let home = model.homes.first, let device = DeviceID("AA:BB:CC:00:00:01") else { fatalError("no home") }
    let accessories = [accessory(1, []), accessory(2, [light]), accessory(3, [light, vendor])]
    perform(
      .addDevice(
        home: home.id,
        DeviceDescription(device: device, configurationNumber: 1, category: 2, accessories: accessories)))
    let text = """
      {"home": "My Home", "rooms": ["Hall"], "zones": {"Up": ["Hall"]}, "groups": {"G": ["A2/Light Bulb"]},
       "scenes": {"S": {"set": {"A2/On": true}}},
       "triggers": {"T": {"when": [{"sun": "sunset"}], "run": ["S", {"set": {"A3/On": "off"}}], "enabled": true}}}
      """
    guard let file = try? HomeFile.read(Array(text.utf8)),
      let plan = try? file.plan(for: model, in: context, using: &random)
    else { fatalError("a valid document is refused") }
    return plan.model
  }()

  private static func accessory(_ aid: UInt64, _ services: [Service]) -> Accessory {
    let name = characteristic(2, 0x23, .string, .string("A\(aid)"))
    return Accessory(aid: aid, services: [Service(iid: 1, type: 0x3E, characteristics: [name])] + services)
  }

  private static var light: Service {
    Service(
      iid: 10, type: 0x43,
      characteristics: [
        characteristic(11, 0x25, .bool), characteristic(12, 0x8, .int), characteristic(13, 0x13, .float),
      ])
  }

  private static var vendor: Service {
    Service(
      iid: 20, type: 0x8000,
      characteristics: [
        characteristic(21, 0x8001, .string), characteristic(22, 0x8002, .data), characteristic(23, 0x1D, .uint8),
        characteristic(24, 0x23, .string, "B/C"),
      ])
  }

  private static func characteristic(
    _ iid: UInt64, _ type: TypeID, _ format: Format, _ value: Value = .null
  ) -> Characteristic {
    Characteristic(
      iid: iid, type: type, format: format, perms: [.pairedRead, .pairedWrite, .events], value: value,
      constraints: Constraints(minValue: format == .int ? 0 : nil, maxValue: format == .int ? 100 : nil))
  }
}
