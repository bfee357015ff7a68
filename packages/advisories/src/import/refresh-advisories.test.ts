import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createMemoryLeases } from "@sealhouse/jobs/testing";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { download } from "../sources/download.ts";
import { TEMPORARY_PREFIX } from "../sources/temporary-folder.ts";
import { createMemoryRegistry, readers } from "../testing/memory-registry.test.support.ts";
import { osvDocument } from "../testing/osv-document.ts";
import { createAdvisoryHealth } from "./advisory-health.ts";
import { importAdvisories } from "./import-advisories.ts";
import { refreshAdvisories } from "./refresh-advisories.ts";
import type { RefreshOptions } from "./refresh-advisories.ts";

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

function createRegistry() {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const now = () => new Date(clock.now);
  const registry = createMemoryRegistry(now);
  const { recorders, names } = registry;
  const leases = createMemoryLeases(() => clock.now);
  const lines: string[] = [];
  const record = (fields: object, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: record, info: record, warn: record };
  const options = (...sources: readonly string[]): RefreshOptions<object, object> => ({
    sources: sources.map(source),
    refreshIntervalMs: HOUR_MS,
    recorders,
    loadReaders: () => Promise.resolve(readers),
    leases,
    fetch,
    log,
    now,
  });
  return { clock, recorders, names, leases, lines, options };
}

test("reads what is due, and not again before its time", async () => {
  const { clock, options, names } = createRegistry();
  await refreshAdvisories(options("own", "other"), signal);
  expect(names()).toEqual(["acme.json", "acme.xml"]);
  await write("own", "acme.json", "acme.yaml");
  clock.now += HOUR_MS - 1;
  await refreshAdvisories(options("own", "other"), signal);
  expect(names()).toEqual(["acme.json", "acme.xml"]);
  clock.now += 1;
  await refreshAdvisories(options("own", "other"), signal);
  expect(names()).toEqual(["acme.json", "acme.xml", "acme.yaml"]);
});

test("removes sources without configuration, except those of commands", async () => {
  const { options, names, recorders } = createRegistry();
  await importAdvisories(source("other"), { readers, recorders, fetch, signal, isByHand: true });
  await refreshAdvisories(options("own"), signal);
  expect(names()).toEqual(["acme.json", "acme.xml"]);
  await refreshAdvisories(options(), signal);
  expect(names()).toEqual(["acme.xml"]);
});

test("logs an unreadable source, reads the others, and retries it", async () => {
  const { options, lines, names } = createRegistry();
  await writeFile(join(folder, "own.json"), "<html>");
  await refreshAdvisories(options("own", "other"), signal);
  expect(names()).toEqual(["acme.xml"]);
  expect(lines.join("\n")).toMatch(/could not read a source of advisories; will retry/);
  expect(lines.join("\n")).toMatch(/own\.json is neither an archive nor JSON/);
  await write("own", "acme.json");
  await refreshAdvisories(options("own", "other"), signal);
  expect(names()).toEqual(["acme.json", "acme.xml"]);
});

test("reports a source that failed with its setting, until any instance has read it", async () => {
  const { clock, options } = createRegistry();
  const health = createAdvisoryHealth();
  const [here, there] = [options("own"), options("own")].map((each) => ({
    ...each,
    health,
    sources: each.sources.map((one) => ({ ...one, setting: "Sources__0__Path" })),
  }));
  await writeFile(join(folder, "own.json"), "<html>");
  await refreshAdvisories(here ?? options(), signal);
  expect(health.problems()).toEqual({ "advisories:own": "cannot be read: Sources__0__Path" });
  await write("own", "acme.json");
  await refreshAdvisories({ ...(there ?? options()), health: createAdvisoryHealth() }, signal);
  clock.now += 1;
  await refreshAdvisories(here ?? options(), signal);
  expect(health.problems()).toEqual({});
});

test("does nothing while another instance refreshes", async () => {
  const { options, names, leases } = createRegistry();
  await leases.acquire("vulnerabilities", "another instance", 5 * 60_000);
  await refreshAdvisories(options("own"), signal);
  expect(names()).toEqual([]);
});

test("removes the temporary files that a killed process left, and no others", async () => {
  const { clock, options, lines } = createRegistry();
  const answer = () => Promise.resolve(new Response("{}"));
  const opened = { fetch: answer, signal };
  // Not disposed, like the leftovers of a killed process.
  const [left, fresh] = [
    await download("https://a.test/", opened),
    await download("https://b.test/", opened),
  ];
  if (left.status === "unchanged" || fresh.status === "unchanged") throw new Error("unchanged");
  await using _ = fresh;
  clock.now = Date.now();
  const old = new Date(clock.now - 2 * HOUR_MS);
  await utimes(dirname(left.path), old, old);
  const file = join(tmpdir(), `${TEMPORARY_PREFIX}file-${process.pid}`);
  await writeFile(file, "not a folder");
  onTestFinished(() => rm(file));
  await utimes(file, old, old);
  await refreshAdvisories(options(), signal);
  const names = await readdir(tmpdir());
  expect(names).not.toContain(basename(dirname(left.path)));
  expect(names).toContain(basename(dirname(fresh.path)));
  expect(names).toContain(basename(file));
  expect(lines.join()).toMatch(/removed temporary files of interrupted imports/);
});
