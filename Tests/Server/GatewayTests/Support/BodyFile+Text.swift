import Foundation
import Glibc
import HTTPServer

extension BodyFile {
    /// Creates a body as the server does: in a file without a name.
    convenience init(_ text: String) throws {
        var template = Array((NSTemporaryDirectory() + "realmgate-body-XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        unlink(template)
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw POSIXError(.EIO)
        }
        self.init(adopting: descriptor, count: bytes.count)
    }
}
