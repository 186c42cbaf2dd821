import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import TestBasics
import Testing

/// Random histories, with and without hidden objects: an answer comes when, and only when, a read at the mark and a read
/// now differ.
@Suite("Histories of reads that wait")
struct LongPollHistoryTests {
    private static func target(_ worlds: TwoWorlds, _ random: inout SeededRandom) -> String {
        let id = random.pick(worlds.seen) ?? 1
        let filter = "filter=" + Wire.encoded("friend.age > 0 OR fans.@count > 0")
        let sort = random.pick(["sort=id", "sort=age,id", "sort=friend.name,id"]) ?? "sort=id"
        let shape = random.pick(["", "&fields=id,age", "&expand=friend.friend", "&fields=id,friend.name,fans"]) ?? ""
        return random.pick([
            "objects/Person?\(sort)\(shape)", "objects/Person?\(sort)&\(filter)\(shape)",
            "objects/Person?\(sort)&offset=\(random.below(4))&limit=\(random.below(4))\(shape)",
            "objects/Person?\(sort)&limit=2&count=true", "objects/Person/\(id)?types=plain\(shape)",
            "objects/Person/\(id)/friends?limit=2\(shape)", "objects/Person/\(id)/tags", "objects/Person/\(id)/anys",
            "objects/Person/\(id)/friend/age", "objects/Person/\(id)/friend", "objects/Person/\(id)/name",
            "objects/Person/\(id)/friends/0/friends", "aggregates/objects/Person?sum=age&max=friend.age&\(filter)",
            "aggregates/objects/Person?by=friend.name&order=-count&limit=2&max=age",
            "aggregates/objects/Person?by=friend.name&max=age&having=max(age)%20%3E%202",
            "aggregates/objects/Person?by=age&bins=3", "aggregates/objects/Person/\(id)/pals?sum=age",
            "sections/objects/Person?by=friend.name&\(sort)\(shape)", "sections/objects/Person?by=age&keys=true",
            "sections/objects/Person?by=age&index=0", "index/objects/Person?of=\(id)&\(sort)",
            "index/objects/Person?matching=\(Wire.encoded("friend.age == 1"))&\(sort)",
            "values/objects/Person?keyPath=friend.name", "values/objects/Person?key=tags",
            "values/objects/Person?keyPath=@distinctUnionOfObjects.friend.name",
            "values/objects/Person?keyPath=@unionOfArrays.tags&\(filter)",
        ]) ?? "objects/Person"
    }

    private struct Poll {
        let target: String
        let wire: Wire
        let before: WireResponse
        let request: HeldRequest

        init?(_ target: String, _ wire: Wire, known: WireResponse? = nil) throws {
            self.target = "/v1/\(target)"
            self.wire = wire
            before = try known ?? wire.get(self.target)
            guard before.status == 200, let mark = before.mark else { return nil }
            request = HeldRequest(
                wire.router, try Request(.get, PollingGateway.waiting(self.target, since: mark, wait: 300)))
        }

        /// Asks now whether there is another answer.
        func asksNow() throws -> WireResponse {
            try wire.get(PollingGateway.waiting(target, since: before.mark, wait: 0))
        }
    }

    @Test("what waits is answered as a read is, when that differs, and not before", arguments: 0..<2 * TestRun.length)
    func truth(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let worlds = try TwoWorlds(random, slot: round)
        var polls: [Poll] = []
        var (woken, slept) = (0, 0)
        for step in 0..<40 {
            while polls.count < 16 {
                let target = Self.target(worlds, &random)
                if let poll = try Poll(target, random.oneIn(2) ? worlds.all : worlds.whole) { polls.append(poll) }
            }
            let written = try worlds.commit(random.pick([1, 1, 2]) ?? 1)
            var waiting: [Poll] = []
            for poll in polls {
                let note: Comment = "seed \(random.seed), round \(round), step \(step): \(poll.target) after \(written)"
                let now = try poll.wire.get(poll.target)
                if now.status == 200, now.isLike(poll.before) {
                    // A change and its opposite in one commit may be told.
                    let answer = try poll.asksNow()
                    #expect(answer.status == 204 || answer.status == 200 && answer.body == now.body, note)
                    if answer.status == 204 { slept += 1 }
                    if !poll.request.isAnswered { waiting.append(poll) }
                } else {
                    let answer = try poll.request.response()
                    #expect(answer.status == now.status && answer.isLike(now), note)
                    let late = try poll.asksNow()
                    #expect(late.status == now.status && late.isLike(now), note)
                    woken += 1
                }
            }
            polls = waiting
        }
        if TestRun.hasFixedSeeds { #expect(woken > 15 && slept > 100, "\(woken) \(slept)") }
        for poll in polls { poll.request.client.leave() }
    }
}
