import assert from "node:assert/strict";
import { frameworkGroups } from "../notation/target-framework-support.ts";
import type { ContractTest } from "./contract-test.ts";
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
    name: "finds packages by the version that a search would show",
    async run(ports) {
      await fill(ports, [
        ["Acme.One", "1.0.0"],
        ["Acme.Two", "1.0.0"],
        ["Acme.Two", "2.0.0-Beta.1"],
        ["Acme.Four", "1.0.0.4"],
        ["Acme.Old", "1.0.0"],
        ["Acme.Old", "1.1.0"],
        ["Other", "1.0.0"],
      ]);
      const stable = { prerelease: false };
      const expected: readonly (readonly [string, readonly string[], object?])[] = [
        ["version:1.0.0", ["Acme.One", "Other"]],
        ["version:1", ["Acme.One", "Other"]],
        ["VERSION:01.0.0.0+any", ["Acme.One", "Other"]],
        ['version:"1.0.0"', ["Acme.One", "Other"]],
        ["version:1.0.0", ["Acme.One", "Acme.Two", "Other"], stable],
        ["version:2.0.0-BETA.1", ["Acme.Two"]],
        ["version:2.0.0-beta.1", [], stable],
        ["version:2.0.0-beta.1", [], { semVer2: false }],
        ["version:2.0.0-beta", []],
        ["version:2.0.0", []],
        ["version:1.0.0.4", ["Acme.Four"]],
        ["version:1.1 version:1.0.0.4", ["Acme.Four", "Acme.Old"]],
        ["one version:1.0.0", ["Acme.One"]],
        ["packageid:other version:1.0.0", ["Other"]],
        ["version:1.0.%", []],
        ["version:latest", []],
      ];
      for (const [text, ids, filter] of expected) {
        const result = await ports.search.search(queryFor(text, filter));
        assert.deepEqual([text, result.hits.map(({ id }) => id)], [text, ids]);
        assert.equal(result.totalHits, ids.length, text);
      }
      await ports.recorder.setListed("acme.old", "1.1.0", false, testCaller);
      assert.deepEqual(await idsFor(ports, "id:old version:1.0.0"), ["Acme.Old"]);
    },
  },
  {
    name: "finds and counts only ids within the limit, whatever else is asked for",
    async run(ports) {
      const base = { dependencyIds: ["acme.base"], tags: ["k"] };
      const all = ["Acme", "Acme.A", "Acme.Sub.A", "Acme2.A", "Hidden", "Other_Id"];
      await fill(
        ports,
        all.map((id) => [id, "1.0.0", base]),
      );
      const limits: readonly (readonly [pattern: string, expected: readonly string[]])[] = [
        ["acme.*", ["Acme.A", "Acme.Sub.A"]],
        ["ACME.A", ["Acme.A"]],
        ["*.a", ["Acme.A", "Acme.Sub.A", "Acme2.A"]],
        ["acme*.*a", ["Acme.A", "Acme.Sub.A", "Acme2.A"]],
        ["acme/**", ["Acme"]],
        ["acme/*", []],
        ["h_dden", []],
        ["other_*", ["Other_Id"]],
        ["**", all],
        ["none", []],
      ];
      for (const [pattern, ids] of limits) {
        const limit = { names: [pattern] };
        for (const text of ["", "tags:k", "version:1.0.0", "owner:alice", "id:e"]) {
          const unlimited = await idsFor(ports, text);
          const result = await ports.search.search(queryFor(text, limit));
          const seen = unlimited.filter((id) => ids.includes(id));
          assert.deepEqual([pattern, text, result.hits.map(({ id }) => id)], [pattern, text, seen]);
          assert.equal(result.totalHits, seen.length);
        }
        for (const filter of [{}, { packageType: "dependency" }]) {
          const completed = completionOf("", { ...limit, ...filter });
          const { totalHits, ids: names } = await ports.search.idsStartingWith(completed);
          assert.deepEqual([totalHits, names.toSorted()], [ids.length, ids.toSorted()]);
        }
        const page = { ...limit, skip: 0, take: 20 };
        const users = await ports.search.dependents("acme.base", page);
        assert.deepEqual(users.packages.map(({ id }) => id).toSorted(), ids.toSorted());
        assert.equal(users.totalHits, ids.length);
      }
      assert.deepEqual(await idsFor(ports, "", { names: [] }), []);
      assert.deepEqual(await idsFor(ports, "", { names: ["hidden", "acme"] }), ["Acme", "Hidden"]);
      assert.deepEqual(await idsFor(ports, "hidden", { names: ["acme*"] }), []);
      const second = queryFor("", { names: ["acme.*"], skip: 1, take: 1 });
      const { totalHits, hits } = await ports.search.search(second);
      assert.deepEqual([totalHits, hits.map(({ id }) => id)], [2, ["Acme.Sub.A"]]);
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
      const result = await ports.search.idsStartingWith(tools);
      assert.deepEqual(result, { totalHits: 1, ids: ["Acme.Tool"] });
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
