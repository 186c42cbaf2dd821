import AccessRules
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import Testing

@Suite("streams of callers whose rights change")
struct EndedStreamTests {
    @Test("a stream ends when its caller may see other things, and not before")
    func ending() throws {
        func rules(_ read: String?) -> AccessControl.Rules {
            AccessControl.Rules(roles: [Role(name: "anonymous", classes: ["Dog": ClassRule(read: read)])])
        }
        let control = AccessControl(rules("TRUEPREDICATE"))
        let gateway = try TestGateway { $0.accessControl = control }
        let wire = Wire(store: gateway.store, router: gateway.router)
        let dogs = try wire.observe("/v1/observe/objects/Dog")
        _ = try dogs.next("initial")
        // The same permissions.
        control.replace(rules("TRUEPREDICATE"))
        let more = try wire.observe("/v1/observe/sections/Dog?by=breed")
        _ = try more.next("initial")
        #expect(!dogs.stream.isClosed)
        control.replace(rules("age > 1"))
        for events in [dogs, more] {
            let event = try events.next()
            #expect(event.name == "error")
            #expect(event.data["code"] == "access.ended")
            #expect(events.ends())
        }
        let again = try wire.observe("/v1/observe/objects/Dog")
        _ = try again.next("initial")
        control.replace(rules(nil))
        #expect(try again.next().data["code"] == "access.ended")
        #expect(try wire.get("/v1/observe/objects/Dog").status == 404)
    }
}
