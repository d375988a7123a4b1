import HAPModel

/// A television. It starts after a delay, its media state follows its target, and it shows one of its input sources.
/// HAP R2 §8 "Television".
///
/// - While active, Current Media State follows Target Media State. While starting it is loading, if its values allow
///   that. While inactive it is stopped.
/// - Active Identifier accepts the Identifier of an input source. Any other value is reset to the previous one.
/// - Remote Key: play/pause toggles playback. The other keys and Power Mode Selection change nothing that a controller
///   sees.
final class Television: Behaviour {
  /// Values of Current Media State; the first three are those of Target Media State too.
  private enum Media {
    static let play: Value = 0, pause: Value = 1, stop: Value = 2
    static let loading = 4.0
  }
  private enum Power { case off, starting, on }
  private static let playPause: Value = 11
  private static let started = 0

  private let active, source, key, current, target: AttributeID?
  /// Identifier of each of its input sources.
  private let identifiers: [AttributeID]
  private let startTime: Duration
  private var power = Power.off
  private var shown: Value?
  private var wanted = Media.stop

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    active = service[.active]
    source = service[.activeIdentifier]
    key = service[.remoteKey]
    current = service[.currentMediaState]
    target = service[.targetMediaState]
    identifiers = service.companions(.inputSource).compactMap { $0[.identifier] }
    startTime = parameters.duration("startTime")
  }

  static let kind = BehaviourKind(
    service: .television,
    summary: "It starts and stops, its media state follows its target, and it shows one of its input sources.",
    parameters: [
      .init(
        "startTime", .duration, default: .duration(.seconds(2)),
        "Time from Active until Target Media State has an effect.")
    ]
  ) { Television($0, $1) }

  func start(_ context: inout DeviceContext) {
    shown = context.value(source)
    wanted = context.value(target) ?? context.value(current) ?? Media.stop
    power = context.value(active) == 0 ? .off : .on
    tellMedia(&context)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    switch id {
    case active: turn(&context)
    case source: show(value, &context)
    case target: play(value, &context)
    case key: if value == Self.playPause, power != .off { pressPlayPause(&context) }
    default: break
    }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == current, power == .on, [Media.play, Media.pause, Media.stop].contains(value) {
      wanted = value
      LedState.lead(target, to: value, &context)
    }
    written(id, value, &context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    guard power == .starting else { return }
    power = .on
    tellMedia(&context)
  }

  private func turn(_ context: inout DeviceContext) {
    if context.value(active) == 0 {
      if power == .starting { context.cancel(Self.started) }
      power = .off
    } else if power == .off {
      power = startTime > .zero ? .starting : .on
      if power == .starting { context.schedule(Self.started, after: startTime) }
    }
    tellMedia(&context)
  }

  private func show(_ value: Value, _ context: inout DeviceContext) {
    let known = identifiers.compactMap { context.value($0) }
    if known.isEmpty || known.contains(value) {
      shown = value
    } else if let shown {
      context.set(source, shown)
    }
  }

  private func pressPlayPause(_ context: inout DeviceContext) {
    let next = wanted == Media.play ? Media.pause : Media.play
    if let target {
      guard context.characteristic(target)?.allows(next) == true else { return }
      context.change(target, to: next)
    }
    play(next, &context)
  }

  private func play(_ value: Value, _ context: inout DeviceContext) {
    wanted = value
    tellMedia(&context)
  }

  private func tellMedia(_ context: inout DeviceContext) {
    switch power {
    case .off: context.tell(current, Media.stop.doubleValue ?? 0)
    case .starting: context.tell(current, Media.loading)
    case .on: context.tell(current, wanted.doubleValue ?? 0)
    }
  }
}
