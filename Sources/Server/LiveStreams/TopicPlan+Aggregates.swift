import JSONCoding
import ViewMaintenance
import LiveQueries
import ObjectCoding
import ObjectModel
import StoreContract
import WireProtocol

/// The events of aggregates: the answer of the read, and the groups of it that changed.
extension TopicPlan {
    func write(_ answer: AggregateAnswer, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard case .aggregate(let subject) = key.subject else { return }
        let look = LinkResolver(snapshot, answerLimit: answerLimit)
        if subject.form.keys.isEmpty {
            for all in answer.groups { subject.form.members(of: all, look, json) }
        } else {
            json.name(EventField.groups)
            try subject.form.array(answer.groups, look, json)
            if let others = answer.others { json.member(others) }
        }
        if let fault = look.fault { throw fault }
    }

    func write(_ change: LiveAggregateChange, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard case .aggregate(let subject) = key.subject else { return }
        let (answer, indices) = (change.answer, change.indices)
        // One group is as short as what says which.
        guard !subject.form.keys.isEmpty else { return try write(answer, snapshot, json) }
        let look = LinkResolver(snapshot, answerLimit: answerLimit)
        json.positions(
            deletions: indices.deletions, insertions: indices.insertions, modifications: indices.modifications)
        json.name(EventField.groups)
        json.beginObject()
        json.name(EventField.insertions)
        try subject.form.array(indices.insertions.map { answer.groups[$0] }, look, json)
        json.name(EventField.modifications)
        try subject.form.array(indices.modificationsNew.map { answer.groups[$0] }, look, json)
        json.endObject()
        if let others = answer.others { json.member(others) }
        if let fault = look.fault { throw fault }
    }
}
