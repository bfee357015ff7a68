import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { openScriptedFeed } from "@sealhouse/upstream-sources/testing";
import type { ScriptedFeed } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest } from "../../src/testing/index.ts";
import { hasClient } from "../clients/client.ts";
import type { DotnetFeed } from "../clients/dotnet-feed.ts";
import { openDotnetFeed } from "../clients/dotnet-feed.ts";
import { addSource } from "./add-source.ts";

const HOLEY_URL = "https://github.com/advisories/GHSA-hhhh-jjjj-mmmm";
const HOLEY = { "acme.holey": [{ severity: 2, url: HOLEY_URL, versions: "(, 2.0.0)" }] };

/** The life of one mirror, told in order. */
describe.skipIf(!hasClient("dotnet"))("dotnet restores packages of a source", () => {
  let upstream: ScriptedFeed;
  let feed: DotnetFeed;
  let project: string;

  beforeAll(async () => {
    upstream = await openScriptedFeed(["content", "registration", "vulnerabilities"], {
      pageSize: 1,
    });
    upstream.vulnerabilities.set("base", { updated: "2026-01-01T00:00:00Z", advisories: HOLEY });
    feed = await openDotnetFeed({ scheme: "http", env: { Signing__Mode: "" } });
    const url = upstream.url.href;
    await addSource(feed.host, { name: "upstream", protocol: "nuget", url });
    const dependency = "<dependencies><dependency id='Acme.Leaf' version='1.0.0'/></dependencies>";
    const files = { "lib/netstandard2.0/a.dll": Buffer.alloc(200_000, "MZ") };
    for (const version of ["1.0.0", "1.2.0"]) {
      const bytes = buildNupkg({ id: "Acme.Root", version, metadata: dependency, files });
      upstream.put("Acme.Root", version, { bytes });
    }
    upstream.put("Acme.Leaf", "1.0.0");
    for (const version of ["1.0.0", "2.0.0"]) upstream.put("Acme.Holey", version);
  }, 60_000);
  afterAll(async () => {
    await feed?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  test("a cold restore asks the source once for each list and package", async () => {
    project = await feed.client.consumer({ id: "Acme.Root", version: "1.*" });
    const restored = await feed.client.run(["restore", "--use-lock-file"], project);
    expect(restored.output).not.toMatch(/NU\d{4}/);
    expect(restored.code).toBe(0);
    const requests = upstream.requests.filter((path) => path.startsWith("/flat/"));
    expect(requests.toSorted()).toEqual([
      "/flat/acme.leaf/1.0.0/acme.leaf.1.0.0.nupkg",
      "/flat/acme.leaf/index.json",
      "/flat/acme.root/1.2.0/acme.root.1.2.0.nupkg",
      "/flat/acme.root/index.json",
    ]);
    const leaf = await feed.host.fetch("/v3/registration-gz-semver2/acme.root/1.2.0.json");
    expect(await leaf.json()).toMatchObject({ published: "2020-03-04T05:06:07.000Z" });
  });

  test("restore audits with the vulnerability pages of the source", async () => {
    const restore = async (version: string) => {
      const holey = await feed.client.consumer({ id: "Acme.Holey", version });
      return feed.client.run(["restore"], holey);
    };
    const [older, newer] = [await restore("1.0.0"), await restore("2.0.0")];
    expect(older.output).toContain("warning NU1903");
    expect(older.output).toContain(HOLEY_URL);
    expect(newer.output).not.toMatch(/NU\d{4}/);
    const pages = upstream.requests.filter((path) => path.startsWith("/vulnerabilities/"));
    expect(pages).toEqual(["/vulnerabilities/index.json", "/vulnerabilities/base.json"]);
  });

  extendedTest("an outdated list leaves the mirror nowhere", async () => {
    await feed.client.run(["add", "package", "Acme.Root", "--version", "1.0.0"], project);
    const { output, code } = await feed.client.run(["list", "package", "--outdated"], project);
    expect(output).toMatch(/Acme\.Root\s+1\.0\.0\s+1\.0\.0\s+1\.2\.0/);
    expect(code).toBe(0);
    const documents = ["index.json", "1.2.0.json"].map(async (name) => {
      const answer = await feed.host.fetch(`/v3/registration-gz-semver2/acme.root/${name}`);
      return answer.text();
    });
    expect((await Promise.all(documents)).join("")).not.toContain(upstream.origin);
  });

  test("a push to an id of the source is refused, also of a version that is stored", async () => {
    for (const version of ["9.9.9", "1.2.0"]) {
      const path = await feed.nupkg({ id: "Acme.Root", version });
      const { output, code } = await feed.push(path);
      expect(code).not.toBe(0);
      expect(output).toContain("403");
      expect(output).toContain('comes from the package source "upstream"');
      expect(output).toContain("sealhouse source release nuget Acme.Root");
    }
  });

  test("an id that was published here stays here", async () => {
    await feed.put({ id: "Acme.Own", version: "1.0.0" });
    // The first publish has asked whether the source has the name.
    upstream.requests.splice(0);
    upstream.put("Acme.Own", "99.0.0");
    const list = await feed.host.fetch("/v3/package/acme.own/index.json");
    expect(await list.json()).toEqual({ versions: ["1.0.0"] });
    expect(upstream.requests.some((path) => path.includes("acme.own"))).toBe(false);
  });

  test("with the source stopped and empty caches, a locked restore works", async () => {
    await upstream.close();
    const client = await feed.anotherClient();
    const copy = join(client.folder, "locked");
    await cp(project, copy, { recursive: true });
    await rm(join(copy, "obj"), { recursive: true, force: true });
    const before = await readFile(join(copy, "packages.lock.json"), "utf8");
    const { output, code } = await client.run(["restore", "--locked-mode"], copy);
    expect(output).not.toMatch(/NU\d{4}/);
    expect(code).toBe(0);
    expect(await readFile(join(copy, "packages.lock.json"), "utf8")).toBe(before);
  });
});
