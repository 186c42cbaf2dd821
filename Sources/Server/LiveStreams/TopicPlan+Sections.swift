import JSONCoding
import ViewMaintenance
import LiveQueries
import ObjectCoding
import ObjectModel
import QueryLanguage
import StoreContract
import WireProtocol

extension TopicPlan {
    /// Writes `"sections": [{"key", "count", "items"}]`.
    func write(_ sections: LiveSections, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        json.name("sections")
        json.beginArray()
        for index in 0..<sections.count {
            json.beginObject()
            json.name("key")
            try write(key: sections.key(of: index), snapshot, json)
            json.name(EventField.count)
            json.int(sections.count(of: index))
            try json.member(EventField.items, sections.keys(of: index), rows, snapshot, answerLimit)
            json.endObject()
        }
        json.endArray()
    }

    func write(_ change: LiveSectionChange, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        let (changes, sections) = (change.changes, change.newSections)
        json.positions("sectionsToDelete", changes.sectionsToDelete)
        json.positions("sectionsToInsert", changes.sectionsToInsert)
        json.name("insertedKeys")
        json.beginArray()
        for index in changes.sectionsToInsert { try write(key: sections.key(of: index), snapshot, json) }
        json.endArray()
        json.paths(EventField.deletions, changes.deletions)
        json.paths(EventField.insertions, changes.insertions)
        json.paths(EventField.modifications, changes.modifications)
        guard key.includesObjects else { return }
        try json.changedObjects(
            insertions: { try json.array(changes.insertions.map { sections[$0] }, rows, snapshot, answerLimit) },
            modifications: {
                try json.array(changes.modificationsNew.map { sections[$0] }, rows, snapshot, answerLimit)
            })
    }

    private func write(key value: Value, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard case .sections(_, let by) = key.subject else { return json.null() }
        let look = LinkResolver(snapshot)
        look.value(value, isMixed: by.givesMixed, key.style, json)
        if let fault = look.fault { throw fault }
    }
}

extension JSONWriter {
    /// Writes a member with an array of `[section, row]`.
    fileprivate func paths(_ name: String, _ paths: [SectionPath]) {
        self.name(name)
        beginArray()
        for path in paths {
            beginArray()
            int(path.section)
            int(path.row)
            endArray()
        }
        endArray()
    }
}
