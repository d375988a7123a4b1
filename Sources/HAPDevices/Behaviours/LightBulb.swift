import HAPAttributes
import HAPModel

/// A light: every value reads back as written, and a press turns it on or off. HAP R2 §8 "Light Bulb".
///
/// With `showsFade` and the vendor's Fade Rate, Brightness is reported during a fade. A fade starts at the present
/// value, so a read right after a write returns the old one.
final class LightBulb: Behaviour {
  /// Fade Rate, in seconds: a characteristic of a vendor.
  private static let fadeRateType = TypeID("7E536242-341C-4862-BE90-272CE15BD633")
  private static let next = 0

  private let on, brightness, fadeRate: AttributeID?
  private let showsFade: Bool
  private let report: Duration
  /// The present rest level, or the last one.
  private var level = 0.0
  private var fading: (fade: Fade, goal: Value)?

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    on = service[.on]
    brightness = service[.brightness]
    fadeRate = Self.fadeRateType.flatMap { service[$0] }
    showsFade = parameters.flag("showsFade") && brightness != nil && fadeRate != nil
    report = max(.milliseconds(50), parameters.duration("report"))
  }

  static let kind = BehaviourKind(
    service: .lightBulb, summary: "It keeps the value that is set, or fades to it; a press toggles On.",
    parameters: [
      .init(
        "showsFade", .flag, default: .flag(false),
        "Whether Brightness is reported during a fade; Fade Rate, a custom characteristic of type 7E536242-341C-4862-BE90-272CE15BD633, is its duration in seconds."
      ),
      .init(
        "report", .duration, default: .duration(.milliseconds(250)), "How often Brightness is reported during a fade."),
    ]
  ) { LightBulb($0, $1) }

  func start(_ context: inout DeviceContext) {
    if showsFade { level = context.value(brightness)?.doubleValue ?? 0 }
  }

  /// Lights are written to more often than any other service, so unneeded calls are avoided.
  var mindsWrites: Bool { showsFade }

  func written(_ write: ServiceWrite, _ context: inout DeviceContext) {
    for entry in write.entries where entry.id == brightness { dim(to: entry.value, &context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if showsFade, id == brightness { rest(at: value, &context) }
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    guard let (fade, goal) = fading else { return }
    guard context.now < fade.end else { return rest(at: goal, &context) }
    context.tell(brightness, fade.value(at: context.now))
    context.schedule(Self.next, after: fade.untilNext(report, at: context.now))
  }

  var actions: Set<PhysicalAction.Kind> { on == nil ? [] : [.press] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    try PowerSwitch.press(action, on, &context)
  }

  private func dim(to goal: Value, _ context: inout DeviceContext) {
    let here = fading?.fade.value(at: context.now) ?? level
    let wanted = goal.doubleValue ?? here
    // A vendor's number may be unlimited, but a Duration is not.
    let seconds = min(context.value(fadeRate)?.doubleValue ?? 0, 86_400)
    guard seconds > 0, wanted != here else { return rest(at: goal, &context) }
    let fade = Fade(from: here, to: wanted, start: context.now, duration: .seconds(seconds), curve: .linear)
    fading = (fade, goal)
    context.tell(brightness, here)
    context.schedule(Self.next, after: fade.untilNext(report, at: context.now))
  }

  private func rest(at value: Value, _ context: inout DeviceContext) {
    if fading != nil { context.cancel(Self.next) }
    fading = nil
    level = value.doubleValue ?? level
    context.change(brightness, to: value)
  }
}
