import HAPLoop

extension BackEnd {
  /// Starts to browse for services.
  /// - Parameters:
  ///   - wanted: the mDNS implementation. nil: the one that suits the machine.
  ///   - interfaces: names. Empty: all interfaces of the local network.
  ///   - onEvent: never called before this returns.
  /// - Throws: `.noSuchInterface`.
  package static func browse(
    _ wanted: BackEnd? = nil, for type: String = "_hap._tcp", on loop: EventLoop, interfaces: [String] = [],
    onEvent: @escaping (BrowserEvent) -> Void
  ) throws(LoopError) -> (browser: ServiceBrowser, choice: Choice) {
    var found: [NetworkInterface] = []
    for name in interfaces { found.append(try loop.interfaces().named(name)) }
    let names = InterfaceChoice(interfaces)
    // The browser reuses the `DaemonDesk` that found the daemon.
    var desk: DaemonDesk?
    let choice =
      wanted.map { Choice(backEnd: $0, reason: "as requested") }
      ?? choice(interfaces: found, bindsToAddress: false) {
        let new = DaemonDesk(names)
        desk = new
        return new.absence(waitingAtMost: patience)
      }
    if choice.backEnd == .embedded { desk?.close() }
    let browser = try ServiceBrowser(onEvent: onEvent) { report throws(LoopError) in
      switch choice.backEnd {
      case .daemon:
        return try RecordBrowser(loop, type: type, onEvent: report) {
          DaemonRecordSource(loop, desk ?? DaemonDesk(names), type: type, tell: $0)
        }
      case .embedded:
        return EmbeddedServiceSource(loop, names, type: type, report: report)
      }
    }
    return (browser, choice)
  }
}
