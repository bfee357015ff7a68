import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { osvDocument } from "@sealhouse/advisories/testing";
import { openTestCommands } from "../testing/test-commands.ts";

const commands = await openTestCommands();
const { folder } = commands;
afterAll(() => commands[Symbol.asyncDispose]());

const own = osvDocument({ id: "GHSA-aaaa-aaaa-aaaa", package: "Acme.Json", fixed: "2.0.0" });
await writeFile(join(folder, "own.json"), JSON.stringify(own));
await writeFile(join(folder, "broken.json"), JSON.stringify([own, { id: 7 }]));

const sources = [
  { name: "configured", location: join(folder, "own.json") },
  { name: "gone", location: join(folder, "not-there") },
];
const settings = {
  feed: { vulnerabilities: { sources, refreshIntervalMs: 1 } },
  host: { allowPrivateAddresses: false, outgoingProxy: undefined },
};

const run = (...words: readonly string[]) =>
  commands.runWith(settings, "vulnerabilities", ...words);

test("reads the sources of the settings, and ends with 1 when one cannot be read", async () => {
  const all = await run("import");
  expect(all.code).toBe(1);
  expect(all.printed).toBe("configured: 1 advisory about NuGet packages (1 added, 0 removed)");
  expect(all.stderr).toMatch(/^gone: Cannot read .*not-there: ENOENT/);
  const single = await run("import", "--source", "configured");
  expect(single).toMatchObject({ code: 0, stderr: "" });
  expect(single.printed).toBe("configured: 1 advisory about NuGet packages (0 added, 0 removed)");
});

test("imports a named file, reports what it skipped, lists it and deletes it", async () => {
  const imported = await run("import", "broken.json", "--name", "by-hand");
  expect(imported.code).toBe(0);
  expect(imported.stderr).toBe("by-hand: 1 could not be read:\n  a document has no OSV id");
  const { printed } = await run("list");
  expect(printed).toMatch(/^by-hand {2}\S+broken\.json {2}by hand {2}changed \S+Z {2}read \S+Z$/m);
  expect(printed).toMatch(/^configured {2}\S+own\.json {2}by the settings {2}/m);
  const json = JSON.parse((await run("list", "--json")).printed) as unknown;
  expect(json).toMatchObject([{ name: "by-hand", isByHand: true }, { name: "configured" }]);
  expect((await run("remove", "by-hand")).code).toBe(0);
  expect((await run("list")).printed).not.toContain("by-hand");
});

test.each([
  [["import", "own.json"], /Say with --name what own\.json is called/],
  [["import", "own.json", "--name", "configured"], /is a source of the settings/],
  [["import", "--source", "nobody"], /The settings name no source "nobody"/],
  [["remove", "nobody"], /There is no source of advisories "nobody"/],
])("%j reports the fault", async (words, reason) => {
  const { code, stderr } = await run(...words);
  expect(code).toBe(1);
  expect(stderr).toMatch(reason);
});
