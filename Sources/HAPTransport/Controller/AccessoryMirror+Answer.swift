import HAPIP
import HAPWire

extension AccessoryMirror {
  /// Reads the answer to `GET /accessories`.
  package init(answer: LinkMessage) throws(ClientError) {
    guard answer.status == 200 else { throw ClientError.status(answer.status, request: "GET /accessories") }
    do throws(JSONProblem) { try self.init(answer.body) } catch {
      throw ClientError.body(error, request: "GET /accessories", of: answer.body)
    }
  }
}
