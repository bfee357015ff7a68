import assert from "node:assert/strict";
import { LostLeaseError, runLeased } from "@sealhouse/jobs";
import type { NewRun } from "../../gc/ports.ts";
import { newBlob, repository } from "./contract-case.ts";
import type { GarbageCase, GarbageSubject } from "./gc-case.ts";
import {
  DAY_MS,
  EVERYTHING,
  HOUR_MS,
  begun,
  digestsOf,
  findCandidates,
  image,
  markAll,
  push,
} from "./gc-case.ts";

const app = repository("app");
const NOTHING = { count: 0, bytes: 0 };

/**
 * An untagged manifest, two links that only it needs, and an unlinked blob with a link of its
 * repository.
 */
async function litter(subject: GarbageSubject): Promise<void> {
  await push(subject, "app", image("untagged"));
  await subject.blobs.link(app, newBlob("linked"));
  await subject.blobs.link(app, newBlob("unlinked"));
  await subject.blobs.unlink(app, newBlob("unlinked").digest);
  subject.clock.advance(2 * DAY_MS);
}

/** Every write that a run can make. */
async function writesOf(subject: GarbageSubject, run: NewRun) {
  const { garbage } = subject;
  const [manifest] = await findCandidates(subject, run, "manifest");
  const [link] = await findCandidates(subject, run, "link");
  const blob = (await findCandidates(subject, run, "blob")).at(-1);
  assert.ok(manifest?.kind === "manifest" && link?.kind === "link" && blob?.kind === "blob");
  const [claimedBlob] = await garbage.sweeps.claimed(1);
  assert.ok(claimedBlob);
  const end = { state: "finished", finishedAt: subject.clock.now(), removed: NOTHING } as const;
  return [
    () => garbage.runs.begin({ ...run, id: crypto.randomUUID() }),
    () => garbage.marks.mark(run, { repository: app, untaggedSince: run.unusedSince }),
    () => garbage.marks.markLinks(run, EVERYTHING, 1),
    () => garbage.marks.markBlobs(run, 1),
    () => garbage.sweeps.removeManifest(run, manifest, run.unusedSince),
    () => garbage.sweeps.removeLink(run, link),
    () => garbage.sweeps.claimBlob(run, blob),
    () => garbage.sweeps.failBlob(run, claimedBlob),
    () => garbage.sweeps.forgetBlob(run, claimedBlob),
    () => garbage.runs.finish(run, end),
  ];
}

async function loseLease(subject: GarbageSubject, lease: string): Promise<void> {
  const run = await begun(subject);
  await markAll(subject, run);
  const [first] = await findCandidates(subject, run, "blob");
  assert.ok(first?.kind === "blob");
  for (const link of await findCandidates(subject, run, "link")) {
    if (link.kind === "link") await subject.garbage.sweeps.removeLink(run, link);
  }
  const unlinked = (await findCandidates(subject, run, "blob")).find(
    ({ digest }) => digest === newBlob("unlinked").digest,
  );
  assert.ok(unlinked?.kind === "blob");
  assert.notEqual(await subject.garbage.sweeps.claimBlob(run, unlinked), "kept");
  const writes = await writesOf(subject, run);
  subject.clock.advance(2 * DAY_MS);
  assert.ok((await subject.leases.acquire(lease, "another", HOUR_MS)) !== undefined);
  for (const write of writes) await assert.rejects(write(), LostLeaseError);
  assert.equal((await subject.garbage.reports.report(run.id))?.state, "running");
  assert.equal((await subject.garbage.sweeps.claimed(10)).length, 1);
}

export const garbageRunCases: readonly GarbageCase[] = [
  {
    name: "refuses every write of a run whose lease another runner has acquired",
    async run(subject) {
      await litter(subject);
      const lease = { name: "oci-gc default", leaseMs: HOUR_MS };
      await runLeased(subject.leases, lease, () => loseLease(subject, lease.name));
    },
  },
  {
    name: "reports what it found and what became of it, the newest run first",
    async run(subject) {
      await litter(subject);
      const run = await begun(subject, { dryRun: true });
      const { id, surface, startedAt } = run;
      const opened = { id, surface, dryRun: true, startedAt };
      const nothing = { manifests: NOTHING, links: NOTHING, blobs: NOTHING, removed: NOTHING };
      const running = { ...opened, ...nothing, state: "running" as const };
      assert.deepEqual(await subject.garbage.reports.report(run.id), running);
      await markAll(subject, run);
      const manifest = image("untagged");
      const blobs = [...manifest.blobs.map(({ bytes }) => bytes.toString()), "linked"];
      const bytesOf = (texts: readonly string[]) => texts.join("").length;
      const finishedAt = new Date(startedAt.getTime() + HOUR_MS);
      const removed = { count: 2, bytes: 7 };
      await subject.garbage.runs.finish(run, { state: "stopped", finishedAt, removed });
      assert.deepEqual(await subject.garbage.reports.report(run.id), {
        ...opened,
        state: "stopped",
        finishedAt,
        manifests: { count: 1, bytes: manifest.bytes.length },
        links: { count: 3, bytes: bytesOf(blobs) },
        blobs: { count: 4, bytes: bytesOf([...blobs, "unlinked"]) },
        removed,
      });
      subject.clock.advance(HOUR_MS);
      const second = await begun(subject, { reviewed: run.id });
      const reports = await subject.garbage.reports.reports(10);
      assert.deepEqual(
        reports.map((report) => report.id),
        [second.id, run.id],
      );
      assert.equal(reports[0]?.reviewed, run.id);
      assert.equal((await subject.garbage.reports.reports(1)).length, 1);
      assert.equal(await subject.garbage.reports.report(crypto.randomUUID()), undefined);
    },
  },
  {
    name: "forgets a dry run after 7 days and a run after 90, but not the report it is bound to",
    async run(subject) {
      await litter(subject);
      const forgotten = await begun(subject, { dryRun: true });
      const bound = await begun(subject, { dryRun: true });
      const live = await begun(subject);
      for (const run of [forgotten, bound, live]) await markAll(subject, run);
      subject.clock.advance(7 * DAY_MS);
      const onTime = await begun(subject, { reviewed: bound.id });
      const ids = async () =>
        (await subject.garbage.reports.reports(10)).map(({ id }) => id).toSorted();
      const all = [forgotten, bound, live, onTime].map(({ id }) => id);
      assert.deepEqual(await ids(), all.toSorted());
      subject.clock.advance(1);
      const late = await begun(subject, { reviewed: bound.id });
      assert.deepEqual(await ids(), [...all.slice(1), late.id].toSorted());
      assert.deepEqual(await findCandidates(subject, forgotten, "blob"), []);
      for (const keptRun of [bound, live]) {
        assert.notDeepEqual(await findCandidates(subject, keptRun, "blob"), []);
      }
      subject.clock.advance(83 * DAY_MS);
      const last = await begun(subject);
      assert.deepEqual(await ids(), [onTime.id, late.id, last.id].toSorted());
    },
  },
  {
    name: "keeps no candidates of a run that was aborted, and says why it was",
    async run(subject) {
      await litter(subject);
      const run = await begun(subject);
      await markAll(subject, run);
      const error = "app@sha256:… needs a blob that is not there";
      const finishedAt = subject.clock.now();
      await subject.garbage.runs.finish(run, {
        state: "aborted",
        finishedAt,
        removed: NOTHING,
        error,
      });
      const report = await subject.garbage.reports.report(run.id);
      assert.equal(report?.state, "aborted");
      assert.equal(report.error, error);
      for (const kind of ["manifest", "link", "blob"] as const) {
        assert.deepEqual(report[`${kind}s`], NOTHING);
        assert.deepEqual(await findCandidates(subject, run, kind), []);
      }
    },
  },
  {
    name: "goes through candidates in pages, and with a reviewed report through those in it alone",
    async run(subject) {
      await litter(subject);
      const first = await begun(subject, { dryRun: true });
      await markAll(subject, first);
      const late = await push(subject, "app", image("late"));
      await subject.blobs.link(app, newBlob("late link"));
      subject.clock.advance(2 * DAY_MS);
      const run = await begun(subject, { reviewed: first.id });
      await markAll(subject, run);
      const reviewed = first.id;
      for (const kind of ["manifest", "link", "blob"] as const) {
        const before = await findCandidates(subject, first, kind);
        const all = await findCandidates(subject, run, kind);
        assert.ok(all.length > before.length);
        const restricted = await subject.garbage.reports.candidates(run, {
          kind,
          limit: 100,
          reviewed,
        });
        assert.deepEqual(digestsOf(restricted), digestsOf(before));
        const [candidate] = await subject.garbage.reports.candidates(run, { kind, limit: 1 });
        assert.ok(candidate);
        assert.deepEqual(candidate, all[0]);
        const rest = await subject.garbage.reports.candidates(run, {
          kind,
          limit: 100,
          after: candidate,
        });
        assert.deepEqual(rest, all.slice(1));
      }
      assert.ok(
        (await findCandidates(subject, run, "manifest")).some(
          ({ digest }) => digest === late.digest,
        ),
      );
    },
  },
  {
    name: "writes nothing but its report when it marks",
    async run(subject) {
      await litter(subject);
      const run = await begun(subject, { dryRun: true });
      await markAll(subject, run);
      await markAll(subject, await begun(subject, { dryRun: true }));
      const texts = ["linked", "untagged", JSON.stringify({ of: "untagged" })];
      for (const text of texts) {
        assert.ok(await subject.blobs.find(app, newBlob(text).digest));
      }
      assert.ok(await subject.manifests.find(app, image("untagged").digest));
      assert.deepEqual(await subject.blobs.link(app, newBlob("unlinked", "2")), {
        isDuplicate: true,
      });
    },
  },
];
