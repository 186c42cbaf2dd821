import HTTPTesting

/// A loopback connection that sends whatever bytes it is told to.
final class RawSocket {
    private let socket: LoopbackSocket

    init(port: UInt16) throws { socket = try LoopbackSocket(port: port) }

    /// False when the server takes no more.
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

    /// All that comes until the server closes; nil when it does not within the time limit.
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
