import HTTPTesting
import TestBasics

/// A loopback connection that sends any bytes.
final class RawSocket {
    private let socket: LoopbackSocket

    init(port: UInt16) throws { socket = try LoopbackSocket(port: port, patience: TestRun.patience) }

    /// Returns false if the server accepts no more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        do {
            try socket.send(bytes)
            return true
        } catch {
            return false
        }
    }

    func finishSending() { socket.finishSending() }

    /// Sends bytes that the server may receive together with the end of the stream.
    func sendLast(_ bytes: [UInt8]) throws { try socket.sendLast(bytes) }

    /// Returns what was received up to the end of a head, whose response must have no body.
    func readHead() throws -> String {
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            let bytes = try socket.receive()
            if bytes.isEmpty { break }
            head += String(decoding: bytes, as: UTF8.self)
        }
        return head
    }

    /// Returns everything received until the server closes; nil if that takes longer than the time limit.
    func readToEnd() -> [UInt8]? {
        var all: [UInt8] = []
        while true {
            do {
                let bytes = try socket.receive()
                if bytes.isEmpty { return all }
                all += bytes
            } catch let failure as LoopbackSocket.Failure where failure.isReset {
                return all
            } catch {
                return nil
            }
        }
    }
}
