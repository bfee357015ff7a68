import assert from "node:assert/strict";
import type { NewPackage } from "../ports.ts";
import type { SearchQuery } from "../search/ports.ts";
import type { CatalogPorts, ContractTest } from "./contract.ts";
import { newPackage, testCaller } from "./new-package.ts";

type Given = readonly [id: string, version: string, overrides?: Partial<NewPackage>];

/** Search and autocomplete. */
export const searchCases: readonly ContractTest[] = [
  {
    name: "finds nothing in an empty catalog, without an error",
    async run({ search }) {
      assert.deepEqual(await search.search(query("acme")), { totalHits: 0, hits: [] });
      assert.deepEqual(await search.idsStartingWith(query("acme")), { totalHits: 0, ids: [] });
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
      for (const text of ["loggi", "contoso", "tooling", "lamp", "jane", "structured"]) {
        assert.deepEqual(await idsFor(ports, text), ["Contoso.Logging.Json"], text);
      }
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
      for (const text of ["%", "'", '"', "a* OR b*", "NEAR(", "(", "\\", "-", "id:", "*"]) {
        const { totalHits, hits } = await ports.search.search(query(text));
        assert.equal(totalHits, hits.length, text);
      }
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
        const { hits } = await ports.search.search({ ...query("acme"), ...filter });
        return hits.find((hit) => hit.id === "Acme")?.versions.map((one) => one.version);
      };
      assert.deepEqual(await versionsFor({ prerelease: false, semVer2: false }), ["1.0.0"]);
      assert.deepEqual(await versionsFor({ semVer2: false }), ["1.0.0", "1.1.0-beta"]);
      assert.deepEqual(await versionsFor({ prerelease: false }), ["1.0.0", "1.2.0"]);
      assert.deepEqual(await versionsFor({}), ["1.0.0", "1.1.0-beta", "1.2.0", "1.3.0-rc.1"]);
      const stable = await ports.search.search({ ...query("acme"), prerelease: false });
      assert.deepEqual([stable.totalHits, stable.hits.map((hit) => hit.id)], [1, ["Acme"]]);
    },
  },
  {
    name: "orders versions by precedence, not as text",
    async run(ports) {
      const versions = ["1.10.0", "1.9.0", "1.9.0-rc.10", "1.9.0-rc.9", "1.9.0.1"];
      await fill(
        ports,
        versions.map((version): Given => ["Acme", version]),
      );
      const { hits } = await ports.search.search(query("acme"));
      assert.deepEqual(
        hits[0]?.versions.map((one) => one.version),
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
      const { totalHits, hits } = await ports.search.search(query("acme"));
      assert.equal(totalHits, 1);
      assert.deepEqual(
        hits[0]?.versions.map((one) => one.version),
        ["1.0.0"],
      );
      assert.deepEqual((await ports.search.idsStartingWith(query("acme"))).ids, ["Acme"]);
      await ports.recorder.setListed("acme.gone", "1.0.0", true, testCaller);
      assert.equal((await ports.search.search(query("acme"))).totalHits, 2);
    },
  },
  {
    name: "filters by package type, in any casing",
    async run(ports) {
      await fill(ports, [
        ["Acme.Library", "1.0.0"],
        ["Acme.Tool", "1.0.0", { packageTypes: ["DotnetTool"] }],
        ["Acme.Both", "1.0.0", { packageTypes: ["Template", "Custom.Type"] }],
      ]);
      const idsOf = async (packageType: string) =>
        (await ports.search.search({ ...query(""), packageType })).hits.map((hit) => hit.id);
      assert.deepEqual(await idsOf("dotnettool"), ["Acme.Tool"]);
      assert.deepEqual(await idsOf("DEPENDENCY"), ["Acme.Library"]);
      assert.deepEqual(await idsOf("custom.type"), ["Acme.Both"]);
      assert.deepEqual(await idsOf("unknown"), []);
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
        ids.map((id): Given => [id, "1.0.0"]),
      );
      for (const text of ["", "acme"]) {
        const seen: string[] = [];
        for (let skip = 0; skip < 30; skip += 10) {
          const page = await ports.search.search({ ...query(text), skip, take: 10 });
          assert.equal(page.totalHits, 25);
          seen.push(...page.hits.map((hit) => hit.id));
        }
        assert.deepEqual(seen.toSorted(), ids);
      }
      const none = await ports.search.search({ ...query(""), take: 0 });
      assert.deepEqual([none.totalHits, none.hits.length], [25, 0]);
    },
  },
  {
    name: "completes ids by prefix, in alphabetical order, in pages",
    async run(ports) {
      await fill(ports, [
        ["Zeta", "1.0.0"],
        ["acme.b", "1.0.0"],
        ["Acme.C", "1.0.0-beta"],
        ["Acme.A", "1.0.0"],
        ["Not.Acme", "1.0.0"],
      ]);
      const all = await ports.search.idsStartingWith(query("ACME"));
      assert.deepEqual(all, { totalHits: 3, ids: ["Acme.A", "acme.b", "Acme.C"] });
      const page = await ports.search.idsStartingWith({ ...query("acme"), skip: 1, take: 1 });
      assert.deepEqual(page, { totalHits: 3, ids: ["acme.b"] });
      const stable = await ports.search.idsStartingWith({ ...query("acme"), prerelease: false });
      assert.deepEqual(stable.ids, ["Acme.A", "acme.b"]);
      const wild = await ports.search.idsStartingWith(query("%cme"));
      assert.deepEqual(wild, { totalHits: 0, ids: [] });
    },
  },
];

function query(text: string): SearchQuery {
  return { text, skip: 0, take: 20, prerelease: true, semVer2: true };
}

async function fill({ recorder }: CatalogPorts, given: readonly Given[]): Promise<void> {
  for (const [id, version, overrides] of given) {
    await recorder.record(newPackage({ id, version }, overrides), testCaller);
  }
}

async function idsFor({ search }: CatalogPorts, text: string): Promise<string[]> {
  const { hits } = await search.search(query(text));
  return hits.map((hit) => hit.id);
}
