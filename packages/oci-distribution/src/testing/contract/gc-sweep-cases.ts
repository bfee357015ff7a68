import assert from "node:assert/strict";
import { fallbackTagOf } from "../../attached-tag.ts";
import type { Digest } from "../../digest.ts";
import type { BlobCandidate, LinkCandidate, NewRun } from "../../gc/ports.ts";
import { buildIndex } from "../build-image.ts";
import { allow, caller, newBlob, newManifest, repository } from "./contract-case.ts";
import type { GarbageCase, GarbageSubject } from "./gc-case.ts";
import {
  DAY_MS,
  EVERYTHING,
  begun,
  findCandidates,
  image,
  manifestOf,
  markAll,
  push,
} from "./gc-case.ts";

const app = repository("app");

/** Everything that is there grows old and is marked. */
async function aged(subject: GarbageSubject): Promise<NewRun> {
  subject.clock.advance(2 * DAY_MS);
  const run = await begun(subject);
  await markAll(subject, run);
  return run;
}

async function remove(
  subject: GarbageSubject,
  run: NewRun,
  digest: Digest,
  options?: { readonly stuck: boolean },
): Promise<"removed" | "kept" | "blocked"> {
  const candidate = await manifestOf(subject, run, digest);
  return subject.garbage.sweeps.removeManifest(run, candidate, run.unusedSince, options);
}

async function linkOf(subject: GarbageSubject, run: NewRun, digest: Digest) {
  const all = await findCandidates(subject, run, "link");
  const link = all.find(
    (candidate): candidate is LinkCandidate =>
      candidate.digest === digest && candidate.kind === "link",
  );
  assert.ok(link);
  return link;
}

async function blobOf(subject: GarbageSubject, run: NewRun, digest: Digest) {
  const all = await findCandidates(subject, run, "blob");
  const blob = all.find(
    (candidate): candidate is BlobCandidate =>
      candidate.digest === digest && candidate.kind === "blob",
  );
  assert.ok(blob);
  return blob;
}

/** A blob without links, claimed by a run. */
async function claimed(subject: GarbageSubject, content: string) {
  const blob = newBlob(content, "1");
  await subject.blobs.link(app, blob);
  await subject.blobs.unlink(app, blob.digest);
  const run = await aged(subject);
  const claimedBlob = await subject.garbage.sweeps.claimBlob(
    run,
    await blobOf(subject, run, blob.digest),
  );
  assert.ok(claimedBlob !== "kept");
  assert.equal(claimedBlob.digest, blob.digest);
  assert.equal(claimedBlob.key, blob.key);
  return { run, blob, claimedBlob };
}

export const garbageSweepCases: readonly GarbageCase[] = [
  {
    name: "removes a manifest with the tags that name a subject",
    async run(subject) {
      const alone = image("alone");
      await push(subject, "app", alone, fallbackTagOf(alone.digest));
      const run = await aged(subject);
      assert.equal(await remove(subject, run, alone.digest), "removed");
      assert.equal(await subject.manifests.find(app, alone.digest), undefined);
      assert.equal(await subject.manifests.tags(app, { limit: 10 }), undefined);
      assert.deepEqual(await subject.manifests.repositories({ limit: 10 }), []);
      assert.equal(await remove(subject, run, alone.digest), "kept");
    },
  },
  {
    name: "forgets repositories that never had a manifest, when their blobs are gone",
    async run(subject) {
      const { blobs, manifests, garbage } = subject;
      const [broken, emptied] = [repository("broken"), repository("emptied")];
      const blob = newBlob("interrupted", "1");
      const known = () => garbage.marks.repositories(EVERYTHING, { limit: 10 });
      await blobs.link(broken, blob);
      const pushed = await push(subject, "emptied", image("emptied"));
      assert.deepEqual(await manifests.repositories({ limit: 10 }), [emptied]);
      assert.equal(await manifests.tags(broken, { limit: 10 }), undefined);
      await manifests.deleteManifest(emptied, pushed.digest, caller);
      const run = await aged(subject);
      assert.equal(await garbage.sweeps.forgetEmpty(run, EVERYTHING), 0);
      await blobs.unlink(broken, blob.digest);
      for (const { digest } of pushed.edges) await blobs.unlink(emptied, digest);
      assert.deepEqual(await known(), [broken, emptied]);
      const elsewhere = { name: "team", segment: "team" } as const;
      assert.equal(await garbage.sweeps.forgetEmpty(run, elsewhere), 0);
      assert.equal(await garbage.sweeps.forgetEmpty(run, EVERYTHING), 1);
      assert.deepEqual(await known(), [emptied]);
      assert.deepEqual(await manifests.repositories({ limit: 10 }), []);
      await push(subject, "broken", image("pushed again"));
      assert.deepEqual(await manifests.repositories({ limit: 10 }), [broken]);
    },
  },
  {
    name: "keeps a manifest that was pulled, tagged, held or pushed again since it was marked",
    async run(subject) {
      const [pulled, tagged, heldManifest, again] = [
        await push(subject, "app", image("pulled")),
        await push(subject, "app", image("tagged")),
        await push(subject, "app", image("held")),
        await push(subject, "app", image("again")),
      ];
      const run = await aged(subject);
      await subject.manifests.find(app, pulled.digest);
      await subject.manifests.record({ ...tagged, tags: ["1"] }, caller);
      await subject.holds.hold([heldManifest.digest], "operator");
      await subject.manifests.record(again, caller);
      for (const { digest } of [pulled, tagged, heldManifest, again]) {
        assert.equal(await remove(subject, run, digest), "kept");
        assert.ok(await subject.manifests.find(app, digest));
      }
    },
  },
  {
    name: "removes parents before their children, and subjects before what belongs to them",
    async run(subject) {
      const child = image("child");
      const index = buildIndex([child]);
      const signature = image("signature", { subject: index.descriptor });
      const tagged = image("tagged");
      for (const testManifest of [child, index, signature])
        await push(subject, "app", testManifest);
      await push(subject, "app", tagged, fallbackTagOf(signature.digest));
      const run = await aged(subject);
      for (const { digest } of [child, signature, tagged]) {
        assert.equal(await remove(subject, run, digest), "blocked");
      }
      for (const { digest } of [index, child, signature, tagged]) {
        assert.equal(await remove(subject, run, digest), "removed");
      }
    },
  },
  {
    name: "blocks on a parent that came after the mark",
    async run(subject) {
      const child = image("child");
      await push(subject, "app", child);
      const run = await aged(subject);
      await push(subject, "app", buildIndex([child]), "1");
      for (const stuck of [false, true]) {
        assert.notEqual(await remove(subject, run, child.digest, { stuck }), "removed");
      }
      assert.ok(await subject.manifests.find(app, child.digest));
    },
  },
  {
    name: "opens rings of subjects when it is stuck, unless a root reaches them",
    async run(subject) {
      const child = image("child");
      const parent = buildIndex([child]);
      const ring = buildIndex([parent], { subject: parent.descriptor });
      for (const testManifest of [child, parent, ring]) await push(subject, "app", testManifest);
      const [left, right] = [image("left"), image("right")];
      await push(subject, "app", left, fallbackTagOf(right.digest));
      await push(subject, "app", right, fallbackTagOf(left.digest));
      const run = await aged(subject);
      for (const { digest } of [ring, parent, child, left, right]) {
        assert.equal(await remove(subject, run, digest), "blocked");
      }
      for (const { digest } of [parent, child]) {
        assert.equal(await remove(subject, run, digest, { stuck: true }), "blocked");
      }
      await subject.holds.hold([parent.digest, left.digest], "operator");
      for (const { digest } of [ring, right]) {
        assert.equal(await remove(subject, run, digest, { stuck: true }), "kept");
      }
      await subject.holds.release("operator");
      for (const { digest } of [ring, right]) {
        assert.equal(await remove(subject, run, digest, { stuck: true }), "removed");
      }
      for (const { digest } of [parent, child, left]) {
        assert.equal(await remove(subject, run, digest), "removed");
      }
    },
  },
  {
    name: "removes a link, and keeps one that was used or is needed since it was marked",
    async run(subject) {
      const texts = ["unused", "asked for", "pushed again", "needed", "held"] as const;
      for (const text of [...texts, "{}"]) await subject.blobs.link(app, newBlob(text));
      const run = await aged(subject);
      await subject.blobs.find(app, newBlob("asked for").digest);
      await subject.blobs.link(app, newBlob("pushed again"));
      const needed = image("needed", { config: "{}" });
      await subject.manifests.record(newManifest("app", needed), caller);
      await subject.holds.hold([newBlob("held").digest], "operator");
      for (const text of texts) {
        const { digest } = newBlob(text);
        const link = await linkOf(subject, run, digest);
        const isUnused = text === "unused";
        assert.equal(
          await subject.garbage.sweeps.removeLink(run, link),
          isUnused ? "removed" : "kept",
        );
        assert.equal((await subject.blobs.find(app, digest)) === undefined, isUnused);
        assert.equal(await subject.garbage.sweeps.removeLink(run, link), "kept");
      }
    },
  },
  {
    name: "keeps a link that a manifest needs however old it is",
    async run(subject) {
      const old = image("old");
      await push(subject, "app", old);
      const run = await aged(subject);
      for (const { digest } of old.blobs) {
        const link = await linkOf(subject, run, digest);
        assert.equal(await subject.garbage.sweeps.removeLink(run, link), "kept");
      }
      assert.equal(await remove(subject, run, old.digest), "removed");
      for (const { digest } of old.blobs) {
        const link = await linkOf(subject, run, digest);
        assert.equal(await subject.garbage.sweeps.removeLink(run, link), "removed");
      }
    },
  },
  {
    name: "lets nobody delete what is held, nor what a held index lists",
    async run(subject) {
      const { blobs, manifests, holds } = subject;
      const child = image("child");
      const inner = buildIndex([child]);
      const index = buildIndex([inner]);
      for (const testManifest of [child, inner, index]) await push(subject, "app", testManifest);
      const blob = newBlob("held");
      await blobs.link(app, blob);
      await holds.hold([index.digest, blob.digest], "operator");
      for (const { digest } of [child, inner, index]) {
        assert.equal(await manifests.deleteManifest(app, digest, caller), "held");
      }
      assert.equal(await blobs.unlink(app, blob.digest), "held");
      await holds.release("operator");
      assert.equal(await blobs.unlink(app, blob.digest), "unlinked");
      for (const { digest } of [child, inner, index]) {
        assert.equal(await manifests.deleteManifest(app, digest, caller), "deleted");
      }
    },
  },
  {
    name: "does not claim a blob that was linked or held since it was marked",
    async run(subject) {
      const texts = ["linked", "held", "come and gone"] as const;
      for (const text of texts) {
        await subject.blobs.link(app, newBlob(text));
        await subject.blobs.unlink(app, newBlob(text).digest);
      }
      const run = await aged(subject);
      await subject.blobs.link(app, newBlob("linked", "2"));
      await subject.holds.hold([newBlob("held").digest], "operator");
      await subject.blobs.link(app, newBlob("come and gone", "2"));
      await subject.blobs.unlink(app, newBlob("come and gone").digest);
      for (const text of texts) {
        const candidate = await blobOf(subject, run, newBlob(text).digest);
        assert.equal(await subject.garbage.sweeps.claimBlob(run, candidate), "kept");
      }
      assert.deepEqual(await subject.garbage.sweeps.claimed(10), []);
      assert.equal((await subject.blobs.find(app, newBlob("linked").digest))?.key.at(-1), "1");
    },
  },
  {
    name: "does not claim a blob whose links are still there",
    async run(subject) {
      const blob = newBlob("linked");
      await subject.blobs.link(app, blob);
      const run = await aged(subject);
      const candidate = await blobOf(subject, run, blob.digest);
      assert.equal(await subject.garbage.sweeps.claimBlob(run, candidate), "kept");
      await subject.garbage.sweeps.removeLink(run, await linkOf(subject, run, blob.digest));
      assert.notEqual(await subject.garbage.sweeps.claimBlob(run, candidate), "kept");
      assert.equal(await subject.garbage.sweeps.claimBlob(run, candidate), "kept");
    },
  },
  {
    name: "calls a claimed blob absent, and forgets it when its object is gone",
    async run(subject) {
      const { run, blob, claimedBlob } = await claimed(subject, "claimed");
      const { blobs, manifests, garbage } = subject;
      assert.equal(await blobs.find(app, blob.digest), undefined);
      const mounted = await blobs.mount(repository("other"), blob.digest, allow("app"));
      assert.equal(mounted, false);
      await blobs.link(app, newBlob("{}"));
      const needing = image("claimed", { config: "{}" });
      const outcome = await manifests.record(newManifest("app", needing), caller);
      assert.deepEqual(outcome, { status: "missing", digests: [blob.digest] });
      assert.deepEqual(await garbage.sweeps.claimed(10), [claimedBlob]);
      await garbage.sweeps.forgetBlob(run, claimedBlob);
      assert.deepEqual(await garbage.sweeps.claimed(10), []);
      assert.deepEqual(await blobs.link(app, newBlob("claimed", "2")), { isDuplicate: false });
    },
  },
  {
    name: "gives a blob that is uploaded while it dies another key, and does not forget it",
    async run(subject) {
      const { run, blob, claimedBlob } = await claimed(subject, "claimed");
      const again = newBlob("claimed", "2");
      assert.deepEqual(await subject.blobs.link(app, again), { isDuplicate: false });
      assert.deepEqual(await subject.garbage.sweeps.claimed(10), []);
      await subject.garbage.sweeps.forgetBlob(run, claimedBlob);
      await subject.garbage.sweeps.failBlob(run, claimedBlob);
      const linked = await subject.blobs.find(app, blob.digest);
      assert.equal(linked?.key, again.key);
    },
  },
  {
    name: "lets a later run go on with blobs whose objects could not be deleted",
    async run(subject) {
      const { run, claimedBlob } = await claimed(subject, "first");
      await subject.garbage.sweeps.failBlob(run, claimedBlob);
      const other = await claimed(subject, "second");
      const both = await subject.garbage.sweeps.claimed(10);
      assert.deepEqual(
        new Set(both.map(({ key }) => key)),
        new Set([claimedBlob.key, other.claimedBlob.key]),
      );
      const [first] = await subject.garbage.sweeps.claimed(1);
      assert.ok(first);
      assert.deepEqual(await subject.garbage.sweeps.claimed(10, first), both.slice(1));
      for (const blob of both) await subject.garbage.sweeps.forgetBlob(other.run, blob);
      assert.deepEqual(await subject.garbage.sweeps.claimed(10), []);
    },
  },
];
