import HAPWire

extension ReportDifference {
  /// A JSON object with a list for each kind of change, and whether the new run is worse.
  package var json: String {
    JSONWriter.text { json in
      json.object { json in
        json.key("isWorse")
        json.bool(isWorse)
        let lists = [
          ("newFailures", newFailures), ("fixed", fixed), ("flaky", flaky), ("changed", changed),
          ("appeared", appeared), ("vanished", vanished),
        ]
        for (name, changes) in lists {
          json.key(name)
          json.array { json in for change in changes { change.write(to: &json) } }
        }
        json.key("notCompared")
        json.integer(notSelected)
      }
    }
  }
}

extension ReportDifference.Change {
  /// `old` or `new` is null if that run has no such case.
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      for (name, text) in [("id", id), ("name", name), ("message", message)] {
        json.key(name)
        json.string(text)
      }
      for (name, verdict) in [("old", old), ("new", new)] {
        json.key(name)
        if verdict.isEmpty { json.null() } else { json.string(verdict) }
      }
    }
  }
}
