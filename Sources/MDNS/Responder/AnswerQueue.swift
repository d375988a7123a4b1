extension MDNSResponder {
  /// Sends the answers that are due on a link.
  mutating func runAnswers(on link: Int) {
    guard deadline(of: links[link]) <= now else { return }
    beginTick(on: link)
    while let index = links[link].deferred.firstIndex(where: { $0.due <= now }) {
      var query = links[link].deferred.remove(at: index)
      // The query has been delayed already.
      query.querier.hasSeveralQuestions = false
      answer(query.questions, query.querier, nil, on: link)
    }
    while let index = links[link].replies.firstIndex(where: { $0.due <= now }) {
      send(links[link].replies.remove(at: index), on: link)
    }
    runWaiting(on: link)
    runBrowses(on: link)
    runJobs(on: link)
  }

  /// Sends multicast answers before the answers with all services of a type, which would delay them.
  private mutating func runWaiting(on link: Int) {
    var packer = packer(.response, link: link)
    for type in types.indices where links[link].types[type].listedDue <= now { sendListed(type, on: link, &packer) }
    while let next = links[link].answers.first, next.due <= now, hasBulkRoom(packer) {
      _ = links[link].answers.removeFirst()
      if state(next.key, on: link).answerDue == next.due { sendWaiting(next.key, on: link, &packer) }
    }
    flushBulk(&packer)
  }

  /// Returns whether one more answer may be sent in this tick.
  private func hasBulkRoom(_ packer: Packer) -> Bool {
    let most = configuration.packetsPerTick - links[packer.link].bulkPackets
    return packer.hasRoom(within: most, of: links[packer.link].room)
  }

  private mutating func flushBulk(_ packer: inout Packer) {
    flush(&packer)
    links[packer.link].bulkPackets += packer.packets
  }

  private mutating func sendListed(_ type: Int, on link: Int, _ packer: inout Packer) {
    let next = links[link].types[type].listedSent + Time.second
    if next > now {
      links[link].types[type].listedDue = next
      return
    }
    noteSent(.listed, of: Ref(.type, type), on: link)
    add(Packer.Item(ref: Ref(.type, type), answers: .listed), to: &packer)
  }

  /// Sends the answers for one name. RFC 6762 §6: no record is multicast twice within a second. Records that were sent
  /// less than a second ago continue to wait.
  private mutating func sendWaiting(_ ref: Ref, on link: Int, _ packer: inout Packer) {
    let state = state(ref, on: link)
    withState(ref, on: link) { $0.answerDue = Time.never }
    guard isThere(ref, on: link) else { return withState(ref, on: link) { $0.waiting = [] } }
    let ready = state.notSent(state.waiting, since: now - Time.second)
    let late = state.waiting.subtracting(ready)
    if !ready.isEmpty {
      let more = freshAdditionals(to: ready, of: ref, on: link)
      add(Packer.Item(ref: ref, answers: ready, additionals: more), to: &packer)
      noteSent(ready.union(more), of: ref, on: link)
      withState(ref, on: link) { $0.wasAnnounced = true }
    }
    withState(ref, on: link) { $0.waiting = [] }
    wait(late, of: ref, on: link, until: now)
  }

  // MARK: All services of a type

  private mutating func runBrowses(on link: Int) {
    for type in types.indices {
      if links[link].types[type].running == nil, links[link].types[type].due <= now {
        links[link].types[type].running = links[link].types[type].waiting
        links[link].types[type].waiting = nil
        links[link].types[type].due = Time.never
        links[link].types[type].cursor = 0
      }
      guard let browse = links[link].types[type].running else { continue }
      var packer = packer(.response, link: link)
      while hasBulkRoom(packer) {
        let cursor = links[link].types[type].cursor
        guard cursor < types[type].services.count else {
          links[link].types[type].running = nil
          break
        }
        links[link].types[type].cursor = cursor + 1
        sendPointer(Int(types[type].services[cursor]), browse, on: link, &packer)
      }
      flushBulk(&packer)
    }
  }

  private mutating func sendPointer(
    _ index: Int, _ browse: TypeState.Browse, on link: Int, _ packer: inout Packer
  ) {
    let state = links[link].services[index]
    guard isUp(index, on: link), behavior(index).announces, state.pointerSent < browse.asked else { return }
    if state.knownIn == browse.query, state.known.contains(.pointer) { return }
    let ref = Ref(.service, index)
    if state.pointerSent > now - Time.second { return wait(.pointer, of: ref, on: link, until: now) }
    let more = freshAdditionals(to: .pointer, of: ref, on: link)
    add(Packer.Item(ref: ref, answers: .pointer, additionals: more), to: &packer)
    noteSent(more.union(.pointer), of: ref, on: link)
  }

  private mutating func runJobs(on link: Int) {
    var place = 0
    while place < links[link].jobs.count {
      guard links[link].jobs[place].due <= now else {
        place += 1
        continue
      }
      let job = links[link].jobs[place]
      var packer = Packer(.response, link: link, to: .unicast(job.querier.source))
      var isDone = false
      while hasBulkRoom(packer) {
        let cursor = links[link].jobs[place].cursor
        guard cursor < types[job.type].services.count else {
          isDone = true
          break
        }
        links[link].jobs[place].cursor = cursor + 1
        sendPointer(Int(types[job.type].services[cursor]), job, on: link, &packer)
      }
      flushBulk(&packer)
      if isDone { links[link].jobs.remove(at: place) } else { place += 1 }
    }
  }

  private mutating func sendPointer(_ index: Int, _ job: UnicastJob, on link: Int, _ packer: inout Packer) {
    let state = links[link].services[index]
    let behavior = behavior(index)
    guard isUp(index, on: link), behavior.announces, behavior.hearsUnicast else { return }
    if state.knownIn == job.querier.query, state.known.contains(.pointer) { return }
    let ref = Ref(.service, index)
    let quarter = Int64(ttl(of: .pointer, ref)) * Time.second / 4
    guard behavior.answersUnicast, now - state.pointerSent <= quarter else {
      return wait(.pointer, of: ref, on: link, until: now)
    }
    let more = additionals(to: .pointer, of: ref, on: link)
    add(Packer.Item(ref: ref, answers: .pointer, additionals: more), to: &packer)
  }

  /// Handles the move of a service to another position in the list of its type. If the cursor has passed the new
  /// position but not the old one, the service gets a separate answer.
  mutating func moved(_ index: Int, to position: Int, _ type: Int, on link: Int) {
    let isMissed =
      links[link].types[type].running != nil && position < links[link].types[type].cursor
      || links[link].jobs.contains { $0.type == type && position < $0.cursor }
    if isMissed, isUp(index, on: link) { wait(.pointer, of: Ref(.service, index), on: link, until: now) }
  }
}
