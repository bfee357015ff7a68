import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  openHeldReleases,
  openTestPlace,
  leaveTestServers,
  testableDatabases,
} from "@sealhouse/database/testing";
import type { HeldReleases } from "@sealhouse/database/testing";
import { createLimit } from "@sealhouse/http-responses/outgoing";
import { startFaultProxy } from "@sealhouse/storage-providers/testing";
import type { FaultProxy } from "@sealhouse/storage-providers/testing";
import { afterAll, describe, expect, test, vi } from "vitest";
import { databaseSettings, spawnCli, spawnHost } from "../../src/testing/index.ts";
import type { HostProcess } from "../../src/testing/index.ts";
import { npmArtifact, nugetArtifact, ociArtifact } from "../artifacts.ts";
import type { Artifact } from "../artifacts.ts";
import { openFolder } from "../clients/client.ts";

// Releases on servers of databases, whose processes are killed at chosen moments. They take
// minutes, so `pnpm test:extended` runs them; `run-release.test.ts` kills at every call, in memory.

const CONTENT = new Uint8Array(20_000).fill(7);
const CONTINUES_WITHIN_MS = 100_000;
const COMMANDS_AT_ONCE = 4;

/** When a process is killed. */
type Moment =
  /** Inside the transaction that would change its release to the state. */
  | { readonly amid: string }
  /** Once the state is committed. */
  | { readonly after: string }
  /** After the target has processed a request, before its answer arrives. */
  | { readonly answerTo: RegExp };

type Kill = { readonly group: string; readonly moment: Moment };

const KILLS: readonly Kill[] = [
  { group: "amid-carrying", moment: { amid: "carrying" } },
  { group: "after-publishing", moment: { after: "publishing" } },
  { group: "answer-npm", moment: { answerTo: /^PUT \/npm\/acme-answer-npm$/ } },
  { group: "amid-released", moment: { amid: "released" } },
  { group: "undo-amid-rolled-back", moment: { amid: "rolled-back" } },
  { group: "amid-frozen", moment: { amid: "frozen" } },
  { group: "amid-checked", moment: { amid: "checked" } },
  { group: "amid-publishing", moment: { amid: "publishing" } },
  { group: "amid-pointing", moment: { amid: "pointing" } },
  { group: "after-open", moment: { after: "open" } },
  { group: "after-frozen", moment: { after: "frozen" } },
  { group: "after-checked", moment: { after: "checked" } },
  { group: "after-carrying", moment: { after: "carrying" } },
  { group: "after-pointing", moment: { after: "pointing" } },
  { group: "answer-tag", moment: { answerTo: /^PUT \/v2\/team\/answer-tag\/manifests\/1\.0$/ } },
  { group: "answer-dist-tag", moment: { answerTo: /^DELETE .*acme-answer-dist-tag\/dist-tags\// } },
  { group: "undo-amid-undoing", moment: { amid: "undoing" } },
  { group: "undo-after-undoing", moment: { after: "undoing" } },
];
/** The target refuses the npm package of these groups. */
const isUndone = (group: string): boolean => group.startsWith("undo-");
const REFUSED = /^PUT \/npm\/acme-undo-/;
const STATES = ["open", "frozen", "checked", "carrying", "publishing", "pointing", "undoing"];

const artifactsOf = (group: string): readonly Artifact[] => [
  nugetArtifact(`Acme.${group}`, CONTENT),
  npmArtifact(`acme-${group}`, CONTENT),
  ociArtifact(`team/${group}`, CONTENT),
];

const servers = testableDatabases().filter((type) => type === "PostgreSQL" || type === "MySql");

describe.each(servers)("%s", (type) => {
  test(`releases whose process was killed at ${KILLS.length} moments end, each once`, async () => {
    await using cleanUp = new AsyncDisposableStack();
    const folder = cleanUp.use(await openFolder()).path;
    const place = cleanUp.use(await openTestPlace(type));
    const prod = cleanUp.use(await spawnHost({ folder: join(folder, "prod") }));
    const proxy = cleanUp.use(await startFaultProxy(prod.url));
    const env = {
      ...databaseSettings(place.config),
      TARGET_TOKEN: await prod.makeToken({ scopes: "write,delete" }),
    };
    const dev = { folder: join(folder, "dev"), env };
    const start = async () => cleanUp.use(await spawnHost(dev));
    {
      const host = await start();
      await prepare(host, proxy.url);
      await host.stop();
    }
    const held = cleanUp.use(await openHeldReleases(place.config));
    for (const kill of KILLS) await promoteAndKill(kill, { held, proxy, dev });
    await held.endLeases();
    {
      // A host continues them, and is killed when the first has ended.
      const host = await start();
      await vi.waitFor(async () => expect(await ended(held)).not.toEqual([]), {
        timeout: CONTINUES_WITHIN_MS,
        interval: 20,
      });
      await host.kill();
      await held.endLeases();
      expect((await ended(held)).length).toBeLessThan(KILLS.length);
    }
    const host = await start();
    await vi.waitFor(async () => expect(await ended(held)).toHaveLength(KILLS.length), {
      timeout: CONTINUES_WITHIN_MS,
      interval: 500,
    });
    await expectEachOnce(host, prod);
  }, 400_000);
});
afterAll(leaveTestServers);

/** Pushes the packages of all groups, and adds the targets and the groups. */
async function prepare(host: HostProcess, target: string): Promise<void> {
  const token = await host.makeToken({ scopes: "write" });
  const options = ["--token-env", "TARGET_TOKEN", "--allow-private-network"];
  for (const [protocol, endpoint] of [
    ["nuget", `${target}/v3/index.json`],
    ["npm", `${target}/npm/`],
    ["oci", target],
  ] as const) {
    const user = protocol === "oci" ? ["--username", "ci"] : [];
    const to = ["--protocol", protocol, "--endpoint", endpoint];
    await ok(host, "target", "add", protocol, ...to, ...options, ...user);
  }
  const limit = createLimit(COMMANDS_AT_ONCE);
  const added = KILLS.map(({ group }) =>
    limit(async () => {
      for (const artifact of artifactsOf(group)) {
        expect(await artifact.push(host, token)).toBe(true);
      }
      const members = [`nuget:Acme.${group}`, `npm:acme-${group}`, `oci:team/${group}`];
      const targets = ["--target", "nuget", "npm", "oci"];
      await ok(host, "group", "add", group, "--member", ...members, ...targets);
    }),
  );
  await Promise.all(added);
}

async function ok(host: HostProcess, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await host.cli(...words);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

type Parts = {
  readonly held: HeldReleases;
  readonly proxy: FaultProxy;
  readonly dev: { readonly folder: string; readonly env: Readonly<Record<string, string>> };
};

/** Runs `sealhouse promote` up to the moment. */
async function promoteAndKill({ group, moment }: Kill, parts: Parts): Promise<void> {
  const { held, proxy, dev } = parts;
  const killing = new AbortController();
  proxy.faultOf = ({ method, url }) => {
    const request = `${method} ${url}`;
    if (REFUSED.test(request)) return { type: "answer", status: 403, body: "{}" };
    if (!("answerTo" in moment) || !moment.answerTo.test(request)) return undefined;
    killing.abort();
    return { type: "lost-answer" };
  };
  if ("amid" in moment) await held.hold(group, moment.amid);
  const running = spawnCli(["promote", group], { ...dev, kill: killing.signal });
  if ("amid" in moment) await Promise.race([held.waiting(), running]);
  if ("after" in moment) await Promise.race([reached(held, group, moment.after), running]);
  if (!("answerTo" in moment)) killing.abort();
  const { code, stderr } = await running;
  expect([group, code, stderr]).toEqual([group, -1, expect.any(String)]);
  await held.end();
  expect([group, STATES.includes((await held.stateOf(group)) ?? "")]).toEqual([group, true]);
}

async function reached(held: HeldReleases, group: string, state: string): Promise<void> {
  while (STATES.indexOf((await held.stateOf(group)) ?? "") < STATES.indexOf(state)) await delay(1);
}

/** The groups whose releases have ended. */
async function ended(held: HeldReleases): Promise<readonly string[]> {
  const groups: string[] = [];
  for (const { group } of KILLS) {
    if (!STATES.includes((await held.stateOf(group)) ?? "")) groups.push(group);
  }
  return groups;
}

async function expectEachOnce(host: HostProcess, prod: HostProcess): Promise<void> {
  const groups = KILLS.map(({ group }) => group);
  const [undone, done] = [groups.filter(isUndone), groups.filter((group) => !isUndone(group))];
  const releases = JSON.parse(await ok(host, "release", "list", "--json")) as readonly {
    readonly group: string;
    readonly state: string;
  }[];
  const statesOf = (wanted: readonly string[]) =>
    releases.filter(({ group }) => wanted.includes(group)).map(({ state }) => state);
  expect(new Set(statesOf(done))).toEqual(new Set(["released"]));
  expect(new Set(statesOf(undone))).toEqual(new Set(["rolled-back"]));
  expect(releases).toHaveLength(KILLS.length);
  for (const group of done) {
    for (const artifact of artifactsOf(group)) {
      expect([artifact.name, await artifact.check(prod)]).toEqual([artifact.name, "whole"]);
    }
    const tags = await prod.fetch(`/npm/-/package/acme-${group}/dist-tags`);
    expect(await tags.json()).toEqual({ latest: "1.0.0" });
  }
  for (const group of undone) {
    const [, npm, image] = artifactsOf(group);
    expect([await npm?.check(prod), await image?.check(prod)]).toEqual(["absent", "absent"]);
  }
  const published = await subjects(prod, "package.published");
  expect(published).toEqual([...new Set(published)]);
  const promoted = done.map((group) => `group/${group}`);
  expect(await subjects(host, "group.promoted")).toEqual(promoted.toSorted());
  const failed = undone.map((group) => `group/${group}`);
  expect(await subjects(host, "promotion.failed")).toEqual(failed.toSorted());
}

/** Subjects of the events of one type, in order. */
async function subjects(host: HostProcess, type: string): Promise<readonly string[]> {
  const listed = await ok(host, "audit", "list", "--json", "--limit", "1000");
  const events = JSON.parse(listed) as readonly { type: string; subject: string }[];
  return events
    .filter((event) => event.type === type)
    .map(({ subject }) => subject)
    .toSorted();
}
