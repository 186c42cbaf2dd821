import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// Web pages of other origins that a user visits while an unauthenticated server runs on the machine.
@Suite("Pages of other origins, in a browser", .serialized, .enabled(if: Browser.isWanted))
struct ForeignPageTests {
    private static let schema = """
        {"schemaVersion": 1, "classes": [{"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string"}]}]}
        """

    /// A site with one page that may do whatever a browser permits, and a path that redirects to `target`.
    private static func site(leadingTo target: String) throws -> (server: HTTPServer, port: UInt16) {
        var router = Router()
        router.get("/") { _, _ in
            .now(Response(contentType: "text/html", body: Array("<!doctype html><title>Elsewhere</title>".utf8)))
        }
        for method in [HTTPMethod.get, .post, .put, .delete] {
            router.on(method, "/on/*path") { request, _ in
                .now(Response(status: 307, headers: ["Location": target + request.target.dropFirst("/on".count)]))
            }
        }
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        let server = HTTPServer(configuration: configuration, router: router)
        return (server, try server.start())
    }

    /// Returns everything that a page can try. The page reports what it can read; the test checks what it changed.
    private static func tricks(_ address: String, _ marker: Int) -> String {
        """
        (async () => {
          const target = "\(address)";
          const seen = [];
          const pause = (ms) => new Promise((done) => setTimeout(done, ms));
          const attempt = async (what) => { try { seen.push(String(await what())); } catch (error) { seen.push(error.name); } };
          let number = \(marker);
          const line = () => JSON.stringify({ id: ++number, name: "intruder" }) + "\\n";
          const dogs = target + "/v1/objects/Dog";
          const imports = target + "/v1/import/Dog?format=ndjson&update=all";
          const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/json",
            "application/x-ndjson", "text/csv"];
          for (const base of [target, location.origin + "/on"]) {
            for (const type of types) {
              for (const [path, body] of [["/v1/import/Dog?format=ndjson&update=all", line()], ["/v1/objects/Dog", line()],
                ["/v1/transactions", JSON.stringify({ operations: [{ op: "create", class: "Dog", value: { id: ++number } }] })],
                ["/v1/keys", JSON.stringify({ name: "mine", role: "admin" })], ["/v1/snapshots", undefined]]) {
                const four = [];
                for (const mode of ["no-cors", "cors"]) {
                  for (const referrerPolicy of ["no-referrer", "unsafe-url"]) {
                    const content = body === undefined ? undefined : new Blob([body], { type });
                    four.push(attempt(async () => {
                      const answer = await fetch(base + path, { method: "POST", mode, body: content, referrerPolicy, keepalive: true });
                      return answer.type + await answer.text();
                    }));
                  }
                }
                // Together, but no more: a browser refuses pages that begin many of these at once.
                await Promise.all(four);
                if (body !== undefined) await attempt(() => navigator.sendBeacon(base + path, new Blob([body], { type })));
              }
            }
            for (const method of ["PUT", "PATCH", "DELETE"]) {
              for (const mode of ["no-cors", "cors"]) {
                await attempt(async () => {
                  const answer = await fetch(base + "/v1/objects/Dog/1", { method, mode,
                    body: method === "DELETE" ? undefined : new Blob([line()], { type: "text/plain" }) });
                  return answer.type + await answer.text();
                });
              }
            }
            for (const mode of ["no-cors", "cors"]) {
              await attempt(async () => (await fetch(base + "/v1/objects/Dog", { mode })).text());
              await attempt(async () => (await fetch(base + "/v1/export/Dog?format=csv", { mode })).text());
            }
          }
          await attempt(() => new Promise((done) => {
            const request = new XMLHttpRequest();
            request.open("POST", imports);
            request.setRequestHeader("Content-Type", "text/plain");
            request.onloadend = () => done(request.responseText);
            request.send(line());
          }));
          await attempt(() => new Promise((done) => {
            const source = new EventSource(target + "/v1/observe/objects/Dog");
            source.addEventListener("initial", (event) => done(event.data));
            source.onerror = () => { source.close(); done("closed"); };
          }));
          await attempt(() => new Promise((done) => {
            const socket = new WebSocket(target.replace("http", "ws") + "/v1/observe/objects/Dog");
            socket.onopen = () => done("open");
            socket.onmessage = (event) => done(event.data);
            socket.onerror = () => done("refused");
          }));
          const append = (name, attributes) => new Promise((done) => {
            const element = Object.assign(document.createElement(name), attributes);
            element.onload = () => done(element);
            element.onerror = () => done(element);
            document.body.append(element);
          });
          window.onerror = (message) => { seen.push(String(message)); };
          await append("script", { src: target + "/v1/export/Dog?format=csv" });
          await append("script", { src: dogs });
          await append("img", { src: dogs });
          await append("link", { rel: "stylesheet", href: target + "/v1/export/Dog?format=csv" });
          seen.push(...[...document.styleSheets].map((sheet) => { try { return String(sheet.cssRules.length); } catch { return "hidden"; } }));
          await attempt(async () => JSON.stringify(await import(dogs, { with: { type: "json" } })));
          const frame = await append("iframe", { src: dogs });
          await attempt(() => frame.contentDocument?.body?.innerText);
          await attempt(() => frame.contentWindow.document.body.innerText);
          // Forms, from this page and from pages whose origin is null.
          const forms = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"].map((type) =>
            `<form method=post enctype="${type}" action="${imports}"><input name='{"id":${++number},"name":"' value='x"}'></form>`
            + `<form method=post enctype="${type}" action="${target}/v1/snapshots"></form>`
            + `<form method=post enctype="${type}" action="${target}/v1/objects/Dog/1"></form>`).join("");
          const page = forms + `<script>
            for (const [index, form] of [...document.forms].entries()) { const frame = document.createElement("iframe"); frame.name = "f" + index;
              document.body.append(frame); form.target = frame.name; form.submit(); }
            for (const mode of ["no-cors", "cors"]) for (const type of ["text/plain", "application/x-ndjson"])
              fetch("${imports}", { method: "POST", mode, body: new Blob(['{"id":${++number},"name":"null"}'], { type }) })
                .then((answer) => answer.text()).then((text) => parent.postMessage(text, "*"), () => {});
            fetch("${dogs}").then((answer) => answer.text()).then((text) => parent.postMessage(text, "*"), () => {});
            </` + "script>";
          window.onmessage = (event) => { seen.push(String(event.data)); };
          await append("iframe", { srcdoc: page });
          await append("iframe", { srcdoc: page, sandbox: "allow-scripts allow-forms" });
          await append("iframe", { src: "data:text/html," + encodeURIComponent(page) });
          await append("iframe", { src: URL.createObjectURL(new Blob([page], { type: "text/html" })) });
          await pause(1500);
          return seen.join("\\n");
        })()
        """
    }

    @Test(
        "try everything, and an open server's database is unchanged and unread", arguments: ["127.0.0.1", "localhost"])
    func tricks(host: String) throws {
        let directory = try TestDirectory()
        let server = try RunningServer(
            [
                "--data", directory.file("a.realmgate"), "--schema",
                try directory.write(Self.schema, to: "schema.json"),
            ], in: directory)
        let api = try server.client()
        #expect(try api.send("POST", "/v1/objects/Dog", body: #"{"id": 1, "name": "sesame"}"#).status == 201)
        func state() throws -> [String] {
            try ["/v1/objects/Dog", "/v1/schema", "/v1/snapshots", "/v1/keys", "/v1/whoami"].map {
                try api.send("GET", $0).text
            }
        }
        let before = try state()
        let site = try Self.site(leadingTo: server.address)
        let browser = try Browser()
        try browser.open("http://\(host):\(site.port)/")
        try browser.wait(for: "document.title === 'Elsewhere'")
        let seen = try browser.text(Self.tricks(server.address, 1000))
        #expect(seen.contains("TypeError") && !seen.contains("sesame"), "\(seen)")
        #expect(try state() == before)

        // The server's own pages have no restrictions.
        try browser.open(server.address + "/docs")
        try browser.wait(for: "document.readyState === 'complete' && location.port === '\(server.port)'")
        let status = try browser.evaluate(
            """
            fetch("/v1/import/Dog", { method: "POST", headers: { "Content-Type": "application/x-ndjson" },
              body: '{"id":2,"name":"own"}' }).then((answer) => answer.status)
            """)
        #expect(status as? Int == 200)
        #expect(try api.send("GET", "/v1/objects/Dog/2").status == 200)
        site.server.stop(within: .seconds(1))
        #expect(try server.stop() == 0)
    }

    @Test("may write and read when their origin is listed")
    func listed() throws {
        let directory = try TestDirectory()
        let site = try Self.site(leadingTo: "")
        let origin = "http://127.0.0.1:\(site.port)"
        let server = try RunningServer(
            [
                "--data", directory.file("a.realmgate"), "--schema",
                try directory.write(Self.schema, to: "schema.json"), "--set", "cors.origins=\(origin)",
            ], in: directory)
        let browser = try Browser()
        try browser.open(origin + "/")
        try browser.wait(for: "document.title === 'Elsewhere'")
        let seen = try browser.text(
            """
            (async () => {
              const dogs = "\(server.address)/v1/objects/Dog";
              await fetch(dogs, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"id":1,"name":"listed"}' });
              return (await fetch(dogs)).text();
            })()
            """)
        #expect(seen.contains("listed"))
        site.server.stop(within: .seconds(1))
        #expect(try server.stop() == 0)
    }
}
