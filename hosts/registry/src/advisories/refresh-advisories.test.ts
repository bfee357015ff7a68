import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase } from "@sealhouse/database/testing";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { createLog } from "../log.ts";
import { osvDocument } from "../testing/osv-document.ts";
import { advisoryRecorders, importAdvisories } from "./import-advisories.ts";
import { refreshAdvisories } from "./refresh-advisories.ts";
import type { RefreshParts } from "./refresh-advisories.ts";

const HOUR_MS = 3_600_000;
const folder = await mkdtemp(join(tmpdir(), "sealhouse-refresh-"));
afterAll(() => rm(folder, { recursive: true }));

const write = (name: string, ...packages: readonly string[]) =>
  writeFile(
    join(folder, `${name}.json`),
    JSON.stringify(
      packages.map((id, index) => osvDocument({ id: `${name}-${index}`, package: id })),
    ),
  );
const source = (name: string) => ({ name, location: join(folder, `${name}.json`) });
const { signal } = new AbortController();

beforeEach(async () => {
  await write("own", "acme.json");
  await write("other", "acme.xml");
});

async function openParts() {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const now = () => new Date(clock.now);
  const database = await openTestDatabase({ now });
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Text" }, (line) => lines.push(line));
  const fetch = createOutgoingFetch({ allowPrivate: false });
  const parts = (...names: readonly string[]): RefreshParts => ({
    database,
    vulnerabilities: { sources: names.map(source), refreshIntervalMs: HOUR_MS },
    fetch,
    log,
    now,
  });
  const known = async () => {
    const found = await database.nuget.advisories.of(["acme.json", "acme.xml", "acme.yaml"]);
    return [...found.keys()].toSorted();
  };
  return { clock, database, lines, parts, known, fetch };
}

test("reads what is due, and not again before its time", async () => {
  const { clock, database, parts, known } = await openParts();
  await using _ = database;
  await refreshAdvisories(parts("own", "other"), signal);
  expect(await known()).toEqual(["acme.json", "acme.xml"]);
  await write("own", "acme.json", "acme.yaml");
  clock.now += HOUR_MS - 1;
  await refreshAdvisories(parts("own", "other"), signal);
  expect(await known()).toEqual(["acme.json", "acme.xml"]);
  clock.now += 1;
  await refreshAdvisories(parts("own", "other"), signal);
  expect(await known()).toEqual(["acme.json", "acme.xml", "acme.yaml"]);
});

test("forgets a source that left the settings, and keeps what was imported by hand", async () => {
  const { database, parts, known, fetch } = await openParts();
  await using _ = database;
  const recorders = advisoryRecorders(database);
  await importAdvisories(source("other"), { recorders, fetch, signal, isByHand: true });
  await refreshAdvisories(parts("own"), signal);
  expect(await known()).toEqual(["acme.json", "acme.xml"]);
  await refreshAdvisories(parts(), signal);
  expect(await known()).toEqual(["acme.xml"]);
});

test("says which source could not be read, reads the others, and tries it again", async () => {
  const { database, parts, lines, known } = await openParts();
  await using _ = database;
  await writeFile(join(folder, "own.json"), "<html>");
  await refreshAdvisories(parts("own", "other"), signal);
  expect(await known()).toEqual(["acme.xml"]);
  expect(lines.join("\n")).toMatch(/could not be read; it is tried again later/);
  expect(lines.join("\n")).toMatch(/own\.json is neither an archive nor JSON/);
  await write("own", "acme.json");
  await refreshAdvisories(parts("own", "other"), signal);
  expect(await known()).toEqual(["acme.json", "acme.xml"]);
});

test("leaves it to another instance that is at it", async () => {
  const { database, parts, known } = await openParts();
  await using _ = database;
  await database.leases.acquire("vulnerabilities", "another instance", HOUR_MS);
  await refreshAdvisories(parts("own"), signal);
  expect(await known()).toEqual([]);
});
