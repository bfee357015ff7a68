import type { RegistryEvent } from "@sealhouse/events";
import { expect, test } from "vitest";
import {
  createScriptedTarget,
  memberOf,
  openScripted,
} from "../release/scripted-target.test.support.ts";
import { runRelease } from "../release/run-release.ts";
import { syndicateEvents } from "./syndication-consumer.ts";
import type { Syndication } from "./syndication.ts";

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const NAMES = Array.from({ length: 100 }, (_, at) => `lib-${at}`);
const VERSIONS = Array.from({ length: 10 }, (_, at) => `1.0.${at}`);

const SYNDICATION: Syndication = {
  name: "libs",
  from: { type: "pattern", protocol: "npm", pattern: "lib*" },
  target: "prod",
  isEnabled: true,
  filter: { prerelease: false },
};

/** Uploads of each version of the names, and the target that they go to. */
async function openUploads(names: readonly string[]) {
  const uploads = VERSIONS.flatMap((version) => names.map((name) => ({ name, version })));
  const prod = createScriptedTarget("prod");
  const sent: string[] = [];
  const { publish } = prod.publisher;
  prod.publisher.publish = async (item, signal) => {
    sent.push(`${item.member.name}@${item.member.version}`);
    return publish(item, signal);
  };
  const scripted = openScripted([prod]);
  const { parts, releases, clock } = scripted;
  const handle = syndicateEvents({
    rows: { list: async () => [SYNDICATION] },
    groups: { list: async () => [] },
    targets: parts.targets,
    releases: releases.rows,
    catalog: {
      versions: async () => VERSIONS.map((version) => ({ version, isListed: true, tags: [] })),
      describe: async (_, name, { version }) => memberOf(name, version),
    },
    isOwn: async () => true,
  });
  const events = uploads.map(({ name, version }, index): RegistryEvent => {
    const subject = `npm/${name}@${version}`;
    const caller = { actor: "alice" };
    return { id: String(index), type: "package.published", subject, caller, at: new Date(0) };
  });
  await handle(events);
  /** Runs what is due, as the job of a host does. */
  const runDue = async () => {
    const ids = await releases.rows.due(new Date(clock.now));
    for (const id of ids) await runRelease(parts, id, new AbortController().signal);
    return ids.length;
  };
  const states = async () => {
    const all = await releases.rows.list({ limit: 2_000 });
    return Object.fromEntries(
      [...Map.groupBy(all, ({ state }) => state)].map(([state, { length }]) => [state, length]),
    );
  };
  return { ...scripted, prod, sent, runDue, states };
}

test("a thousand uploads wait for new credentials for days, and go out in order", async () => {
  const opened = await openUploads(NAMES);
  const { prod, sent, runDue, states, parts, paused, probe, clock, releases } = opened;
  const { check } = prod.publisher;
  let asked = 0;
  prod.publisher.check = async () => {
    asked += 1;
    return { status: "unauthorized", reason: "token expired" };
  };
  probe.status = "unauthorized";
  let pauses = 0;
  const { pause } = parts.targets;
  Object.assign(parts.targets, {
    pause: async (...all: Parameters<typeof pause>) => {
      const isNew = await pause(...all);
      pauses += isNew ? 1 : 0;
      return isNew;
    },
  });
  for (let days = 0; days < 6; days += 1) {
    await runDue();
    clock.now += 12 * HOUR_MS;
  }
  await runDue();
  clock.now += 4 * MINUTE_MS;
  expect(await runDue()).toBe(0);
  clock.now += MINUTE_MS;
  expect(await states()).toEqual({ frozen: 1_000 });
  // The change of the target is the one event, and so the one mail.
  expect([asked, pauses, releases.events]).toEqual([1, 1, []]);

  prod.publisher.check = check;
  paused.clear();
  // One attempt may fail after the long wait.
  prod.answers.push({ status: "failed", reason: "busy" });
  for (let count = 1; count > 0; clock.now += HOUR_MS) count = await runDue();
  expect(await states()).toEqual({ released: 1_000 });
  const first = sent.shift();
  expect(sent).toContain(first);
  for (const name of NAMES) {
    const own = sent.filter((label) => label.startsWith(`${name}@`));
    expect(own).toEqual(VERSIONS.map((version) => `${name}@${version}`));
  }
});

test("an earlier upload that is replayed moves no tag back", async () => {
  const { prod, runDue, states, clock, releases, tagged } = await openUploads(["lib"]);
  const { publish } = prod.publisher;
  // The first upload is refused, the others succeed.
  prod.publisher.publish = async (item, signal) =>
    item.member.version === "1.0.0"
      ? { status: "refused", reason: "no right" }
      : publish(item, signal);
  tagged.set("lib", new Map([["latest", "1.0.9"]]));
  for (let count = 1; count > 0; clock.now += HOUR_MS) count = await runDue();
  expect(await states()).toEqual({ "rolled-back": 1, released: 9 });
  expect(prod.tags).toEqual(new Map([["latest", "1.0.9"]]));
  prod.publisher.publish = publish;
  const [first] = (await releases.rows.list({ limit: 100 })).toReversed();
  await releases.control.resume(first?.id ?? "", { actor: "alice" });
  await runDue();
  expect(await states()).toEqual({ released: 10 });
  expect(prod.versions.has("lib@1.0.0")).toBe(true);
  expect(prod.tags).toEqual(new Map([["latest", "1.0.9"]]));
});

test("an upload that was taken back after a day can be sent again", async () => {
  const { prod, runDue, states, clock, releases, sent } = await openUploads(NAMES.slice(0, 3));
  const { publish } = prod.publisher;
  prod.publisher.publish = async () => ({ status: "failed", reason: "no answer" });
  for (let hours = 0; hours < 60; hours += 1) {
    await runDue();
    clock.now += HOUR_MS;
  }
  const taken = (await states())["rolled-back"] ?? 0;
  expect(taken).toBeGreaterThan(0);
  prod.publisher.publish = publish;
  const all = await releases.rows.list({ limit: 2_000 });
  for (const { id, state } of all) {
    if (state === "rolled-back") await releases.control.resume(id, { actor: "alice" });
  }
  for (let count = 1; count > 0; clock.now += HOUR_MS) count = await runDue();
  expect(await states()).toEqual({ released: 30 });
  expect(new Set(sent).size).toBe(30);
});
