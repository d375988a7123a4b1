import HAPCommandLine
import HAPHome
import HAPHomeControl
import HAPHub
import HAPHubLink
import HAPLoop

// The page of the homes.
extension HubCommands {
  static func servePage(
    of hub: HomeHub, at address: ListeningAddress, _ options: ServedHub.Options, _ console: Console, on loop: EventLoop
  ) async throws -> ServedHomePage {
    let zones = options.zones
    let page = try await ServedHomePage.start(
      hub, at: SocketAddress(host: address.host, port: address.port ?? ServedHomePage.standardPort),
      zoneRules: { zones.rules(of: $0) }, version: options.version, on: loop)
    let link = await hub.link()
    let token: String
    do {
      guard case .document(let text) = try await link.ask(.pageToken(user: nil, renews: false)) else {
        throw wrongAnswer
      }
      token = text
    } catch {
      await page.close(on: loop)
      throw error
    }
    await link.close()
    console.print("The page of the homes is at \(page.url(token: token))")
    if !address.host.isLoopback {
      console.print("Other machines can open it. The connection is not encrypted: use it in a network that you trust.")
    }
    return page
  }

  static let token = Command(
    "token", "print the token with which a person opens the page of the homes",
    operands: .some(label: "USER", count: 0...1), options: [folder.definition, home.definition, renew.definition],
    discussion: [
      "Without USER: the token of the owner of the hub, who may do everything. A user of a home sees this home alone, and may do what the role permits: an administrator changes it, a guest controls it.",
      "A token is valid until it is renewed, or the user is removed. It opens locks: give it only to this person.",
    ],
    examples: [
      ("hapctl hub token", "prints your own token"), ("hapctl hub token Ben", "prints the token of the user Ben"),
      ("hapctl hub token Ben --renew", "prints a new one; the one before is not valid any more"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let path = try hubFolder(given: try arguments.value(folder), console.environment)
    let (name, homeName, renews) = (arguments.operands.first, try arguments.value(home), arguments[renew])
    return command("token", console) { loop, _ in
      try await withHub(of: path, on: loop) { link in
        var user: HomeObjectID?
        if let name { user = try await Self.user(named: name, homeName, link) }
        guard case .document(let token) = try await link.ask(.pageToken(user: user, renews: renews)) else {
          throw wrongAnswer
        }
        console.print(token)
        return .well
      }
    }
  }

  /// Returns a user of a home of this hub; nil: the owner.
  private static func user(named name: String, _ homeName: String?, _ link: HubSocketLink) async throws -> HomeObjectID?
  {
    guard case .attached(let snapshot) = try await link.ask(.attach(app: "hapctl hub token")) else { throw wrongAnswer }
    let own = snapshot.model.homes.filter { $0.copy == nil }
    let homes = homeName.map { name in own.filter { $0.name.key == HomeName(name).key } } ?? own
    let users = homes.flatMap { home in home.users.filter { HomeName($0.name).key == HomeName(name).key } }
    guard let user = users.first else {
      let names = homes.flatMap(\.users).map { "\"\($0.name)\"" }
      throw HomeError(
        .notFound, nil,
        "no home of this hub has a user \"\(name)\"\(names.isEmpty ? "" : ": there are \(names.joined(separator: ", "))")"
      )
    }
    guard users.count == 1 || users.allSatisfy({ $0.role == .owner }) else {
      throw HomeError(.notFound, nil, "\(users.count) homes have a user \"\(name)\": name the home with --home")
    }
    return user.role == .owner ? nil : user.id
  }
}
