import HapsimInputs
import HAPDiscovery
import HAPLoop

/// - Returns: nil if accessories are not announced.
func openResponder(
  _ options: RunOptions, on loop: EventLoop
) throws(LoopError) -> (responder: any Responder, choice: BackEnd.Choice)? {
  let wanted: BackEnd?
  switch options.bonjour {
  case .off: return nil
  case .auto: wanted = nil
  case .daemon: wanted = .daemon
  case .embedded: wanted = .embedded
  }
  return try BackEnd.open(
    wanted, on: loop, interfaces: options.interfaces, bindsToAddress: options.bind.map { !isAnyAddress($0) } ?? false)
}

private func isAnyAddress(_ text: String) -> Bool { (try? IPAddress(text))?.isUnspecified ?? false }
