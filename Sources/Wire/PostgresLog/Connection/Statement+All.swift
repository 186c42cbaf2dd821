/// All statements but those that make the tables.
extension Statement {
    static let all: [Statement] = [
        setForSession, setForTransaction, begin, commit, rollback, sessionProcess,
        readFormat, findRealm, listRealms, listGateways, createRealm, readRealm, raiseEntryFormat,
        advance, insertEntries, countEntries, confirm, lockRealm, readEntries, notify, listen,
        readRecord, readRecordAfter, listRecords, findRecords, insertRecord, updateRecord, deleteRecord,
        claimImage, releaseImage, beginImage, insertImageParts, completeImage, listImages, readImageParts,
        deleteImage, deleteImageParts, sumEntries, readFloor, restartRealm, completeFirstImage,
        seeGateway, forgetGateway, forgetGateways, retentionBounds, raiseFloor, trimLog,
    ]

    // Sessions and transactions

    static let setForSession = Statement(
        name: "setForSession", text: "select set_config($1, $2, false)", scope: .session)
    static let setForTransaction = Statement(
        name: "setForTransaction", text: "select set_config($1, $2, true)", scope: .session)
    static let begin = Statement(name: "begin", text: "begin", scope: .session)
    static let commit = Statement(name: "commit", text: "commit", scope: .session)
    static let rollback = Statement(name: "rollback", text: "rollback", scope: .session)
    static let sessionProcess = Statement(name: "sessionProcess", text: "select pg_backend_pid()", scope: .session)

    // Realms

    static let readFormat = Statement(
        name: "readFormat", text: "select format from realmgate.format where only_row", scope: .installation)
    static let findRealm = Statement(
        name: "findRealm", text: "select id, entry_format from realmgate.realm where name = $1", scope: .realm)
    static let listRealms = Statement(
        name: "listRealms",
        text: """
            select r.id, r.name, r.version, r.tag, r.floor, r.entry_format,
              (select count(*) from realmgate.log l where l.realm = r.id),
              (select coalesce(sum(octet_length(l.body)), 0)::bigint from realmgate.log l where l.realm = r.id),
              (select count(*) from realmgate.image i where i.realm = r.id and i.complete),
              (select coalesce(max(i.version), 0) from realmgate.image i where i.realm = r.id and i.complete),
              (select coalesce(sum(i.bytes), 0)::bigint from realmgate.image i where i.realm = r.id and i.complete)
            from realmgate.realm r order by r.name
            """, scope: .installation)
    static let listGateways = Statement(
        name: "listGateways",
        text: """
            select g.id, g.address, g.program, g.newest_format, g.applied, extract(epoch from now() - g.seen)::bigint,
              coalesce((select extract(epoch from now() - l.made)::bigint from realmgate.log l
                where l.realm = $1 and l.version > g.applied order by l.version limit 1), 0), g.roles
            from realmgate.gateway g where g.realm = $1 order by g.address, g.id
            """, scope: .realm)
    static let createRealm = Statement(
        name: "createRealm",
        text: """
            insert into realmgate.realm (id, name, version, tag, floor, entry_format) values ($1, $2, $3, $4, $3, $5)
            """, scope: .realm)
    /// Not while a store that has reported within the hour does not know the format.
    static let raiseEntryFormat = Statement(
        name: "raiseEntryFormat",
        text: """
            update realmgate.realm set entry_format = $2
            where id = $1 and entry_format <= $2 and not exists (select 1 from realmgate.gateway g
              where g.realm = $1 and g.seen > now() - interval '1 hour' and coalesce(g.newest_format, 0) < $2)
            """, scope: .realm)
    static let readRealm = Statement(
        name: "readRealm", text: "select version, tag from realmgate.realm where id = $1", scope: .realm)

    // The log

    static let advance = Statement(
        name: "advance",
        text: "update realmgate.realm set version = $4, tag = $5 where id = $1 and version = $2 and tag = $3",
        scope: .realm)
    static let insertEntries = Statement(
        name: "insertEntries",
        text: """
            insert into realmgate.log (realm, version, part, parts, tag, made, body)
            select $1::bigint, e.version, e.part, e.parts, $3::bigint, now(), e.body
            from unnest($4::bigint[], $5::int[], $6::int[], $7::bytea[]) as e (version, part, parts, body)
            where exists (select 1 from realmgate.realm where id = $1 and version = $2 and tag = $3)
            """, scope: .realm)
    static let countEntries = Statement(
        name: "countEntries",
        text: "select count(*) from realmgate.log where realm = $1 and version = $2 and tag = $3", scope: .realm)
    /// Changes nothing, but its commit waits for the standby, and so for everything before it.
    static let confirm = Statement(
        name: "confirm", text: "update realmgate.realm set tag = tag where id = $1", scope: .realm)
    static let lockRealm = Statement(
        name: "lockRealm", text: "select version, tag from realmgate.realm where id = $1 for update", scope: .realm)
    /// The realm's row is beside each part, so that both are of one moment; it is alone when there are no newer entries.
    static let readEntries = Statement(
        name: "readEntries",
        text: """
            select r.version, r.tag, r.floor, l.version, l.part, l.parts, l.tag, l.body
            from realmgate.realm r left join realmgate.log l on l.realm = r.id and l.version > $2
            where r.id = $1 order by l.version, l.part limit $3
            """, scope: .realm)

    // Hints

    static let notify = Statement(name: "notify", text: "select pg_notify('realmgate', $1)", scope: .hint)
    static let listen = Statement(name: "listen", text: "listen realmgate", scope: .hint)

    // Records

    static let readRecord = Statement(
        name: "readRecord", text: "select revision, body from realmgate.record where realm = $1 and name = $2",
        scope: .realm)
    static let readRecordAfter = Statement(
        name: "readRecordAfter",
        text: "select revision, body from realmgate.record where realm = $1 and name = $2 and revision > $3",
        scope: .realm)
    static let listRecords = Statement(
        name: "listRecords",
        text: """
            select name, revision from realmgate.record
            where realm = $1 and name >= $2 and name < $3 order by name
            """, scope: .realm)
    static let findRecords = Statement(
        name: "findRecords",
        text: """
            select name, revision from realmgate.record
            where realm = $1 and name in (select n.name from unnest($2::text[]) as n (name))
            """, scope: .realm)
    static let insertRecord = Statement(
        name: "insertRecord",
        text: "insert into realmgate.record (realm, name, revision, body) values ($1, $2, 1, $3)", scope: .realm)
    static let updateRecord = Statement(
        name: "updateRecord",
        text: """
            update realmgate.record set revision = revision + 1, body = $4
            where realm = $1 and name = $2 and revision = $3
            """, scope: .realm)
    static let deleteRecord = Statement(
        name: "deleteRecord", text: "delete from realmgate.record where realm = $1 and name = $2 and revision = $3",
        scope: .realm)

    // Images

    static let claimImage = Statement(
        name: "claimImage",
        text: """
            update realmgate.realm set image_by = $2, image_until = now() + interval '10 minutes'
            where id = $1 and (image_by is null or image_by = $2 or image_until < now())
            """, scope: .realm)
    static let releaseImage = Statement(
        name: "releaseImage",
        text: "update realmgate.realm set image_by = null, image_until = null where id = $1 and image_by = $2",
        scope: .realm)
    static let beginImage = Statement(
        name: "beginImage",
        text: """
            insert into realmgate.image
            (realm, version, tag, parts, bytes, sha256, file_format, complete, made)
            values ($1, $2, $3, 0, 0, ''::bytea, $4, false, now())
            """, scope: .realm)
    static let insertImageParts = Statement(
        name: "insertImageParts",
        text: """
            insert into realmgate.image_part (realm, version, part, body)
            select $1::bigint, $2::bigint, p.part, p.body from unnest($3::int[], $4::bytea[]) as p (part, body)
            """, scope: .realm)
    static let completeImage = Statement(
        name: "completeImage",
        text: """
            update realmgate.image set parts = $3, bytes = $4, sha256 = $5, complete = true
            where realm = $1 and version = $2 and not complete
            """, scope: .realm)
    static let listImages = Statement(
        name: "listImages",
        text: """
            select version, tag, parts, bytes, sha256, file_format, complete from realmgate.image
            where realm = $1 order by version desc
            """, scope: .realm)
    static let readImageParts = Statement(
        name: "readImageParts",
        text: """
            select part, body from realmgate.image_part where realm = $1 and version = $2 and part >= $3
            order by part limit $4
            """, scope: .realm)
    static let deleteImage = Statement(
        name: "deleteImage", text: "delete from realmgate.image where realm = $1 and version = $2", scope: .realm)
    static let deleteImageParts = Statement(
        name: "deleteImageParts",
        text: "delete from realmgate.image_part where realm = $1 and version = $2", scope: .realm)

    static let sumEntries = Statement(
        name: "sumEntries",
        text: """
            select coalesce(sum(octet_length(body)), 0)::bigint from realmgate.log where realm = $1 and version > $2
            """, scope: .realm)
    static let readFloor = Statement(
        name: "readFloor", text: "select floor from realmgate.realm where id = $1", scope: .realm)

    // A log that begins again at an image

    static let restartRealm = Statement(
        name: "restartRealm",
        text: "update realmgate.realm set version = $2, tag = $3, floor = $2 where id = $1 and version < $2",
        scope: .realm)
    /// Only when the log began again there.
    static let completeFirstImage = Statement(
        name: "completeFirstImage",
        text: """
            update realmgate.image set parts = $3, bytes = $4, sha256 = $5, complete = true
            where realm = $1 and version = $2 and not complete
              and exists (select 1 from realmgate.realm where id = $1 and version = $2 and tag = $6)
            """, scope: .realm)

    // Retention

    static let seeGateway = Statement(
        name: "seeGateway",
        text: """
            insert into realmgate.gateway (realm, id, address, program, newest_format, roles, applied, seen)
            values ($1, $2, $3, $4, $5, $6, $7, now())
            on conflict (realm, id) do update set address = $3, program = $4, newest_format = $5, roles = $6,
              applied = $7, seen = now()
            """, scope: .realm)
    static let forgetGateway = Statement(
        name: "forgetGateway", text: "delete from realmgate.gateway where realm = $1 and id = $2", scope: .realm)
    /// Those that nothing waits for any more.
    static let forgetGateways = Statement(
        name: "forgetGateways",
        text: "delete from realmgate.gateway where realm = $1 and seen <= now() - interval '1 hour'", scope: .realm)
    /// The second newest image, the oldest entry that is young, the least version of gateways of the last hour.
    static let retentionBounds = Statement(
        name: "retentionBounds",
        text: """
            select r.floor, r.version,
              (select i.version from realmgate.image i where i.realm = $1 and i.complete
                order by i.version desc limit 1 offset 1),
              (select l.version from realmgate.log l
                where l.realm = $1 and l.made > now() - $2 * interval '1 second' order by l.version limit 1),
              (select min(g.applied) from realmgate.gateway g where g.realm = $1 and g.seen > now() - interval '1 hour'),
              (select min(l.version) from realmgate.log l where l.realm = $1)
            from realmgate.realm r where r.id = $1
            """, scope: .realm)
    static let raiseFloor = Statement(
        name: "raiseFloor", text: "update realmgate.realm set floor = $2 where id = $1 and floor < $2", scope: .realm)
    static let trimLog = Statement(
        name: "trimLog", text: "delete from realmgate.log where realm = $1 and version <= $2", scope: .realm)
}
