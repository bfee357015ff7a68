import assert from "node:assert/strict";
import { attachedTagsOf, fallbackTagOf } from "../../attached-tag.ts";
import { blobOf, buildIndex, describe } from "../build-image.ts";
import { caller, newBlob, repository } from "./contract-case.ts";
import type { GarbageCase } from "./gc-case.ts";
import {
  DAY_MS,
  EVERYTHING,
  HOUR_MS,
  begun,
  digestsOf,
  findCandidates,
  image,
  markAll,
  marked,
  push,
} from "./gc-case.ts";

const app = repository("app");

export const garbageMarkCases: readonly GarbageCase[] = [
  {
    name: "marks what no tag reaches once it is old, and says why",
    async run(subject) {
      await push(subject, "app", image("tagged"), "1");
      const untagged = await push(subject, "app", image("untagged"));
      const pushedAt = subject.clock.now();
      subject.clock.advance(2 * DAY_MS);
      const young = await push(subject, "app", image("young"));
      const run = await begun(subject);
      assert.deepEqual(await marked(subject, run), new Set([untagged.digest]));
      const [candidate] = await findCandidates(subject, run, "manifest");
      assert.equal(candidate?.reason, "untagged");
      assert.equal(candidate.size, untagged.bytes.length);
      assert.deepEqual(candidate.lastUsedAt, pushedAt);
      assert.ok(await subject.manifests.find(app, young.digest));
    },
  },
  {
    name: "keeps the children of what is reached, however deep, and marks them with their parents",
    async run(subject) {
      const child = image("child");
      const inner = buildIndex([child]);
      const outer = buildIndex([inner]);
      for (const testManifest of [child, inner]) await push(subject, "app", testManifest);
      await push(subject, "app", outer, "1");
      subject.clock.advance(2 * DAY_MS);
      assert.deepEqual(await marked(subject, await begun(subject)), new Set());
      await subject.manifests.deleteTag(app, "1", caller);
      subject.clock.advance(2 * DAY_MS);
      const all = digestsOf([child, inner, outer]);
      assert.deepEqual(await marked(subject, await begun(subject)), all);
    },
  },
  {
    name: "keeps the referrers of what is reached to a fix point",
    async run(subject) {
      const base = image("base");
      const index = buildIndex([base]);
      const signature = image("signature", { subject: base.descriptor });
      const ofSignature = image("of the signature", { subject: signature.descriptor });
      const layout = buildIndex([image("inside")], { subject: ofSignature.descriptor });
      for (const testManifest of [ofSignature, signature, base, image("inside"), layout]) {
        await push(subject, "app", testManifest);
      }
      await push(subject, "app", index, "1");
      subject.clock.advance(2 * DAY_MS);
      assert.deepEqual(await marked(subject, await begun(subject)), new Set());
    },
  },
  {
    name: "marks the referrers of what is absent once they are old",
    async run(subject) {
      const subjectless = image("signature", { subject: image("never pushed").descriptor });
      await push(subject, "app", subjectless);
      subject.clock.advance(DAY_MS - HOUR_MS);
      assert.deepEqual(await marked(subject, await begun(subject)), new Set());
      subject.clock.advance(2 * HOUR_MS);
      const run = await begun(subject);
      assert.deepEqual(await marked(subject, run), new Set([subjectless.digest]));
      assert.equal((await findCandidates(subject, run, "manifest"))[0]?.reason, "subject-gone");
    },
  },
  {
    name: "lets tags that name a digest live as long as that digest",
    async run(subject) {
      const base = image("base");
      await push(subject, "app", base, "1");
      const tags = [fallbackTagOf(base.digest), ...attachedTagsOf(base.digest)];
      const owned = tags.map((tag) => ({ tag, manifest: image(tag) }));
      for (const { tag, manifest } of owned) await push(subject, "app", manifest, tag);
      const signatureOfIt = image("x", {
        subject: owned[0]?.manifest.descriptor ?? base.descriptor,
      });
      await push(subject, "app", signatureOfIt);
      subject.clock.advance(2 * DAY_MS);
      assert.deepEqual(await marked(subject, await begun(subject)), new Set());
      await subject.manifests.deleteManifest(app, base.digest, caller);
      const gone = digestsOf([...owned.map(({ manifest }) => manifest), signatureOfIt]);
      assert.deepEqual(await marked(subject, await begun(subject)), gone);
    },
  },
  {
    name: "takes a tag about the manifest it points to for no root",
    async run(subject) {
      const alone = image("alone");
      await push(subject, "app", alone, fallbackTagOf(alone.digest));
      subject.clock.advance(2 * DAY_MS);
      assert.deepEqual(await marked(subject, await begun(subject)), new Set([alone.digest]));
    },
  },
  {
    name: "counts a pull, a lost tag and a push again as use",
    async run(subject) {
      const pulled = await push(subject, "app", image("pulled"));
      const untagged = await push(subject, "app", image("untagged"), "1");
      const moved = await push(subject, "app", image("moved"), "2");
      const again = await push(subject, "app", image("again"));
      const unused = await push(subject, "app", image("unused"));
      const other = await push(subject, "app", image("other"), "3");
      subject.clock.advance(2 * DAY_MS);
      await subject.manifests.find(app, pulled.digest);
      await subject.manifests.deleteTag(app, "1", caller);
      await subject.manifests.record({ ...other, tags: ["2"] }, caller);
      await subject.manifests.record(again, caller);
      assert.deepEqual(await marked(subject, await begun(subject)), new Set([unused.digest]));
      subject.clock.advance(2 * DAY_MS);
      const all = digestsOf([pulled, untagged, moved, again, unused]);
      assert.deepEqual(await marked(subject, await begun(subject)), all);
    },
  },
  {
    name: "keeps untagged manifests as long as the repository wants them",
    async run(subject) {
      const old = await push(subject, "app", image("old"));
      subject.clock.advance(3 * DAY_MS);
      const run = await begun(subject);
      const since = new Date(subject.clock.now().getTime() - 7 * DAY_MS);
      assert.deepEqual(await marked(subject, run, "app", since), new Set());
      assert.deepEqual(await marked(subject, run, "app", new Date(0)), new Set());
      assert.deepEqual(await marked(subject, run), new Set([old.digest]));
    },
  },
  {
    name: "keeps what somebody holds, until it is released or the time is over",
    async run(subject) {
      const heldImage = image("held");
      const index = buildIndex([heldImage]);
      await push(subject, "app", heldImage);
      await push(subject, "app", index);
      const blob = newBlob("a blob alone");
      await subject.blobs.link(app, blob);
      const until = new Date(subject.clock.now().getTime() + 5 * DAY_MS);
      await subject.holds.hold([index.digest, blob.digest], "promotion:1", until);
      await subject.holds.hold([index.digest], "operator");
      subject.clock.advance(2 * DAY_MS);
      const first = await begun(subject);
      await markAll(subject, first);
      for (const kind of ["manifest", "link", "blob"] as const) {
        assert.deepEqual(await findCandidates(subject, first, kind), []);
      }
      subject.clock.advance(5 * DAY_MS);
      const second = await begun(subject);
      await markAll(subject, second);
      assert.deepEqual(await findCandidates(subject, second, "manifest"), []);
      assert.deepEqual(digestsOf(await findCandidates(subject, second, "blob")), digestsOf([blob]));
      await subject.holds.release("operator");
      const all = digestsOf([heldImage, index]);
      assert.deepEqual(await marked(subject, await begun(subject)), all);
    },
  },
  {
    name: "names what is broken in what is reached, and writes nothing down",
    async run(subject) {
      const child = image("child");
      const index = buildIndex([child]);
      await push(subject, "app", child);
      await push(subject, "app", index, "1");
      await push(subject, "app", image("garbage"));
      subject.clock.advance(2 * DAY_MS);
      const run = await begun(subject);
      const [config] = child.blobs;
      assert.ok(config);
      const target = { repository: app, untaggedSince: run.unusedSince };
      await subject.lose(app, config.digest);
      const hole = { manifest: child.digest, missing: config.digest };
      assert.deepEqual(await subject.garbage.marks.mark(run, target), {
        status: "broken",
        ...hole,
      });
      await subject.lose(app, child.digest);
      const larger = { manifest: index.digest, missing: child.digest };
      assert.deepEqual(await subject.garbage.marks.mark(run, target), {
        status: "broken",
        ...larger,
      });
      assert.deepEqual(await findCandidates(subject, run, "manifest"), []);
    },
  },
  {
    name: "names a layer that is missing",
    async run(subject) {
      const { edges, digest } = await push(subject, "app", image("layers"), "1");
      const layer = edges.find(({ kind }) => kind === "layer");
      assert.ok(layer);
      await subject.lose(app, layer.digest);
      const run = await begun(subject);
      const target = { repository: app, untaggedSince: run.unusedSince };
      const broken = { status: "broken", manifest: digest, missing: layer.digest };
      assert.deepEqual(await subject.garbage.marks.mark(run, target), broken);
    },
  },
  {
    name: "accepts a blob as the child of an index, as build caches have it",
    async run(subject) {
      const cache = newBlob("a build cache");
      await subject.blobs.link(app, cache);
      const child = describe("application/octet-stream", blobOf("a build cache"));
      const index = buildIndex([], { fields: { manifests: [child] } });
      await push(subject, "app", index, "1");
      subject.clock.advance(2 * DAY_MS);
      const run = await begun(subject);
      await markAll(subject, run);
      assert.deepEqual(await findCandidates(subject, run, "link"), []);
    },
  },
  {
    name: "takes no offence at holes in what no root reaches, nor at what may be absent",
    async run(subject) {
      const damaged = image("damaged");
      await push(subject, "app", damaged);
      const keptImage = image("kept");
      const deleted = image("deleted by somebody");
      await push(subject, "app", keptImage);
      await push(subject, "app", deleted);
      await push(subject, "app", buildIndex([keptImage, deleted]), "1");
      const foreign = { digest: newBlob("never pushed").digest, size: 5, kind: "foreign" as const };
      const windows = await push(subject, "other", image("windows"));
      const edges = [...windows.edges, foreign, { ...foreign, kind: "sparse" as const }];
      const tagged = { ...windows, repository: repository("third"), edges, tags: ["1"] };
      for (const text of ["windows", JSON.stringify({ of: "windows" })]) {
        await subject.blobs.link(tagged.repository, newBlob(text));
      }
      assert.equal((await subject.manifests.record(tagged, caller)).status, "recorded");
      await subject.manifests.deleteManifest(app, deleted.digest, caller);
      subject.clock.advance(2 * DAY_MS);
      const [config] = damaged.blobs;
      assert.ok(config);
      await subject.lose(app, config.digest);
      const run = await begun(subject);
      assert.deepEqual(await marked(subject, run), new Set([damaged.digest]));
      assert.deepEqual(await marked(subject, run, "third"), new Set());
    },
  },
  {
    name: "marks links that no manifest needs but those marked, and no others",
    async run(subject) {
      const keptManifest = await push(subject, "app", image("kept"), "1");
      const garbage = await push(subject, "app", image("garbage"));
      const aborted = newBlob("of a push that ended early");
      await subject.blobs.link(app, aborted);
      const requestedBlob = newBlob("asked for");
      await subject.blobs.link(app, requestedBlob);
      subject.clock.advance(2 * DAY_MS);
      await subject.blobs.find(app, requestedBlob.digest);
      await subject.blobs.link(app, newBlob("young"));
      const run = await begun(subject);
      await markAll(subject, run);
      const links = await findCandidates(subject, run, "link");
      const unneeded = digestsOf([...garbage.edges, aborted]);
      assert.deepEqual(digestsOf(links), unneeded);
      assert.equal(links.length, unneeded.size);
      for (const link of links) {
        assert.equal(link.reason, "unneeded");
        assert.equal(link.kind === "link" && link.repository, "app");
        assert.ok(link.size > 0);
      }
      for (const { digest } of keptManifest.edges) assert.ok(await subject.blobs.find(app, digest));
    },
  },
  {
    name: "marks blobs that have no links but those marked, and no others",
    async run(subject) {
      const shared = blobOf("shared");
      const alone = newBlob("in one repository only");
      await subject.blobs.link(app, newBlob("shared"));
      await subject.blobs.link(app, alone);
      await push(subject, "other", image("shared"), "1");
      const unlinked = newBlob("unlinked by somebody");
      await subject.blobs.link(app, unlinked);
      await subject.blobs.unlink(app, unlinked.digest);
      subject.clock.advance(2 * DAY_MS);
      await subject.blobs.link(app, newBlob("young"));
      await subject.blobs.unlink(app, newBlob("young").digest);
      const run = await begun(subject);
      await markAll(subject, run);
      assert.deepEqual(
        digestsOf(await findCandidates(subject, run, "link")),
        digestsOf([shared, alone]),
      );
      const blobs = await findCandidates(subject, run, "blob");
      assert.deepEqual(digestsOf(blobs), digestsOf([alone, unlinked]));
      for (const blob of blobs) assert.equal(blob.reason, "unlinked");
    },
  },
  {
    name: "parts repositories into surfaces by the beginning of their names",
    async run(subject) {
      const names = ["acme", "acme/app", "acme/deep/app", "acme2/app", "zeta/app"];
      for (const name of names.toReversed()) {
        await subject.blobs.link(repository(name), newBlob(`of ${name}`));
      }
      const { garbage } = subject;
      const acme = { name: "acme", segment: "acme" };
      const rest = { name: "default", notUnder: ["acme", "zeta"] };
      assert.deepEqual(await garbage.marks.repositories(EVERYTHING, { limit: 100 }), names);
      const inAcme = ["acme/app", "acme/deep/app"];
      assert.deepEqual(await garbage.marks.repositories(acme, { limit: 100 }), inAcme);
      const others = ["acme", "acme2/app"];
      assert.deepEqual(await garbage.marks.repositories(rest, { limit: 100 }), others);
      const second = await garbage.marks.repositories(EVERYTHING, { limit: 2, after: "acme/app" });
      assert.deepEqual(second, names.slice(2, 4));
      subject.clock.advance(2 * DAY_MS);
      const run = await begun(subject);
      assert.equal((await garbage.marks.markLinks(run, acme, 100)).count, 2);
      const links = await findCandidates(subject, run, "link");
      const own = inAcme.map((name) => newBlob(`of ${name}`));
      assert.deepEqual(digestsOf(links), digestsOf(own));
    },
  },
];
