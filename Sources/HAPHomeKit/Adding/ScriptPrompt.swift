import Foundation

/// The prompt of a program without a terminal: the setup code of the environment, and all suggestions.
struct ScriptPrompt: HMSetupPrompt {
  /// The variable with the setup code or payload.
  nonisolated static let variable = "HAPHOME_SETUP_CODE"

  private let code: String?

  /// - Parameter code: the value of the variable; nil or empty: it is not set.
  nonisolated init(code: String?) { self.code = code }

  func setupCode(for request: HMSetupUI.CodeRequest) async throws -> String? {
    if let code, !code.isEmpty { return code }
    let accessory = request.accessory.map { " of \"\($0.name)\"" } ?? ""
    throw HMError(
      .operationCancelled,
      "the setup code\(accessory) is missing: run the program on a terminal, set \(Self.variable), or set "
        + "HMSetupUI.shared to a prompt that answers")
  }
}
