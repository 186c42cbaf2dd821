import HTTPClient
import Testing

@Suite("The address of a server")
struct BaseURLTests {
    @Test(
        "host, port and path are read, and written again",
        arguments: [
            ("http://h", "h", 80, "", "http://h"), ("http://h:8080/", "h", 8080, "", "http://h:8080"),
            ("https://db.example", "db.example", 443, "", "https://db.example"),
            ("HTTPS://db.example:443/a/b//", "db.example", 443, "/a/b", "https://db.example/a/b"),
            ("http://[::1]:81", "::1", 81, "", "http://[::1]:81"), ("https://[::1]", "::1", 443, "", "https://[::1]"),
            ("http://h:443", "h", 443, "", "http://h:443"), ("https://h:80", "h", 80, "", "https://h:80"),
        ])
    func parts(text: String, host: String, port: Int, prefix: String, written: String) {
        let base = BaseURL(text)
        #expect(base == BaseURL(host: host, port: port, isSecure: text.lowercased().hasPrefix("https"), prefix: prefix))
        #expect(base?.description == written)
    }

    @Test(
        "other texts are none",
        arguments: [
            "", "h", "h:80", "ftp://h", "http:/h", "http://", "http://:80", "http://h:", "http://h:x", "http://h:0",
            "http://h:65536", "http://h:+1", "http://h:99999999999999999999", "http://h/a b", "http://h/?q",
            "http://h/#f",
            "http://u@h", "http://[::1", "http://[::1]x", "http://::1", "http://h\r\n", "http://hä",
        ])
    func none(text: String) { #expect(BaseURL(text) == nil) }
}
