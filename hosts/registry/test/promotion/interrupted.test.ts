import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { spawnCli, spawnHost } from "../../src/testing/index.ts";
import type { HostProcess } from "../../src/testing/index.ts";
import { npmArtifact, nugetArtifact, ociArtifact } from "../artifacts.ts";
import type { Artifact } from "../artifacts.ts";
import { openFolder } from "../clients/client.ts";
import { openSlowProxy } from "../clients/slow-proxy.ts";

// Releases of three members to a fast and to two slow targets, whose processes are killed.

const CONTENT = new Uint8Array(300_000).fill(7);
const BYTES_PER_SECOND = 150_000;
/** Milliseconds from the start of the command line to its end. */
const KILLS = [2_000, 3_000, 4_500];
const GROUPS = KILLS.map((killAfterMs, at) => ({ name: `g${at}`, killAfterMs }));

let dev: HostProcess;
let prod: HostProcess;
let devFolder: string;
let env: Record<string, string>;
let own: string;
const cleanUp = new AsyncDisposableStack();

const artifactsOf = (name: string): readonly Artifact[] => [
  nugetArtifact(`Acme.${name}`, CONTENT),
  npmArtifact(`acme-${name}`, CONTENT),
  ociArtifact(`team/${name}`, CONTENT),
];
const live = npmArtifact("live-bar", CONTENT);

beforeAll(async () => {
  const folder = cleanUp.use(await openFolder()).path;
  prod = cleanUp.use(await spawnHost({ folder: join(folder, "prod") }));
  env = { TARGET_TOKEN: await prod.makeToken({ scopes: "write,delete" }) };
  devFolder = join(folder, "dev");
  dev = await spawnHost({ folder: devFolder, env });
  cleanUp.defer(() => dev[Symbol.asyncDispose]());
  const slow = cleanUp.use(await openSlowProxy(prod.url, BYTES_PER_SECOND));
  own = await dev.makeToken({ scopes: "write" });
  const options = ["--token-env", "TARGET_TOKEN", "--allow-private-network"];
  for (const [protocol, endpoint] of [
    ["nuget", `${prod.url}/v3/index.json`],
    ["npm", `${slow.url}/npm/`],
    ["oci", slow.url],
  ] as const) {
    const user = protocol === "oci" ? ["--username", "ci"] : [];
    const place = ["--protocol", protocol, "--endpoint", endpoint];
    await ok("target", "add", protocol, ...place, ...options, ...user);
  }
  for (const { name } of GROUPS) {
    for (const artifact of artifactsOf(name)) expect(await artifact.push(dev, own)).toBe(true);
    const members = [`nuget:Acme.${name}`, `npm:acme-${name}`, `oci:team/${name}`];
    await ok("group", "add", name, "--member", ...members, "--target", "nuget", "npm", "oci");
  }
  await ok("syndication", "add", "--member", "npm:live-*", "--target", "npm");
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

async function ok(...words: readonly string[]) {
  const done = await dev.cli(...words);
  expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
  return done.stdout;
}

type Listed = { readonly group: string; readonly state: string };

async function listed(): Promise<readonly Listed[]> {
  return JSON.parse(await ok("release", "list", "--json")) as readonly Listed[];
}

/** Subjects of the events of one type, in order. */
async function subjects(host: HostProcess, type: string): Promise<readonly string[]> {
  const { stdout } = await host.cli("audit", "list", "--json", "--limit", "1000");
  const events = JSON.parse(stdout) as readonly { type: string; subject: string }[];
  return events
    .filter((event) => event.type === type)
    .map(({ subject }) => subject)
    .toSorted();
}

test("killed commands and a killed host lose nothing and repeat nothing", async () => {
  const commands = GROUPS.map(async ({ name, killAfterMs }) => {
    const kill = AbortSignal.timeout(killAfterMs);
    const done = await spawnCli(["promote", name], { folder: devFolder, env, kill });
    return done.code;
  });
  expect(await live.push(dev, own)).toBe(true);
  await delay(3_000);
  await dev.kill();
  expect(await Promise.all(commands)).toContain(-1);
  dev = await spawnHost({ folder: devFolder, env });
  // A command that was killed before it opened its release is given again.
  const releases = await listed();
  expect(releases.some(({ state }) => state !== "released")).toBe(true);
  const begun = releases.map(({ group }) => group);
  for (const { name } of GROUPS) if (!begun.includes(name)) await ok("promote", name, "--no-wait");
  await vi.waitFor(
    async () => {
      const states = (await listed()).map(({ state }) => state);
      expect(states).toEqual(Array.from({ length: GROUPS.length + 1 }, () => "released"));
    },
    { timeout: 80_000, interval: 2_000 },
  );
  for (const { name } of GROUPS) {
    for (const artifact of artifactsOf(name)) {
      expect([artifact.name, await artifact.check(prod)]).toEqual([artifact.name, "whole"]);
    }
  }
  expect(await live.check(prod)).toBe("whole");
  const published = await subjects(prod, "package.published");
  expect(published.length).toBeGreaterThan(GROUPS.length);
  expect(published).toEqual([...new Set(published)]);
  const promoted = await subjects(dev, "group.promoted");
  expect(promoted.filter((subject) => /^group\/g\d/.test(subject))).toEqual(
    GROUPS.map(({ name }) => `group/${name}`),
  );
}, 150_000);
