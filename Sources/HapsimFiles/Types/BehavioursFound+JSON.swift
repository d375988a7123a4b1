import HAPDevices
import HAPModel
import HAPWire

extension BehavioursFound {
  /// An object on one line: `behaviours`, each with `service`, `type`, `summary`, `parameters` and `actions`. The generic
  /// behaviour has null for `service` and `type`.
  var json: String {
    JSONWriter.text { json in
      json.object { json in
        json.key("behaviours")
        json.array { json in for kind in kinds { write(kind, to: &json) } }
      }
    }
  }

  private func write(_ kind: BehaviourKind, to json: inout JSONWriter) {
    json.object { json in
      json.key("service")
      if let service = kind.service { json.string(service.identifier) } else { json.null() }
      json.key("type")
      if let service = kind.service { json.string(service.type.wireForm) } else { json.null() }
      json.key("summary")
      json.string(kind.summary)
      json.key("parameters")
      json.array { json in
        for row in BehaviourParameter.flattened(kind.parameters) { write(row, to: &json) }
      }
      json.key("actions")
      json.array { json in for action in kind.actions { json.string(action.rawValue) } }
    }
  }

  private func write(_ row: BehaviourParameter, to json: inout JSONWriter) {
    json.object { json in
      json.key("name")
      json.string(row.name)
      json.key("kind")
      json.string(row.kindText)
      if let setting = row.defaultSetting {
        json.key("default")
        switch setting {
        case .number(let number), .fraction(let number): json.double(number)
        case .flag(let flag): json.bool(flag)
        case .series: json.null()
        case .list: json.array { _ in }
        case .duration, .choice, .characteristic: json.string(row.defaultText)
        }
      }
      json.key("summary")
      json.string(row.summary)
    }
  }
}
