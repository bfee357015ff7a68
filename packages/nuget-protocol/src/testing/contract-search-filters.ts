import assert from "node:assert/strict";
import { frameworkGroups } from "../notation/target-framework-support.ts";
import type { ContractTest } from "./contract.ts";
import { newPackage, testCaller } from "./new-package.ts";
import { completionOf, fill, idsFor, queryFor } from "./search-cases.ts";

/** Filters, qualifiers, completion of ids, and who depends on a package. */
export const searchFilterCases: readonly ContractTest[] = [
  {
    name: "filters by package type, in any casing",
    async run(ports) {
      await fill(ports, [
        ["Acme.Library", "1.0.0"],
        ["Acme.Tool", "1.0.0", { packageTypes: ["DotnetTool"] }],
        ["Acme.Both", "1.0.0", { packageTypes: ["Template", "Custom.Type"] }],
      ]);
      const idsOf = (packageType: string) => idsFor(ports, "", { packageType });
      assert.deepEqual(await idsOf("dotnettool"), ["Acme.Tool"]);
      assert.deepEqual(await idsOf("DEPENDENCY"), ["Acme.Library"]);
      assert.deepEqual(await idsOf("custom.type"), ["Acme.Both"]);
      assert.deepEqual(await idsOf("unknown"), []);
    },
  },
  {
    name: "filters by the frameworks that can use a package",
    async run(ports) {
      await fill(ports, [
        ["Acme.Any", "1.0.0", { targetFrameworks: [] }],
        ["Acme.Old", "1.0.0", { targetFrameworks: ["net45"] }],
        ["Acme.Shared", "1.0.0", { targetFrameworks: ["netstandard2.0"] }],
        ["Acme.Windows", "1.0.0", { targetFrameworks: ["net8.0-windows7.0"] }],
        ["Acme.Young", "1.0.0", { targetFrameworks: ["net8.0", "net9.0"] }],
      ]);
      const idsOf = (names: readonly string[], mode: "all" | "any" = "all") =>
        idsFor(ports, "acme", { frameworks: frameworkGroups(names, mode) });
      assert.deepEqual(await idsOf(["net6.0"]), ["Acme.Any", "Acme.Shared"]);
      assert.deepEqual(await idsOf(["net8.0"]), ["Acme.Any", "Acme.Shared", "Acme.Young"]);
      assert.deepEqual(await idsOf(["net99.0"]), ["Acme.Any", "Acme.Shared", "Acme.Young"]);
      assert.deepEqual(await idsOf(["net472"]), ["Acme.Any", "Acme.Old", "Acme.Shared"]);
      assert.deepEqual(await idsOf(["net472", "net8.0"]), ["Acme.Any", "Acme.Shared"]);
      assert.equal((await idsOf(["net472", "net8.0"], "any")).length, 4);
      assert.equal((await idsOf(["net9.0-windows10.0.19041"])).length, 4);
      assert.deepEqual(await idsOf(["nonsense"]), ["Acme.Any"]);
    },
  },
  {
    name: "looks for qualified terms in their field alone",
    async run(ports) {
      await fill(ports, [
        ["Acme.Json", "1.0.0", { tags: ["parser", "fast-lane"], authors: "Jane Roe" }],
        ["Acme.Xml", "1.0.0", { title: "Json to XML", tags: ["parser"], authors: "John Doe" }],
        ["Json.Acme", "1.0.0", { description: "By Jane. parser" }],
      ]);
      const expected: readonly (readonly [string, readonly string[]])[] = [
        ["id:json", ["Acme.Json", "Json.Acme"]],
        ["ID:.js", ["Acme.Json"]],
        ["id:me.j id:n.a", ["Acme.Json", "Json.Acme"]],
        ["packageid:ACME.json", ["Acme.Json"]],
        ["packageid:acme", []],
        ["title:json", ["Acme.Xml"]],
        ["tags:parser", ["Acme.Json", "Acme.Xml"]],
        ["tag:fast-lane", ["Acme.Json"]],
        ["tags:pars", []],
        ["tags:parser author:jane", ["Acme.Json"]],
        ["author:john authors:jane", ["Acme.Json", "Acme.Xml"]],
        ['author:"Jane Roe"', ["Acme.Json"]],
        ["description:jane", ["Json.Acme"]],
        ["xml id:json", []],
        ["tags:parser xml", ["Acme.Xml"]],
        ["unknown:json", []],
        ["packageid:acme.json packageid:acme.xml", ["Acme.Json", "Acme.Xml"]],
        ["id:e packageid:acme.xml tags:parser", ["Acme.Xml"]],
      ];
      for (const [text, ids] of expected) assert.deepEqual(await idsFor(ports, text), ids, text);
    },
  },
  {
    name: "knows who has published a package, and finds it by any of them",
    async run(ports) {
      const [alice, bob] = [{ actor: "alice" }, { actor: "Bob Smith" }];
      const acme = (version: string) => newPackage({ id: "Acme", version });
      await ports.recorder.record(acme("1.0.0"), alice);
      await ports.recorder.record(acme("3.0.0"), alice);
      await ports.recorder.record(acme("2.0.0"), bob);
      await fill(ports, [["Other", "1.0.0"]]);
      assert.deepEqual(await idsFor(ports, "owner:ALICE"), ["Acme"]);
      assert.deepEqual(await idsFor(ports, 'owners:"bob smith"'), ["Acme"]);
      assert.deepEqual(await idsFor(ports, "owner:bob"), []);
      const { hits } = await ports.search.search(queryFor("acme"));
      assert.deepEqual(hits[0]?.owners, ["alice", "Bob Smith"]);
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
      const all = await ports.search.idsStartingWith(completionOf("ACME"));
      assert.deepEqual(all, { totalHits: 3, ids: ["Acme.A", "acme.b", "Acme.C"] });
      const page = await ports.search.idsStartingWith(completionOf("acme", { skip: 1, take: 1 }));
      assert.deepEqual(page, { totalHits: 3, ids: ["acme.b"] });
      const stable = await ports.search.idsStartingWith(
        completionOf("acme", { prerelease: false }),
      );
      assert.deepEqual(stable.ids, ["Acme.A", "acme.b"]);
      const wild = await ports.search.idsStartingWith(completionOf("%cme"));
      assert.deepEqual(wild, { totalHits: 0, ids: [] });
    },
  },
  {
    name: "completes ids of one package type",
    async run(ports) {
      await fill(ports, [
        ["Acme.Library", "1.0.0"],
        ["Acme.Tool", "1.0.0", { packageTypes: ["DotnetTool"] }],
      ]);
      const tools = completionOf("acme", { packageType: "dotnetTOOL" });
      const found = await ports.search.idsStartingWith(tools);
      assert.deepEqual(found, { totalHits: 1, ids: ["Acme.Tool"] });
    },
  },
  {
    name: "tells who depends on a package, by their newest listed version",
    async run(ports) {
      const onBase = { dependencyIds: ["acme.base", "acme.other"], description: "Needs it" };
      await fill(ports, [
        ["Acme.Base", "1.0.0"],
        ["Acme.Dropped", "1.0.0", onBase],
        ["Acme.Dropped", "2.0.0"],
        ["Acme.Preview", "1.0.0"],
        ["Acme.Preview", "2.0.0-beta", onBase],
        ["Acme.Young", "1.0.0-beta", onBase],
        ["Acme.User", "1.0.0"],
        ["Acme.User", "2.0.0", onBase],
      ]);
      const all = { skip: 0, take: 20 };
      const [user, young] = ["Acme.User", "Acme.Young"].map((id) => ({
        id,
        description: "Needs it",
        downloads: 0,
      }));
      const dependents = (page: { skip: number; take: number }) =>
        ports.search.dependents("acme.base", page);
      assert.deepEqual(await dependents(all), { totalHits: 2, packages: [user, young] });
      assert.deepEqual(await dependents({ skip: 1, take: 1 }), { totalHits: 2, packages: [young] });
      assert.deepEqual((await dependents({ skip: 0, take: 0 })).totalHits, 2);
      await ports.recorder.setListed("acme.user", "2.0.0", false, testCaller);
      assert.deepEqual(await dependents(all), { totalHits: 1, packages: [young] });
      await ports.recorder.setListed("acme.dropped", "2.0.0", false, testCaller);
      assert.equal((await dependents(all)).totalHits, 2);
      const none = await ports.search.dependents("acme.unknown", all);
      assert.deepEqual(none, { totalHits: 0, packages: [] });
    },
  },
];
