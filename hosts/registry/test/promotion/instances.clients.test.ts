import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openHeldReleases, openTestPlace } from "@sealhouse/database/testing";
import { leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import type { HeldReleases } from "@sealhouse/database/testing";
import { buildTarball } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { databaseSettings, extendedTest, spawnCli, spawnHost } from "../../src/testing/index.ts";
import type { HostProcess } from "../../src/testing/index.ts";
import { npmArtifact, nugetArtifact, ociArtifact } from "../artifacts.ts";
import { hasClient, openFolder } from "../clients/client.ts";
import { startNginx } from "../clients/nginx.ts";
import { openSlowProxy } from "../clients/slow-proxy.ts";

// As in production: closed reading, PostgreSQL and two instances at the source; https behind nginx
// at the target, over a slow line.

const CONTENT = new Uint8Array(300_000).fill(7);
const BYTES_PER_SECOND = 200_000;
const ENDS_WITHIN_MS = 100_000;
const VERSIONS = ["1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.0.1"];
const PRODUCTION = {
  ASPNETCORE_ENVIRONMENT: "Production",
  Host__TokenHashPepper: "0123456789abcdef0123456789abcdef",
  Feed__Npm__Enabled: "true",
  Feed__Oci__Default__Enabled: "true",
};
const ARTIFACTS = [
  nugetArtifact("Acme.Core", CONTENT),
  npmArtifact("acme-bar", CONTENT),
  ociArtifact("team/app", CONTENT),
];

const canRun = hasClient("nginx") && testableDatabases().includes("PostgreSQL");

describe.skipIf(!canRun)("two instances of which one is killed", () => {
  const cleanUp = new AsyncDisposableStack();
  let prod: HostProcess;
  let one: HostProcess;
  let other: HostProcess;
  let held: HeldReleases;
  /** The folder and the settings of both instances. */
  let options: { readonly folder: string; readonly env: Readonly<Record<string, string>> };
  let own: string;
  let reader: string;

  const startInstance = async () => cleanUp.use(await spawnHost(options));

  beforeAll(async () => {
    const folder = cleanUp.use(await openFolder()).path;
    const [dev, nginxFolder] = [join(folder, "dev"), join(folder, "nginx")];
    await mkdir(nginxFolder);
    prod = cleanUp.use(await spawnHost({ folder: join(folder, "prod"), env: PRODUCTION }));
    const nginx = cleanUp.use(await startNginx(prod, nginxFolder, "localhost"));
    const slow = cleanUp.use(await openSlowProxy(nginx.url, BYTES_PER_SECOND));
    const place = cleanUp.use(await openTestPlace("PostgreSQL"));
    const TARGET_TOKEN = await prod.makeToken({ scopes: "read,write,delete" });
    reader = await prod.makeToken({ name: "reader", scopes: "read" });
    const env = { ...PRODUCTION, ...databaseSettings(place.config), TARGET_TOKEN };
    options = {
      folder: dev,
      env: { ...env, Host__DataProtection__KeyPath: join(folder, "keys") },
    };
    one = await startInstance();
    other = await startInstance();
    held = cleanUp.use(await openHeldReleases(place.config));
    own = await one.makeToken({ scopes: "read,write" });
    const target = `https://localhost:${new URL(slow.url).port}`;
    const trust = ["--token-env", "TARGET_TOKEN", "--allow-private-network"];
    for (const [protocol, path] of [
      ["nuget", "/v3/index.json"],
      ["npm", "/npm/"],
      ["oci", ""],
    ] as const) {
      const to = ["--protocol", protocol, "--endpoint", `${target}${path}`];
      // An API key opens no NuGet feed for reading.
      const user = protocol === "npm" ? [] : ["--username", "ci"];
      await ok(
        "target",
        "add",
        protocol,
        ...to,
        ...trust,
        "--ca-path",
        nginx.authorityPath,
        ...user,
      );
    }
    for (const artifact of ARTIFACTS) expect(await artifact.push(one, own)).toBe(true);
    const members = ["nuget:Acme.Core", "npm:acme-bar", "oci:team/app"];
    await ok("group", "add", "web", "--member", ...members, "--target", "nuget", "npm", "oci");
    await ok("syndication", "add", "--member", "npm:live-*", "--target", "npm", "--name", "live");
  }, 240_000);
  afterAll(async () => {
    await cleanUp.disposeAsync();
    await leaveTestServers();
  });

  /** Runs a command that must succeed, with the settings of the instances. */
  async function ok(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await spawnCli(words, options);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  }

  /** Subjects of the events of one type, oldest first. */
  async function subjects(host: HostProcess, type: string): Promise<readonly string[]> {
    const { stdout } = await host.cli("audit", "list", "--json", "--limit", "1000");
    const events = JSON.parse(stdout) as readonly { id: number; type: string; subject: string }[];
    const ofType = events.filter((event) => event.type === type);
    return ofType.toSorted((a, b) => a.id - b.id).map(({ subject }) => subject);
  }

  /** A host for a caller with a token. */
  function readable(host: HostProcess, token: string): HostProcess {
    const basic = `Basic ${Buffer.from(`reader:${token}`).toString("base64")}`;
    return {
      ...host,
      fetch(path, init = {}) {
        const headers = new Headers(init.headers);
        const ofPath = path.startsWith("/npm/") ? `Bearer ${token}` : basic;
        if (!headers.has("authorization")) headers.set("authorization", ofPath);
        return host.fetch(path, { ...init, headers });
      },
    };
  }

  test("publish the versions of a package once and in their order", async () => {
    for (const [at, version] of VERSIONS.entries()) {
      await publish(at % 2 === 0 ? one : other, own, version);
    }
    const live = async () =>
      (await subjects(prod, "package.published")).filter((name) => name.startsWith("npm/live-"));
    await vi.waitFor(async () => expect(await live()).not.toEqual([]), ENDS_WITHIN_MS);
    await one.kill();
    one = await startInstance();
    await vi.waitFor(async () => expect(await live()).toHaveLength(VERSIONS.length), {
      timeout: ENDS_WITHIN_MS,
      interval: 1_000,
    });
    expect(await live()).toEqual(VERSIONS.map((version) => `npm/live-bar@${version}`));
    await vi.waitFor(async () => {
      const listed = await ok("syndication", "list");
      expect(listed).toContain(`${VERSIONS.length} released, 0 waiting, 0 failed`);
    }, ENDS_WITHIN_MS);
  }, 240_000);

  extendedTest(
    "end a release whose command and instance are killed",
    async () => {
      const kill = new AbortController();
      const running = spawnCli(["promote", "web"], { ...options, kill: kill.signal });
      await vi.waitFor(async () => expect(await held.stateOf("web")).toBe("carrying"), {
        timeout: ENDS_WITHIN_MS,
        interval: 20,
      });
      kill.abort();
      await one.kill();
      expect((await running).code).toBe(-1);
      expect(await held.stateOf("web")).not.toBe("released");
      await vi.waitFor(async () => expect(await held.stateOf("web")).toBe("released"), {
        timeout: ENDS_WITHIN_MS,
        interval: 500,
      });
      for (const artifact of ARTIFACTS) {
        expect([artifact.name, await artifact.check(readable(prod, reader))]).toEqual([
          artifact.name,
          "whole",
        ]);
      }
      // Anonymous clients are refused.
      expect((await prod.fetch("/npm/acme-bar")).status).toBe(401);
      const published = await subjects(prod, "package.published");
      expect(published).toEqual([...new Set(published)]);
      const promoted = await subjects(other, "group.promoted");
      expect(promoted.filter((subject) => subject === "group/web")).toHaveLength(1);
    },
    240_000,
  );
});

/** Publishes a version of the package that a syndication takes. */
async function publish(host: HostProcess, token: string, version: string): Promise<void> {
  const manifest = { name: "live-bar", version };
  const data = buildTarball({ ...manifest, files: { "bytes.bin": CONTENT } });
  const answer = await host.fetch("/npm/live-bar", {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      _id: "live-bar",
      name: "live-bar",
      "dist-tags": { latest: version },
      versions: { [version]: manifest },
      _attachments: {
        [`live-bar-${version}.tgz`]: {
          content_type: "application/octet-stream",
          data: data.toString("base64"),
          length: data.length,
        },
      },
    }),
  });
  expect([answer.ok, await answer.text()]).toEqual([true, expect.any(String)]);
}
