import assert from "node:assert/strict";
import type { SearchQuery } from "../search/ports.ts";
import type { ContractTest } from "./contract-test.ts";
import { testCaller } from "./new-package.ts";
import type { SearchPackage } from "./search-cases.ts";
import { completionOf, fill, idsFor, queryFor } from "./search-cases.ts";

/** Contract of catalogs: hits of a search, their description and their order. */
export const searchCases: readonly ContractTest[] = [
  {
    name: "finds nothing in an empty catalog, without an error",
    async run({ search }) {
      assert.deepEqual(await search.search(queryFor("acme")), { totalHits: 0, hits: [] });
      assert.deepEqual(await search.idsStartingWith(completionOf("acme")), {
        totalHits: 0,
        ids: [],
      });
    },
  },
  {
    name: "puts the exact id first, then prefixes, then other matches",
    async run(ports) {
      await fill(ports, [
        ["Other.Package", "1.0.0", { description: "goes well with Serilog" }],
        ["Acme.Serilog", "1.0.0"],
        ["Serilog.Sinks", "1.0.0"],
        ["Serilog", "1.0.0"],
        ["Unrelated", "1.0.0"],
      ]);
      for (const text of ["serilog", "SERILOG"]) {
        assert.deepEqual(await idsFor(ports, text), [
          "Serilog",
          "Serilog.Sinks",
          "Acme.Serilog",
          "Other.Package",
        ]);
      }
    },
  },
  {
    name: "finds part of an id, a tag, a title word, an author and a description word",
    async run(ports) {
      const filling = { title: "Bright Lamp", tags: ["tooling", "cli"], authors: "Jane Roe" };
      await fill(ports, [
        ["Contoso.Logging.Json", "1.0.0", { ...filling, description: "Writes structured lines" }],
        ["Unrelated", "1.0.0"],
      ]);
      for (const text of ["loggi", "contoso", "tooling", "lamp", "jane", "structured", "ogging"]) {
        assert.deepEqual(await idsFor(ports, text), ["Contoso.Logging.Json"], text);
      }
    },
  },
  {
    name: "ranks by where the words are: id, title, tags, authors, summary and description",
    async run(ports) {
      const details = { description: "lantern", authors: "acme" };
      await fill(ports, [
        ["F.Described", "1.0.0", details],
        ["E.Written", "1.0.0", { authors: "Lantern Ltd." }],
        ["D.Tagged", "1.0.0", { tags: ["light", "lantern"] }],
        ["C.Titled", "1.0.0", { title: "My lantern" }],
        ["B.MyLantern", "1.0.0"],
        ["Lantern.A", "1.0.0"],
        ["Lantern", "1.0.0"],
        ["Unrelated", "1.0.0"],
      ]);
      assert.deepEqual(await idsFor(ports, "lantern"), [
        "Lantern",
        "Lantern.A",
        "B.MyLantern",
        "C.Titled",
        "D.Tagged",
        "E.Written",
        "F.Described",
      ]);
      const second = queryFor("lantern", { skip: 3, take: 2 });
      const { totalHits, hits } = await ports.search.search(second);
      assert.deepEqual([totalHits, hits.map(({ id }) => id)], [7, ["C.Titled", "D.Tagged"]]);
    },
  },
  {
    name: "finds the parts of a camel-case id, with and without what separates them",
    async run(ports) {
      await fill(ports, [
        ["Acme.JsonTools", "1.0.0"],
        ["Acme.XMLReader2Go", "1.0.0"],
        ["acme-sql_client", "1.0.0"],
      ]);
      const expected: readonly (readonly [string, readonly string[]])[] = [
        ["tools", ["Acme.JsonTools"]],
        ["jsontools", ["Acme.JsonTools"]],
        ["acme.json", ["Acme.JsonTools"]],
        ["acme json", ["Acme.JsonTools"]],
        ["reader", ["Acme.XMLReader2Go"]],
        ["xml", ["Acme.XMLReader2Go"]],
        ["2", ["Acme.XMLReader2Go"]],
        ["go", ["Acme.XMLReader2Go"]],
        ["client", ["acme-sql_client"]],
        ["sql_cl", ["acme-sql_client"]],
        ["tools json", ["Acme.JsonTools"]],
        ["tools.json", []],
      ];
      for (const [text, ids] of expected) assert.deepEqual(await idsFor(ports, text), ids, text);
    },
  },
  {
    name: "takes words between quotes as one phrase, and no notice of case and accents",
    async run(ports) {
      await fill(ports, [
        ["Acme.A", "1.0.0", { description: "A crème brûlée burner" }],
        ["Acme.B", "1.0.0", { description: "Brulee with creme" }],
        ["Acme.C", "1.0.0", { title: "Пример 例子", tags: ["例子"] }],
      ]);
      assert.deepEqual(await idsFor(ports, "CREME brulee"), ["Acme.A", "Acme.B"]);
      assert.deepEqual(await idsFor(ports, '"Crème brul"'), ["Acme.A"]);
      assert.deepEqual(await idsFor(ports, '"brulee creme"'), []);
      assert.deepEqual(await idsFor(ports, "ПРИМ"), ["Acme.C"]);
      assert.deepEqual(await idsFor(ports, "例子"), ["Acme.C"]);
    },
  },
  {
    name: "wants every word of the text, in any order",
    async run(ports) {
      await fill(ports, [
        ["Acme.Json", "1.0.0", { description: "fast writer" }],
        ["Acme.Xml", "1.0.0", { description: "fast reader" }],
      ]);
      assert.deepEqual(await idsFor(ports, "writer acme"), ["Acme.Json"]);
      assert.deepEqual(await idsFor(ports, "acme slow"), []);
    },
  },
  {
    name: "takes signs that mean something to a query language as plain text",
    async run(ports) {
      await fill(ports, [
        ["Acme_Odd", "1.0.0"],
        ["AcmeXOdd", "1.0.0"],
      ]);
      assert.deepEqual(await idsFor(ports, "acme_odd"), ["Acme_Odd"]);
      for (const text of [
        "%",
        "'",
        '"',
        "a* OR b*",
        "NEAR(",
        "(",
        "\\",
        "-",
        "id:",
        "*",
        "^",
        "{x}:y",
      ]) {
        const { totalHits, hits } = await ports.search.search(queryFor(text));
        assert.equal(totalHits, hits.length, text);
      }
      assert.deepEqual(await idsFor(ports, "%"), []);
      assert.deepEqual(await idsFor(ports, "( acme_odd ) -"), ["Acme_Odd"]);
    },
  },
  {
    name: "hides prereleases and SemVer 2.0.0 versions unless they are asked for",
    async run(ports) {
      await fill(ports, [
        ["Acme", "1.0.0"],
        ["Acme", "1.1.0-beta"],
        ["Acme", "1.2.0+build"],
        ["Acme", "1.3.0-rc.1"],
        ["Acme.Preview", "1.0.0-beta"],
      ]);
      const versionsFor = async (filter: Partial<SearchQuery>) => {
        const { hits } = await ports.search.search({ ...queryFor("acme"), ...filter });
        return hits.find((hit) => hit.id === "Acme")?.versions.map((version) => version.version);
      };
      assert.deepEqual(await versionsFor({ prerelease: false, semVer2: false }), ["1.0.0"]);
      assert.deepEqual(await versionsFor({ semVer2: false }), ["1.0.0", "1.1.0-beta"]);
      assert.deepEqual(await versionsFor({ prerelease: false }), ["1.0.0", "1.2.0"]);
      assert.deepEqual(await versionsFor({}), ["1.0.0", "1.1.0-beta", "1.2.0", "1.3.0-rc.1"]);
      const stable = await ports.search.search({ ...queryFor("acme"), prerelease: false });
      assert.deepEqual([stable.totalHits, stable.hits.map((hit) => hit.id)], [1, ["Acme"]]);
    },
  },
  {
    name: "orders versions by precedence, not as text",
    async run(ports) {
      const versions = ["1.10.0", "1.9.0", "1.9.0-rc.10", "1.9.0-rc.9", "1.9.0.1"];
      await fill(
        ports,
        versions.map((version): SearchPackage => ["Acme", version]),
      );
      const { hits } = await ports.search.search(queryFor("acme"));
      assert.deepEqual(
        hits[0]?.versions.map((version) => version.version),
        ["1.9.0-rc.9", "1.9.0-rc.10", "1.9.0", "1.9.0.1", "1.10.0"],
      );
    },
  },
  {
    name: "describes a package by its newest passing version",
    async run(ports) {
      await fill(ports, [
        ["Acme.Tool", "1.0.0", { tags: ["ancient"] }],
        ["Acme.Tool", "2.0.0", { tags: ["modern"] }],
      ]);
      assert.deepEqual(await idsFor(ports, "modern"), ["Acme.Tool"]);
      assert.deepEqual(await idsFor(ports, "ancient"), []);
      const [hit] = (await ports.search.search(queryFor("acme"))).hits;
      assert.equal(hit?.newest.version, "2.0.0");
      assert.deepEqual(hit.versions, [
        { version: "1.0.0", fullVersion: "1.0.0", downloads: 0 },
        { version: "2.0.0", fullVersion: "2.0.0", downloads: 0 },
      ]);
    },
  },
  {
    name: "never shows an unlisted version, nor a package without listed ones",
    async run(ports) {
      await fill(ports, [
        ["Acme", "1.0.0"],
        ["Acme", "2.0.0"],
        ["Acme.Gone", "1.0.0"],
      ]);
      await ports.recorder.setListed("acme", "2.0.0", false, testCaller);
      await ports.recorder.setListed("acme.gone", "1.0.0", false, testCaller);
      const { totalHits, hits } = await ports.search.search(queryFor("acme"));
      assert.equal(totalHits, 1);
      assert.deepEqual(
        hits[0]?.versions.map((version) => version.version),
        ["1.0.0"],
      );
      assert.deepEqual((await ports.search.idsStartingWith(completionOf("acme"))).ids, ["Acme"]);
      await ports.recorder.setListed("acme.gone", "1.0.0", true, testCaller);
      assert.equal((await ports.search.search(queryFor("acme"))).totalHits, 2);
    },
  },
  {
    name: "gives every package exactly once over all pages, with the exact total on each",
    async run(ports) {
      const ids = Array.from(
        { length: 25 },
        (_, index) => `Acme.P${String(index).padStart(2, "0")}`,
      );
      await fill(
        ports,
        ids.map((id): SearchPackage => [id, "1.0.0"]),
      );
      for (const text of ["", "acme"]) {
        const seen: string[] = [];
        for (let skip = 0; skip < 30; skip += 10) {
          const page = await ports.search.search({ ...queryFor(text), skip, take: 10 });
          assert.equal(page.totalHits, 25);
          seen.push(...page.hits.map((hit) => hit.id));
        }
        assert.deepEqual(seen.toSorted(), ids);
      }
      const none = await ports.search.search({ ...queryFor(""), take: 0 });
      assert.deepEqual([none.totalHits, none.hits.length], [25, 0]);
    },
  },
];
