import MatterModel
import MatterWire

/// A change to messages of a Matter node. See docs/reference/defects.md.
package struct MatterRule: Sendable {
  package enum Subject: Equatable, Sendable {
    case request(MatterRequest)
    case answer(MatterRequest)
    case report
  }

  let subject: Subject
  /// The numbers of the messages that it changes, among those of its subject; nil: all.
  let count: CountPattern?
  let effect: MatterEffect

  func matches(_ message: MatterMessage) -> Bool {
    switch (subject, message) {
    case (.request(let name), .request(let names)), (.answer(let name), .answer(to: let names)): names.contains(name)
    case (.report, .report): true
    default: false
    }
  }
}

/// An effect of a rule on a message of a Matter node.
package enum MatterEffect: Equatable, Sendable {
  package enum Status: Equatable, Sendable {
    case interaction(InteractionStatus.Code)
    case secureChannel(StatusReport.SecureChannelCode)
  }

  /// A part of an answer with a signature.
  package enum Part: String, CaseIterable, Sendable {
    /// The nonce is not that of the request. The signature is correct.
    case nonce
    /// The signature over the elements is wrong.
    case signature
    /// The elements are signed for another session.
    case challenge
    /// The request for a certificate is not signed by its key.
    case signingRequest = "signing-request"
  }

  /// This number of transmissions is lost, from the first one on; `Int.max`: all.
  case drop(Int)
  /// The answer has this code, or this status. The request was executed.
  case code(UInt8)
  case status(Status)
  /// A part of the answer is wrong.
  case wrong(Part)
  /// The request is not executed, and is answered with this code, or this status.
  case refuseWithCode(UInt8)
  case refuse(Status)
  /// The fail-safe expires before the request is executed.
  case expireFailSafe
}

/// Errors in the proof of a Matter node's origin.
package struct MatterAttestation: Equatable, Sendable {
  package enum Device: String, CaseIterable, Sendable {
    case expired
    case otherVendor = "other-vendor"
    case otherProduct = "other-product"
    case otherKey = "other-key"
    case wrongSignature = "wrong-signature"
  }
  package enum Intermediate: String, CaseIterable, Sendable {
    case expired
    case otherVendor = "other-vendor"
    case wrongSignature = "wrong-signature"
  }
  package enum Authority: String, CaseIterable, Sendable { case unknown }
  package enum Declaration: String, CaseIterable, Sendable {
    case otherVendor = "other-vendor"
    case otherProduct = "other-product"
    case wrongSignature = "wrong-signature"
  }

  package var device: Device?
  package var intermediate: Intermediate?
  package var authority: Authority?
  package var declaration: Declaration?

  /// No errors.
  package init() {}

  /// Whether it needs other certificates than those of the label.
  package var changesCertificates: Bool { device != nil || intermediate != nil || authority != nil }
}

/// The error of a Matter node that breaks one rule.
package struct MatterDefect: Sendable {
  /// The rule that is broken, with its source: "Matter 1.4.2 Core §11.18.6: …".
  package let rule: String
  /// The reaction of a correct controller.
  package let controller: String
  package let rules: [MatterRule]
  package let attestation: MatterAttestation
}

/// The rules of a Matter node that runs, with their counts.
package struct MatterScript: Sendable {
  private let rules: [MatterRule]
  private var counts: [Int]

  package init(_ defect: MatterDefect) { (rules, counts) = (defect.rules, defect.rules.map { _ in 0 }) }

  package var isEmpty: Bool { rules.isEmpty }

  /// Returns the effects on a message, in the order of the rules.
  package mutating func effects(on message: MatterMessage) -> [MatterEffect] {
    var effects: [MatterEffect] = []
    for (index, rule) in rules.enumerated() where rule.matches(message) {
      counts[index] += 1
      if rule.count?.fits(counts[index]) ?? true { effects.append(rule.effect) }
    }
    return effects
  }
}
