import type { Database } from "@sealhouse/database";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RetentionConfig } from "@sealhouse/nuget-protocol/settings";
import { openTestCommands } from "../testing/test-commands.ts";
import type { TestCommands } from "../testing/test-commands.ts";

let commands: TestCommands;
beforeEach(async () => {
  commands = await openTestCommands({ retention: retention({}), keepContentMs: 0 });
  await inFeed(async ({ nuget }) => {
    for (const version of ["1.0.0-a", "1.0.0-b", "1.0.0"]) {
      await nuget.recorder.record(newPackage({ id: "Acme", version }), { actor: "me" });
    }
  });
});
afterEach(() => commands[Symbol.asyncDispose]());

async function inFeed<T>(work: (database: Database) => Promise<T>): Promise<T> {
  await using database = await commands.open();
  return await work(database);
}

function run(words: readonly string[], rules: Partial<RetentionConfig> = {}) {
  return commands.runWith({ retention: retention(rules) }, ...words);
}

function retention(more: Partial<RetentionConfig>): RetentionConfig {
  return {
    enabled: false,
    rules: { excludedIds: [], action: "Delete" },
    dryRun: true,
    everyMs: 60_000,
    ...more,
  };
}

async function versions() {
  return inFeed(async ({ nuget }) =>
    (await nuget.lookup.versions("acme")).map(({ version, deprecation }) =>
      deprecation ? `${version} ${deprecation.reasons.join("+")}` : version,
    ),
  );
}

test("deprecates some versions or all of them, and lifts it", async () => {
  const options = ["--reasons", "legacy,CriticalBugs", "--alternate", "Other@[2.0,3.0)"];
  const some = await run(["package", "deprecate", "Acme", "1.0.0-A", "1.0", ...options]);
  expect(some).toMatchObject({ code: 0, printed: "" });
  expect(some.stderr).toBe("Acme 1.0.0-a, 1.0.0: deprecated.");
  expect(await versions()).toEqual([
    "1.0.0-a Legacy+CriticalBugs",
    "1.0.0-b",
    "1.0.0 Legacy+CriticalBugs",
  ]);
  const shown = await inFeed(({ nuget }) => nuget.lookup.versions("acme"));
  expect(shown[0]?.deprecation?.alternatePackage).toEqual({
    id: "Other",
    range: "[2.0.0, 3.0.0)",
  });

  const all = await run(["package", "undeprecate", "acme", "--json"]);
  expect(JSON.parse(all.printed)).toEqual({ id: "acme", changed: ["1.0.0-a", "1.0.0"] });
  expect(await versions()).toEqual(["1.0.0-a", "1.0.0-b", "1.0.0"]);
  expect((await run(["package", "undeprecate", "acme"])).stderr).toBe("Nothing had to change.");
});

test("deletes a version for good, lists its tombstone, and allows its number again", async () => {
  const deleted = await run(["package", "delete", "Acme", "1.0"]);
  expect(deleted.code).toBe(0);
  expect(deleted.stderr).toContain("sealhouse package allow-reuse Acme 1.0");
  expect(await versions()).toEqual(["1.0.0-a", "1.0.0-b"]);
  expect((await run(["package", "delete", "Acme", "1.0"])).code).toBe(1);

  const listed = await run(["package", "tombstones", "acme"]);
  expect(listed.printed).toMatch(/^1\.0\.0 {2}deleted \d{4}-.* by command line \(/);
  const allowed = await run(["package", "allow-reuse", "acme", "1.0.0.0"]);
  expect(allowed).toMatchObject({ code: 0, stderr: "acme 1.0.0 can be pushed again." });
  expect((await run(["package", "allow-reuse", "acme", "1.0"])).code).toBe(1);
  const types = await inFeed(async ({ events }) =>
    (await events.outbox.pending("test", 9)).slice(3).map(({ type }) => type),
  );
  expect(types).toEqual(["package.deleted", "package.reuse-allowed"]);
});

test.each([
  [["deprecate", "Acme"], 2, /--reasons/],
  [["deprecate", "Acme", "--reasons", "Boring"], 1, /"Boring" is not a reason/],
  [["deprecate", "a..b", "--reasons", "Other"], 1, /not a package id/],
  [["deprecate", "Acme", "9.9", "--reasons", "Other"], 1, /There is no Acme 9\.9/],
  [["deprecate", "Acme", "9.x", "--reasons", "Other"], 1, /"9\.x" in "versions"/],
  [["delete", "Acme"], 2, /version/],
  [["delete", "Acme", "one"], 1, /"one" is not a version/],
  [["delete", "Nobody", "1.0"], 1, /There is no Nobody 1\.0/],
])("refuses %j in words, with %i", async (words, code, message) => {
  const outcome = await run(["package", ...words]);
  expect(outcome.code).toBe(code);
  expect(outcome.stderr).toMatch(message);
  expect(outcome.stderr).not.toMatch(/\n\s+at /);
  expect(await versions()).toEqual(["1.0.0-a", "1.0.0-b", "1.0.0"]);
});

const ONE: Partial<RetentionConfig> = {
  rules: { versionsMax: 1, excludedIds: [], action: "Delete" },
};

test("retention lists what would be deleted, and deletes it on request", async () => {
  const dry = await run(["retention", "run"], ONE);
  expect(dry).toMatchObject({ code: 0, printed: "selected  acme  1.0.0-a  too-many" });
  expect(dry.stderr).toBe("Selected: 1 (Delete). Add --apply to apply it.");
  expect(await versions()).toHaveLength(3);

  const json = await run(["retention", "run", "--apply", "--json"], ONE);
  expect(JSON.parse(json.printed)).toMatchObject({
    dryRun: false,
    removed: 1,
    versions: [{ id: "acme", version: "1.0.0-a", outcome: "deleted" }],
  });
  expect(await versions()).toEqual(["1.0.0-b", "1.0.0"]);
  const again = await run(["retention", "run"], { ...ONE, dryRun: false });
  expect(again).toMatchObject({ code: 0, printed: "", stderr: "Applied: 0 (Delete)." });
});

test("retention names what keeps a version", async () => {
  const dependencies = [{ id: "Acme", range: "[1.0.0-a]" }];
  const details = JSON.stringify({ dependencyGroups: [{ dependencies }] });
  const app = newPackage({ id: "App", version: "1.0.0" }, { details, dependencyIds: ["acme"] });
  await inFeed(({ nuget }) => nuget.recorder.record(app, { actor: "me" }));
  const { printed, stderr } = await run(["retention", "run", "--apply"], ONE);
  expect(printed).toBe("kept  acme  1.0.0-a  needed by App 1.0.0");
  expect(stderr).toBe("Applied: 0 (Delete).");
  expect(await versions()).toHaveLength(3);
});

test("retention without a rule names the settings that define one", async () => {
  const { code, stderr } = await run(["retention", "run", "--apply"]);
  expect(code).toBe(1);
  expect(stderr).toContain("Retention__MaxPrereleaseVersionsPerPackage");
});
