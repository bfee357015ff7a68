import { access, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest, isExtended } from "../../src/testing/index.ts";
import { hasClient } from "./client.ts";
import type { DotnetFeed } from "./dotnet-feed.ts";
import { openDotnetFeed } from "./dotnet-feed.ts";

const schemes = hasClient("dotnet") ? (["http", "https"] as const) : [];
/** The client does the same over http, which `pnpm test:extended` shows. */
const tested = schemes.filter((scheme) => scheme === "https" || isExtended);

describe.each(tested)("dotnet against the host, over %s", (scheme) => {
  const cleanUp = new AsyncDisposableStack();
  let feed: DotnetFeed;

  beforeAll(async () => {
    feed = cleanUp.use(await openDotnetFeed({ scheme }));
  });
  afterAll(() => cleanUp.disposeAsync());

  test("pushes; a duplicate is a conflict, which --skip-duplicate forgives", async () => {
    const path = await feed.nupkg({ id: "Acme.Pushed", version: "1.0.0" });
    const first = await feed.push(path);
    expect(first.output).toContain("Your package was pushed.");
    expect(first.code).toBe(0);

    const second = await feed.push(path);
    expect(second.output).toContain("409");
    expect(second.code).toBe(1);
    expect((await feed.push(path, "--skip-duplicate")).code).toBe(0);
  });

  test("restores and builds against what was pushed", async () => {
    const { client } = feed;
    await feed.put({ id: "Acme.Restored", version: "1.2.3-beta.1" });
    const project = await client.consumer({ id: "Acme.Restored", version: "1.2.3-beta.1" });
    const built = await client.run(["build", "--nologo"], project);
    expect(built.output).toContain("Build succeeded");
    await access(join(client.folder, "packages/acme.restored/1.2.3-beta.1/docs/about.txt"));
  });

  test("shows the reason when a package or a key is refused", async () => {
    const path = join(feed.client.folder, "Broken.1.0.0.nupkg");
    await writeFile(path, "this is no archive");
    const broken = await feed.push(path);
    expect(broken.output).toMatch(/400.*not/);
    expect(broken.code).toBe(1);

    const good = await feed.nupkg({ id: "Acme.Refused", version: "1.0.0" });
    const wrongKey = ["--source", "sealhouse", "--api-key", "shp_wrong"];
    const refused = await feed.client.run(["nuget", "push", good, ...wrongKey]);
    expect(refused.output).toMatch(/403.*These credentials do not allow that/);
    expect(refused.code).toBe(1);
  });

  test("shows the reason when a package of more than 64 MiB is refused", async () => {
    const path = join(feed.client.folder, "Huge.1.0.0.nupkg");
    await writeFile(path, Buffer.alloc(80 * 1024 * 1024, "x"));
    const wrongKey = ["--source", "sealhouse", "--api-key", "shp_wrong"];
    const refused = await feed.client.run(["nuget", "push", path, ...wrongKey]);
    expect(refused.output).toMatch(/403.*These credentials do not allow that/);
    expect(refused.output).not.toMatch(/broken pipe/i);
    expect(refused.code).toBe(1);
  });

  extendedTest(
    "takes versions in every spelling, and knows them again under the normal one",
    async () => {
      const id = "Acme.Spelled";
      for (const version of ["1.0.0.0", "1.01.1", "2.0.0-Beta.1+build.7"]) {
        const pushed = await feed.push(await feed.nupkg({ id, version }));
        expect(pushed.output).toContain("Your package was pushed.");
      }
      for (const version of ["1.0", "1.1.1", "2.0.0-beta.1"]) {
        const again = await feed.push(await feed.nupkg({ id, version }));
        expect(again.output).toContain("409");
      }
      const versions = await feed.host.fetch("/v3/package/acme.spelled/index.json");
      expect(await versions.json()).toEqual({ versions: ["1.0.0", "1.1.1", "2.0.0-beta.1"] });
      const project = await feed.client.consumer({ id, version: "[1.01.1.0]" });
      expect((await feed.client.run(["restore"], project)).code).toBe(0);
    },
  );

  test("finds packages, and not deleted ones, which still restore", async () => {
    await feed.put({ id: "Acme.Findable", version: "2.0.0" });
    const { client, token } = feed;
    const search = () => searchFor(feed, "findable");
    expect(await search()).toEqual(["Acme.Findable 2.0.0"]);

    const from = ["--non-interactive", "--source", "sealhouse", "--api-key", token];
    const deleted = await client.run(["nuget", "delete", "Acme.Findable", "2.0.0", ...from]);
    expect(deleted.output).toContain("was deleted successfully");
    expect(await search()).toEqual([]);

    const project = await client.consumer({ id: "Acme.Findable", version: "2.0.0" });
    expect((await client.run(["restore"], project)).code).toBe(0);

    await feed.host.fetch("/api/v2/package/Acme.Findable/2.0.0", {
      method: "POST",
      headers: { "x-nuget-apikey": token },
    });
    expect(await search()).toEqual(["Acme.Findable 2.0.0"]);
  });

  extendedTest("searches with prereleases, in pages, and by the exact id", async () => {
    for (const version of ["1.0.0", "1.1.0-beta.1"]) {
      await feed.put({ id: "Acme.Searched", version });
    }
    await feed.put({ id: "Acme.Searched.Extras", version: "3.0.0" });
    expect(await searchFor(feed, "searched")).toEqual([
      "Acme.Searched 1.0.0",
      "Acme.Searched.Extras 3.0.0",
    ]);
    const [first] = await searchFor(feed, "Acme.Searched", "--prerelease");
    expect(first).toBe("Acme.Searched 1.1.0-beta.1");
    expect(await searchFor(feed, "searched", "--take", "1", "--skip", "1")).toEqual([
      "Acme.Searched.Extras 3.0.0",
    ]);
    const exact = ["--exact-match", "--prerelease"];
    expect(await searchFor(feed, "acme.searched", ...exact)).toEqual([
      "Acme.Searched 1.0.0",
      "Acme.Searched 1.1.0-beta.1",
    ]);
    const version = "id:searched version:3.0";
    expect(await searchFor(feed, version)).toEqual(["Acme.Searched.Extras 3.0.0"]);
    const prerelease = "id:searched version:1.1.0-BETA.1";
    expect(await searchFor(feed, prerelease)).toEqual([]);
    expect(await searchFor(feed, prerelease, "--prerelease")).toEqual([
      "Acme.Searched 1.1.0-beta.1",
    ]);
  });

  extendedTest(
    "pages a long history: the newest of 130 versions is what is outdated",
    async () => {
      const { client, host, token } = feed;
      for (let minor = 0; minor < 130; minor += 1) {
        await feed.put({ id: "Acme.Long", version: `1.${minor}.0` });
      }
      const index = await host.fetch("/v3/registration-gz-semver2/acme.long/index.json");
      const { items } = (await index.json()) as { items: { count: number; items?: unknown }[] };
      expect(items.map(({ count }) => count)).toEqual([64, 64, 2]);
      expect(items.every((page) => page.items === undefined)).toBe(true);

      const project = await client.consumer({ id: "Acme.Long", version: "1.64.0" });
      await client.run(["restore"], project);
      const outdated = await client.run(["list", "package", "--outdated"], project);
      expect(outdated.output).toMatch(/Acme\.Long\s+1\.64\.0\s+1\.64\.0\s+1\.129\.0/);

      const deprecated = await host.fetch("/api/v2/package/Acme.Long/deprecations", {
        method: "PUT",
        headers: { "x-nuget-apikey": token, "content-type": "application/json" },
        body: JSON.stringify({
          versions: ["1.64.0"],
          reasons: ["CriticalBugs"],
          alternatePackage: { id: "Acme.Better" },
        }),
      });
      expect(deprecated.ok).toBe(true);
      await client.run(["nuget", "locals", "http-cache", "--clear"]);
      const listed = await client.run(["list", "package", "--deprecated"], project);
      expect(listed.output).toMatch(
        /Acme\.Long\s+1\.64\.0\s+1\.64\.0\s+CriticalBugs\s+Acme\.Better/,
      );
    },
    240_000,
  );
});

describe.runIf(schemes.length > 0)("dotnet and the rules of one feed", () => {
  extendedTest("refuses http without allowInsecureConnections: the client's own rule", async () => {
    await using feed = await openDotnetFeed({ scheme: "http" });
    const project = await feed.client.consumer({ id: "Acme.Plain", version: "1.0.0" });
    const source = `<add key="plain" value="${feed.host.url}/v3/index.json" />`;
    await writeFile(
      join(project, "nuget.config"),
      `<configuration><packageSources><clear />${source}</packageSources></configuration>`,
    );
    const restored = await feed.client.run(["restore"], project);
    expect(restored.output).toContain("NU1302");
  });

  extendedTest(
    "refuses an https index with http links, so links follow the public address",
    async () => {
      const env = { Feed__PublicBaseUrl: "http://localhost:1" };
      await using feed = await openDotnetFeed({ scheme: "https", env });
      const project = await feed.client.consumer({ id: "Acme.Plain", version: "1.0.0" });
      const restored = await feed.client.run(["restore"], project);
      expect(restored.output).toContain("NU1302");
    },
  );

  test.each(tested)(
    "a feed that is not public takes a token as password, over %s",
    async (scheme) => {
      const env = { Feed__Authentication__AllowAnonymousPull: "false" };
      await using feed = await openDotnetFeed({ scheme, env });
      await feed.put({ id: "Acme.Private", version: "1.0.0" });
      const reference = { id: "Acme.Private", version: "1.0.0" };

      const project = await feed.client.consumer(reference);
      const restored = await feed.client.run(["restore"], project);
      expect(restored.output).not.toContain("NU1301");
      expect(restored.code).toBe(0);

      const stranger = await feed.anotherClient();
      const outside = await stranger.consumer(reference);
      const refused = await stranger.run(["restore"], outside);
      expect(refused.output).toMatch(/NU1301[\s\S]*401/);
      expect(refused.code).toBe(1);
    },
  );

  extendedTest.each([
    ["413", /413.*This feed takes up to 1048576 bytes/, { maxBytes: "1048576", hasStorage: true }],
    ["400", /400.*not/, { maxBytes: "", hasStorage: true }],
    ["503", /503.*storage/, { maxBytes: "", hasStorage: false }],
  ])(
    "shows why it answers %s to a package of more than 64 MiB",
    async (...row) => {
      const [, reason, { maxBytes, hasStorage }] = row;
      const env = { Feed__NuGet__MaxPackageBytes: maxBytes };
      await using feed = await openDotnetFeed({ scheme: "http", env });
      const path = join(feed.client.folder, "Huge.1.0.0.nupkg");
      await writeFile(path, Buffer.alloc(80 * 1024 * 1024, "x"));
      if (!hasStorage) {
        const root = join(feed.host.folder, "packages");
        await rename(root, `${root}-elsewhere`);
      }
      const refused = await feed.push(path);
      expect(refused.output).toMatch(reason);
      expect(refused.output).not.toMatch(/broken pipe/i);
      expect(refused.code).toBe(1);
      // The client repeats what was answered with 503.
    },
    240_000,
  );

  extendedTest("shows that the policy refuses a package with a repository signature", async () => {
    const env = { Signing__PublishSignaturePolicy: "Reject" };
    await using feed = await openDotnetFeed({ scheme: "http", env });
    const signed = new URL("../../../../vectors/nuget-signatures/packages/", import.meta.url);
    const pushed = await feed.push(new URL("repo.nupkg", signed).pathname);
    expect(pushed.output).toMatch(/400.*already has a repository signature/);
    expect(pushed.code).toBe(1);
  });
});

/** `Id Version` of each hit, in order. */
async function searchFor(
  { client }: DotnetFeed,
  text: string,
  ...more: readonly string[]
): Promise<readonly string[]> {
  const form = ["--source", "sealhouse", "--format", "json"];
  const { stdout } = await client.run(["package", "search", text, ...form, ...more]);
  const { searchResult } = JSON.parse(stdout) as {
    searchResult: { packages: { id: string; latestVersion?: string; version?: string }[] }[];
  };
  return searchResult.flatMap(({ packages }) =>
    packages.map(({ id, latestVersion, version }) => `${id} ${latestVersion ?? version}`),
  );
}
