/// The tables of a log in PostgreSQL.
package enum LogSchema {
    /// The format of the tables that this program makes and knows.
    package static let format: Int32 = 1

    /// The statements that make the tables, for the owner of the database. Each may be run again.
    ///
    /// Bodies are not compressed by PostgreSQL, because stores compress them.
    package static let statements: [String] =
        [
            "create schema if not exists realmgate",
            """
            create table if not exists realmgate.format (
              only_row boolean primary key,
              format int not null
            )
            """,
            """
            create table if not exists realmgate.realm (
              id bigint primary key,
              name text collate "C" not null unique,
              version bigint not null,
              tag bigint not null,
              floor bigint not null,
              entry_format int not null,
              image_by uuid,
              image_until timestamptz
            ) with (fillfactor = 50)
            """,
            """
            create table if not exists realmgate.log (
              realm bigint,
              version bigint,
              part int,
              parts int not null,
              tag bigint not null,
              made timestamptz not null,
              body bytea not null,
              primary key (realm, version, part)
            )
            """,
            """
            create table if not exists realmgate.image (
              realm bigint,
              version bigint,
              tag bigint not null,
              parts int not null,
              bytes bigint not null,
              sha256 bytea not null,
              file_format int not null,
              complete boolean not null,
              made timestamptz not null,
              primary key (realm, version)
            )
            """,
            """
            create table if not exists realmgate.image_part (
              realm bigint,
              version bigint,
              part int,
              body bytea not null,
              primary key (realm, version, part)
            )
            """,
            """
            create table if not exists realmgate.record (
              realm bigint,
              name text collate "C",
              revision bigint not null,
              body bytea not null,
              primary key (realm, name)
            )
            """,
            """
            create table if not exists realmgate.gateway (
              realm bigint,
              id uuid,
              address text,
              program text,
              newest_format int,
              roles bytea,
              applied bigint,
              seen timestamptz,
              primary key (realm, id)
            )
            """,
        ]
        + ["log", "image_part", "record"].map { "alter table realmgate.\($0) alter column body set storage external" }
        + ["insert into realmgate.format (only_row, format) values (true, \(format)) on conflict do nothing"]

    /// The statements as a script for psql, with the rights that gateways need.
    package static var script: String {
        """
        -- The tables of Realmgate's log, format \(format). Run this as the owner of the database.
        begin;
        \(statements.map { $0 + ";" }.joined(separator: "\n"))
        commit;

        -- The user of the gateways needs these rights, when it is not the owner of the tables:
        -- grant usage on schema realmgate to USER;
        -- grant select, insert, update, delete on all tables in schema realmgate to USER;

        """
    }
}
