import { openTestDatabase } from "@sealhouse/database/testing";
import {
  parseRepositoryName,
  applyTagRetention,
  tagRetentionJob,
} from "@sealhouse/oci-distribution";
import type { TagRule } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import { tagRetentionPorts } from "@sealhouse/feed";
import { createLog } from "../../log.ts";

const SYSTEM = { actor: "system" };
const NEVER = new AbortController().signal;
const APP = parseRepositoryName("team/app");
const RULE: TagRule = {
  name: "two",
  coversRepository: (name) => name.startsWith("team/"),
  coversTag: () => true,
  immutable: false,
  keep: { newest: 2, always: () => false },
};

async function openImages() {
  const opened = new AsyncDisposableStack();
  const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
  const now = () => new Date(clock.ms);
  const database = opened.use(await openTestDatabase({ now }));
  const { blobs, manifests } = database.oci;
  for (const name of ["other", "team/app"]) {
    const repository = parseRepositoryName(name);
    for (const tag of ["c", "a", "b", "d"]) {
      clock.ms += 60_000;
      const image = buildImage({ layers: [tag] });
      const edges = image.blobs.map(({ digest, bytes }, index) => {
        const kind = index === 0 ? ("config" as const) : ("layer" as const);
        return { digest, size: bytes.length, kind };
      });
      for (const { digest, size } of edges)
        await blobs.link(repository, { digest, size, key: digest });
      const { digest, mediaType, bytes } = image;
      await manifests.record({ repository, digest, mediaType, bytes, edges, tags: [tag] }, SYSTEM);
    }
  }
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Json" }, (line) => lines.push(line));
  const tags = (repository = APP) => manifests.tags(repository, { limit: 100 });
  const events = async () => {
    const all = await database.events.outbox.pending("test", 100);
    return all.filter(({ type }) => type !== "package.published");
  };
  const { leases } = database;
  const ports = tagRetentionPorts(database);
  const parts = { feed: "main", ports, leases, caller: SYSTEM, now, log };
  const jobOf = (settings: { rules?: readonly TagRule[]; dryRun?: boolean; enabled?: boolean }) => {
    const { rules = [RULE], dryRun = false, enabled = true } = settings;
    return tagRetentionJob({
      ...parts,
      ociTags: { rules, retention: { dryRun, enabled, everyMs: 1 } },
    });
  };
  return { opened, parts, lines, tags, events, jobOf };
}

test("the job deletes tags by the rules, each with its event, and says that it ended", async () => {
  const { opened, tags, events, lines, jobOf } = await openImages();
  await using _ = opened;
  await jobOf({})?.run(NEVER);
  expect(await tags()).toEqual(["b", "d"]);
  expect(await tags(parseRepositoryName("other"))).toHaveLength(4);
  expect(await events()).toMatchObject([
    { type: "package.deleted", subject: "oci/team/app:c", detail: { retention: "two" } },
    { type: "package.deleted", subject: "oci/team/app:a", caller: SYSTEM },
    {
      type: "retention.completed",
      subject: "oci",
      detail: { dryRun: false, repositories: 2, candidates: 2, removed: 2 },
    },
  ]);
  const logLines = lines.map((line): unknown => JSON.parse(line));
  expect(logLines).toContainEqual(
    expect.objectContaining({ feed: "main", repository: "team/app", tag: "c", outcome: "deleted" }),
  );
});

test("a dry run logs what would be deleted, and changes nothing", async () => {
  const { opened, tags, events, lines, jobOf } = await openImages();
  await using _ = opened;
  await jobOf({ dryRun: true })?.run(NEVER);
  expect(await tags()).toHaveLength(4);
  expect(await events()).toEqual([]);
  expect(lines.filter((line) => line.includes("would delete a tag"))).toHaveLength(2);
});

test("there is no job when it is off, and a warning when no rule keeps anything", async () => {
  const { opened, lines, jobOf } = await openImages();
  await using _ = opened;
  expect(jobOf({ enabled: false })).toBeUndefined();
  expect(lines).toEqual([]);
  expect(jobOf({ rules: [] })).toBeUndefined();
  expect(lines.join("")).toContain("Feed__Oci__TagRules");
});

test("one instance at a time", async () => {
  const { opened, parts, tags } = await openImages();
  await using _ = opened;
  await parts.leases.acquire("oci-retention", "another", 60_000);
  const run = { rules: [RULE], dryRun: false, caller: SYSTEM, onStep: () => {} };
  expect(await applyTagRetention(parts, run)).toMatchObject({ status: "busy" });
  expect(await tags()).toHaveLength(4);
});
