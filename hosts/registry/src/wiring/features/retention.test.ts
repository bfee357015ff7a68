import { openTestDatabase } from "@sealhouse/database/testing";
import type { RetentionStep } from "@sealhouse/nuget-protocol";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { retentionPorts } from "@sealhouse/feed";
import { createLog } from "../../log.ts";
import type { RetentionConfig } from "@sealhouse/nuget-protocol/settings";
import { applyRetention, retentionJob } from "@sealhouse/nuget-protocol";

const SYSTEM = { actor: "system" };
const NEVER = new AbortController().signal;
const CONFIG: RetentionConfig = {
  enabled: true,
  rules: { versionsMax: 1, excludedIds: ["Acme.Kept"], action: "Delete" },
  dryRun: false,
  everyMs: 3_600_000,
};

async function openFeed() {
  const opened = new AsyncDisposableStack();
  const database = opened.use(await openTestDatabase());
  for (const id of ["Acme", "Acme.Kept"]) {
    for (const version of ["1.0.0-a", "1.0.0-b", "1.0.0"]) {
      await database.nuget.recorder.record(newPackage({ id, version }), { actor: "me" });
    }
  }
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Text" }, (line) => lines.push(line));
  const versions = async (id: string) =>
    (await database.nuget.lookup.versions(id)).map(({ version }) => version);
  const events = async () => {
    const all = await database.events.outbox.pending("test", 100);
    return all.filter(({ type }) => type !== "package.published");
  };
  const parts = {
    ports: retentionPorts(database),
    leases: database.leases,
    caller: SYSTEM,
    now: () => new Date(),
    log,
  };
  return { opened, database, parts, lines, versions, events };
}

test("the job deletes by the rules, as the system, and says that it has ended", async () => {
  const { opened, parts, versions, events } = await openFeed();
  await using _ = opened;
  await retentionJob({ ...parts, retention: CONFIG })?.run(NEVER);
  expect(await versions("acme")).toEqual(["1.0.0-b", "1.0.0"]);
  expect(await versions("acme.kept")).toHaveLength(3);
  expect(await events()).toMatchObject([
    { type: "package.deleted", subject: "nuget/Acme@1.0.0-a", caller: SYSTEM },
    {
      type: "retention.completed",
      caller: SYSTEM,
      detail: { action: "Delete", packages: 2, candidates: 1, removed: 1, dryRun: false },
    },
  ]);
});

test("the job unlists where that is the action", async () => {
  const { opened, parts, versions, events } = await openFeed();
  await using _ = opened;
  const rules = { ...CONFIG.rules, action: "Unlist" } as const;
  const job = retentionJob({ ...parts, retention: { ...CONFIG, rules } });
  await job?.run(NEVER);
  await job?.run(NEVER);
  expect(await versions("acme")).toHaveLength(3);
  const types = (await events()).map(({ type }) => type);
  expect(types).toEqual(["package.unlisted", "retention.completed", "retention.completed"]);
});

test("a dry run logs what it would do, and changes nothing", async () => {
  const { opened, parts, lines, versions, events } = await openFeed();
  await using _ = opened;
  await retentionJob({ ...parts, retention: { ...CONFIG, dryRun: true } })?.run(NEVER);
  expect(await versions("acme")).toHaveLength(3);
  expect(await events()).toEqual([]);
  expect(lines.join("\n")).toMatch(/would remove a version.*acme.*1\.0\.0-a/s);
});

test("has no job without retention, and warns without a rule", async () => {
  const { opened, parts, lines } = await openFeed();
  await using _ = opened;
  expect(retentionJob({ ...parts, retention: { ...CONFIG, enabled: false } })).toBeUndefined();
  expect(lines).toEqual([]);
  const rules = { excludedIds: [], action: "Delete" } as const;
  expect(retentionJob({ ...parts, retention: { ...CONFIG, rules } })).toBeUndefined();
  expect(lines.join("\n")).toContain("no version expires");
});

test("only one instance works at a time, and the place is free again afterwards", async () => {
  const { opened, database, parts, versions } = await openFeed();
  await using _ = opened;
  await database.leases.acquire("retention", "another instance", 60_000);
  const steps: RetentionStep[] = [];
  const onStep = (step: RetentionStep) => steps.push(step);
  const run = { rules: CONFIG.rules, dryRun: false, caller: SYSTEM, onStep };
  expect(await applyRetention(parts, run)).toMatchObject({ status: "busy" });
  expect([steps, await versions("acme")]).toEqual([[], ["1.0.0-a", "1.0.0-b", "1.0.0"]]);
  await database.leases.release("retention", "another instance");
  expect(await applyRetention(parts, run)).toMatchObject({ status: "ended" });
  expect(await applyRetention(parts, run)).toMatchObject({ result: { candidates: 0 } });
});
