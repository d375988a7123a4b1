import HAPModel

/// Text for parameters on the page and in the output of `hapsim behaviours`.
extension BehaviourParameter {
  /// Returns the parameters and the members of their lists. Members are prefixed by the list's name: "follow[].delay".
  package static func flattened(_ parameters: [BehaviourParameter]) -> [BehaviourParameter] {
    parameters.flatMap { parameter in
      guard case .list(let members) = parameter.kind else { return [parameter] }
      return [parameter]
        + flattened(members).map { member in
          var member = member
          member.name = "\(parameter.name)[].\(member.name)"
          return member
        }
    }
  }

  /// "duration", "jump, linear or ease", "0 to 100".
  package var kindText: String {
    switch kind {
    case .duration: "duration"
    case .choice(let words):
      [words.dropLast().joined(separator: ", "), words.last ?? ""].filter { !$0.isEmpty }.joined(separator: " or ")
    case .fraction: "0 to 1"
    case .number(let range): "\(plain(range.lowerBound)) to \(plain(range.upperBound))"
    case .flag: "true or false"
    case .series: "series"
    case .characteristic: "characteristic"
    case .list: "list"
    }
  }

  /// The default as in a profile; "required" if there is none, and "none" for an empty list or no series.
  package var defaultText: String {
    switch defaultSetting {
    case nil: "required"
    case .duration(let duration): duration.roundText
    case .choice(let word): word
    case .fraction(let number), .number(let number): plain(number)
    case .flag(let flag): "\(flag)"
    case .series(let series): series == nil ? "none" : "a series"
    case .characteristic(let type): type.wireForm
    case .list(let list): list.isEmpty ? "none" : "\(list.count)"
    }
  }
}

/// Returns the number without ".0" if it is whole.
private func plain(_ number: Double) -> String {
  let text = "\(number)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
