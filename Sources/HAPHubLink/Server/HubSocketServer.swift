import HAPHome
import HAPLoop

/// Serves a hub to apps of other processes, through a socket in the hub's folder. Belongs to the loop's thread.
///
/// All resources are limited: the number of apps, the length of lines, and what waits for an app that reads slowly. The
/// requests of such an app are not read; its events are dropped, and it gets `missed`.
package final class HubSocketServer {
  /// The name of the socket in the hub's folder.
  package static let fileName = "hub.sock"
  package static let mostApps = 128

  private let hub: any HubServing
  private let loop: EventLoop
  private let owner: UInt32
  private let longestRequest: Int
  private var listener: LocalListener?
  private var connections: [HubSocketConnection] = []

  /// - Parameters:
  ///   - path: the socket's path. A socket of a hub that was killed is replaced.
  ///   - owner: the user who owns the folder. Only this user and root are served.
  ///   - longestRequest: the greatest length of a line of an app, in bytes.
  /// - Throws: `.addressInUse` if another hub listens there.
  package init(
    _ hub: any HubServing, at path: String, owner: UInt32, longestRequest: Int = HubProtocol.longestRequest,
    on loop: EventLoop
  ) throws(LoopError) {
    (self.hub, self.loop, self.owner, self.longestRequest) = (hub, loop, owner, longestRequest)
    if try Self.isInUse(path, on: loop) {
      throw LoopError(.addressInUse, "another hub listens at \(path); stop it, or use another folder")
    }
    listener = try LocalListener(loop, path: path) { [weak self] stream in
      if let self { accept(stream) } else { stream.close() }
    }
  }

  private static func isInUse(_ path: String, on loop: EventLoop) throws(LoopError) -> Bool {
    let notThere = LoopError.Code.other(-2)  // ENOENT
    do throws(LoopError) {
      try LocalStream(loop, connectingTo: path).close()
      return true
    } catch {
      // A killed process leaves its socket behind, which refuses connections.
      if error.code == .connectionRefused || error.code == notThere { return false }
      throw error
    }
  }

  package var appCount: Int { connections.count }

  /// Removes the socket, sends what waits for each app, and ends its link. Any number of times.
  package func close() {
    listener?.close()
    listener = nil
    for connection in connections { connection.finish() }
  }

  private func accept(_ stream: LocalStream) {
    guard let peer = stream.peer, peer.userID == owner || peer.userID == 0 else {
      return refuse(
        stream,
        HomeError(.insufficientPrivileges, nil, "only the owner of the hub's folder and root can use the hub"))
    }
    guard connections.count < Self.mostApps else {
      return refuse(
        stream, HomeError(.maximumObjectLimitReached, nil, "the hub serves \(Self.mostApps) apps; end one of them"))
    }
    let connection = HubSocketConnection(stream, Int(peer.processID), hub, longestRequest: longestRequest, on: loop)
    connections.append(connection)
    connection.onEnd = { [weak self, unowned connection] in
      self?.connections.removeAll { $0 === connection }
    }
    connection.start()
  }

  private func refuse(_ stream: LocalStream, _ error: HomeError) {
    stream.write(HubMessage.answer(id: nil, .failure(error)).bytes)
    stream.closeAfterWriting()
  }
}
