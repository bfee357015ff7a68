import { expect, test } from "vitest";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { newPackage, testCaller } from "../testing/new-package.ts";
import type { RetentionAction, RetentionSummary } from "./ports.ts";
import type { RetentionRun, RetentionStep } from "./run-retention.ts";
import { runRetention } from "./run-retention.ts";

const SYSTEM = { actor: "system" };

type Given = readonly [id: string, version: string, needs?: string];

/** `needs`: `Acme [1.0.0-a]`, an id and a range. */
async function openFeed(versions: readonly Given[]) {
  const catalog = createMemoryCatalog();
  for (const [id, version, needs] of versions) {
    const [dependency = "", range] = needs?.split(" ") ?? [];
    const details = { dependencyGroups: [{ dependencies: [{ id: dependency, range }] }] };
    const fields = needs === undefined ? {} : { details: JSON.stringify(details) };
    await catalog.recorder.record(newPackage({ id, version }, fields), testCaller);
  }
  const completed: RetentionSummary[] = [];
  const ports = {
    ...catalog,
    packages: catalog.retention,
    completed: async (summary: RetentionSummary) => void completed.push(summary),
  };
  const run = async (options: Partial<RetentionRun> & { readonly action?: RetentionAction }) => {
    const { action = "Delete", ...rest } = options;
    const rules = { versionsMax: 1, excludedIds: [], action };
    const running = runRetention(ports, {
      rules,
      dryRun: false,
      caller: SYSTEM,
      now: new Date("2026-06-01T00:00:00Z"),
      ...rest,
    });
    const steps: RetentionStep[] = [];
    for (;;) {
      const next = await running.next();
      if (next.done) return { steps, summary: next.value };
      steps.push(next.value);
    }
  };
  return { catalog, completed, run };
}

const VERSIONS = [
  ["Acme", "1.0.0-a"],
  ["Acme", "1.0.0-b"],
  ["Acme", "1.0.0"],
  ["Other", "1.0.0-Beta.1"],
  ["Other", "1.0.0-Beta.2"],
] as const;

test("lists in a dry run what would be deleted, and changes nothing", async () => {
  const { catalog, completed, run } = await openFeed(VERSIONS);
  const { steps, summary } = await run({ dryRun: true });
  expect(steps.map(({ id, version, outcome }) => `${outcome} ${id} ${version}`)).toEqual([
    "planned acme 1.0.0-a",
    "planned other 1.0.0-Beta.1",
  ]);
  const counts = { packages: 2, candidates: 2, removed: 0 };
  expect(summary).toEqual({ dryRun: true, action: "Delete", ...counts });
  expect(completed).toEqual([]);
  expect(await catalog.lookup.versions("acme")).toHaveLength(3);
});

test("deletes what the rules choose, leaves tombstones, and says when it has ended", async () => {
  const { catalog, completed, run } = await openFeed(VERSIONS);
  const { steps, summary } = await run({});
  expect(steps.map(({ outcome }) => outcome)).toEqual(["deleted", "deleted"]);
  expect(completed).toEqual([summary]);
  expect(summary).toMatchObject({ candidates: 2, removed: 2 });
  const left = (await catalog.lookup.versions("acme")).map(({ version }) => version);
  expect(left).toEqual(["1.0.0-b", "1.0.0"]);
  expect(await catalog.lifecycle.tombstones("other")).toMatchObject([{ deletedBy: "system" }]);
  expect((await run({})).steps).toEqual([]);
});

test("unlists instead where that is the action, once", async () => {
  const { catalog, run } = await openFeed(VERSIONS);
  const { steps } = await run({ action: "Unlist" });
  expect(steps.map(({ outcome }) => outcome)).toEqual(["unlisted", "unlisted"]);
  const listed = (await catalog.lookup.versions("acme")).map((record) => record.listed);
  expect(listed).toEqual([false, true, true]);
  expect((await run({ action: "Unlist" })).steps).toEqual([]);
});

test("skips versions that another run has deleted", async () => {
  const { catalog, run } = await openFeed(VERSIONS);
  const page = catalog.retention.page.bind(catalog.retention);
  catalog.retention.page = async (after, limit) => {
    const packages = await page(after, limit);
    await catalog.lifecycle.delete("acme", "1.0.0-a", testCaller);
    return packages;
  };
  const { steps, summary } = await run({});
  expect(steps.map(({ outcome }) => outcome)).toEqual(["absent", "deleted"]);
  expect(summary).toMatchObject({ candidates: 2, removed: 1 });
});

const NEEDS: readonly (readonly [string, readonly Given[], readonly string[]])[] = [
  ["an exact version", [["App", "1.0.0", "ACME [1.0.0-A]"]], ["kept acme 1.0.0-a App 1.0.0"]],
  [
    "the lowest version of a range",
    [["App", "1.0.0", "Acme [1.0.0-a,2.0.0)"]],
    ["kept acme 1.0.0-a App 1.0.0"],
  ],
  ["what another version of the package needs", [["Acme", "2.0.0", "Acme [1.0.0-a]"]], []],
  ["a version that the range does not accept", [["App", "1.0.0", "Acme (1.0.0-a,)"]], []],
  [
    "what a prerelease needs that stays",
    [
      ["App", "1.0.0-a", "Acme [1.0.0-a]"],
      ["App", "1.0.0-b", "Acme [1.0.0-a]"],
    ],
    ["kept acme 1.0.0-a App 1.0.0-b"],
  ],
  [
    "not what a prerelease needs that goes as well",
    [
      ["App", "1.0.0-a", "Acme [1.0.0-a]"],
      ["App", "1.0.0-b"],
    ],
    [],
  ],
  [
    "what a prerelease needs that is needed itself",
    [
      ["App", "1.0.0-a", "Acme [1.0.0-a]"],
      ["App", "1.0.0-b"],
      ["Suite", "1.0.0", "App 1.0.0-a"],
    ],
    ["kept acme 1.0.0-a App 1.0.0-a", "kept app 1.0.0-a Suite 1.0.0"],
  ],
];

test.each(NEEDS)("looks whether others need a version: %s", async (_, others, expected) => {
  const { run } = await openFeed([["Acme", "1.0.0-a"], ["Acme", "1.0.0-b"], ...others]);
  const shown = ({ steps }: { readonly steps: readonly RetentionStep[] }) =>
    steps
      .filter(({ outcome }) => outcome === "kept")
      .map(({ outcome, id, version, neededBy }) => `${outcome} ${id} ${version} ${neededBy}`);
  const report = await run({ dryRun: true });
  expect(shown(report)).toEqual(expected);
  const unlisting = await run({ dryRun: true, action: "Unlist" });
  expect(unlisting.steps.every(({ outcome }) => outcome === "planned")).toBe(true);
  const applied = await run({});
  expect(shown(applied)).toEqual(expected);
  expect(applied.summary.removed).toBe(report.summary.candidates);
});

test("keeps the last version of a package, and reports it", async () => {
  const { catalog, run } = await openFeed([
    ["Acme", "1.0.0-a"],
    ["Acme", "1.0.0-b"],
  ]);
  const rules = { ageDaysMax: 1, excludedIds: [], action: "Delete" } as const;
  const { steps, summary } = await run({ rules });
  expect(steps).toMatchObject([
    { version: "1.0.0-a", outcome: "deleted" },
    { version: "1.0.0-b", outcome: "kept", isLast: true },
  ]);
  expect(summary).toMatchObject({ candidates: 1, removed: 1 });
  expect(await catalog.lookup.versions("acme")).toHaveLength(1);
});

test("goes through more packages than fit a page", async () => {
  const ids = Array.from({ length: 201 }, (_, index) => `Acme.P${index}`);
  const versions = ids.flatMap((id) => [[id, "1.0.0-a"] as const, [id, "1.0.0-b"] as const]);
  const { summary } = await (await openFeed(versions)).run({});
  expect(summary).toMatchObject({ packages: 201, candidates: 201, removed: 201 });
});

test("stops between two versions when it is asked to", async () => {
  const { catalog, completed, run } = await openFeed(VERSIONS);
  await expect(run({ signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
  expect(completed).toEqual([]);
  expect(await catalog.lookup.versions("acme")).toHaveLength(3);
});
