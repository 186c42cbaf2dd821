import Testing

@testable import HTTPServer

@Suite("Labels of requests")
struct RequestLabelTests {
    @Test("labels of requests differ, and are as long in the end as they are in the beginning")
    func labels() {
        let labels = (0..<1000).map { _ in RequestLabel.new() }
        #expect(Set(labels).count == labels.count)
        #expect(labels.allSatisfy { $0.utf8.count == 17 && RequestLabel.isSane($0) })
        #expect(Set(labels.map { $0.prefix(11) }).count == 1)
        #expect(labels.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{10}-[0-9a-f]{6}/) != nil })
    }
}
