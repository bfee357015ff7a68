import assert from "node:assert/strict";
import type { NewNpmVersion } from "../npm-version.ts";
import type { NpmCatalog } from "./contract-fixtures.ts";
import { alice, bob, keepDocument, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

/** Lost tarballs, and the same bytes published again. */
export const lossContract: readonly NpmPortsTest[] = [
  {
    name: "marks each version of a lost tarball until it is restored, and keeps tags and revision",
    async run({ lookup, recorder, history, register }) {
      const { blob } = await publishTwins(recorder);
      await recorder.publish(newVersion({ name: "one", version: "2.0.0" }), alice);
      const before = await lookup.find("one");
      const isDamaged = true as const;
      await register.markMissing(blob.key);
      await register.markMissing(blob.key);
      const lost = await lookup.find("one");
      assert.deepEqual(lost, { ...before, versions: marked(before?.versions, "1.0.0") });
      assert.deepEqual(marks((await lookup.find("two"))?.versions), [isDamaged]);
      assert.equal((await lookup.tarball("two", "1.0.0"))?.isDamaged, isDamaged);
      assert.equal((await history.version("one", "1.0.0"))?.isDamaged, isDamaged);
      assert.equal((await history.version("one", "2.0.0"))?.isDamaged, undefined);

      const again = anotherCopy(blob);
      assert.equal(await register.restore(again), true);
      assert.equal(await register.restore(again), false);
      assert.deepEqual(await lookup.find("one"), before);
      assert.deepEqual(marks((await lookup.find("two"))?.versions), [undefined]);
      assert.equal((await lookup.tarball("one", "1.0.0"))?.key, again.key);
    },
  },
  {
    name: "drops the documents of each package with a lost or restored tarball, and no others",
    async run(catalog) {
      const { recorder, register } = catalog;
      const { blob } = await publishTwins(recorder);
      await recorder.publish(newVersion({ name: "bystander" }), alice);
      const names = ["one", "two", "bystander"];
      const change = async (work: () => Promise<unknown>) => {
        const revisions = await Promise.all(names.map((name) => revisionOf(catalog, name)));
        for (const name of names) await keepDocument(catalog, name);
        await work();
        assert.deepEqual(await keptNames(catalog, names), ["bystander"]);
        // A renderer that began before the change must not store its document.
        for (const [index, name] of names.entries()) {
          await keepDocument(catalog, name, revisions[index]);
        }
        assert.deepEqual(await keptNames(catalog, names), ["bystander"]);
      };
      await change(() => register.markMissing(blob.key));
      await change(() => register.restore(anotherCopy(blob)));
    },
  },
  {
    name: "leaves the documents alone when nothing is lost",
    async run(catalog) {
      const { recorder, register } = catalog;
      const { blob } = await publishTwins(recorder);
      await keepDocument(catalog, "one");
      await register.markMissing(anotherCopy(blob).key);
      await register.restore(anotherCopy(blob));
      assert.deepEqual(await keptNames(catalog, ["one"]), ["one"]);
      assert.deepEqual(marks((await catalog.lookup.find("one"))?.versions), [undefined]);
    },
  },
  {
    name: "takes the bytes that restored a version for a replay, from any caller at any time",
    async run({ lookup, recorder, register }) {
      const first = new Date(Date.now() - 3_600_000);
      const version = newVersion({ publishedAt: first, tags: ["latest", "beta"] });
      await recorder.publish(version, alice);
      const before = await lookup.find("demo");
      await register.markMissing(version.blob.key);
      const again = anotherCopy(version.blob);
      await register.restore(again);
      const blob = { ...again, isRestored: true } as const;
      const replayed = { status: "replayed", isRestored: true };
      const wish = newVersion({ blob, tags: ["other"] });
      assert.deepEqual(await recorder.publish(wish, bob), replayed);
      assert.deepEqual(await recorder.publishAll([wish], bob, new Map()), {
        status: "published",
        outcomes: [replayed],
      });
      assert.deepEqual(await lookup.find("demo"), before);
      const others = newVersion({ seed: "other bytes" });
      const refused = await recorder.publish(
        { ...others, blob: { ...others.blob, isRestored: true } },
        alice,
      );
      assert.deepEqual(refused, { status: "exists" });
      assert.deepEqual(await recorder.publish(newVersion({ blob: again }), bob), {
        status: "exists",
      });
    },
  },
  {
    name: "restores a lost tarball with the same bytes of another package",
    async run(catalog) {
      const { lookup, recorder, register } = catalog;
      const { blob } = await publishTwins(recorder);
      await register.markMissing(blob.key);
      await keepDocument(catalog, "one");
      const again = anotherCopy(blob);
      const third = { ...newVersion({ name: "three", seed: "same" }), blob: again };
      assert.deepEqual(await recorder.publish(third, bob), {
        status: "published",
        isDuplicate: false,
      });
      assert.deepEqual(marks((await lookup.find("one"))?.versions), [undefined]);
      assert.equal((await lookup.tarball("one", "1.0.0"))?.key, again.key);
      assert.deepEqual(await keptNames(catalog, ["one"]), []);
    },
  },
  {
    name: "an approved version whose tarball was lost before is damaged until it is restored",
    async run({ lookup, recorder, register, staging }) {
      const { publishedAt, ...version } = newVersion({});
      const expiresAt = new Date(publishedAt.getTime() + 3_600_000);
      const terms = { stagedAt: publishedAt, expiresAt, perPackage: 1 };
      const staged = await staging.stage(version, terms, alice);
      assert.ok(staged.status === "staged");
      await register.markMissing(version.blob.key);
      const release = { ...version, publishedAt };
      assert.equal((await recorder.release(staged.id, release, bob)).status, "published");
      assert.deepEqual(marks((await lookup.find("demo"))?.versions), [true]);
      assert.equal(await register.restore(anotherCopy(version.blob)), true);
      assert.deepEqual(marks((await lookup.find("demo"))?.versions), [undefined]);
    },
  },
];

/** Two packages with the same bytes. */
async function publishTwins(recorder: NpmCatalog["recorder"]): Promise<NewNpmVersion> {
  const version = newVersion({ name: "one", seed: "same" });
  await recorder.publish(version, alice);
  await recorder.publish(newVersion({ name: "two", seed: "same" }), alice);
  return version;
}

function anotherCopy({ size, sha256 }: NewNpmVersion["blob"]): NewNpmVersion["blob"] {
  return { key: `npm/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.again`, size, sha256 };
}

type Markable = { readonly version: string; readonly isDamaged?: true };

function marked(versions: readonly Markable[] = [], damaged: string) {
  return versions.map((one) => (one.version === damaged ? { ...one, isDamaged: true } : one));
}

function marks(versions: readonly Markable[] = []) {
  return versions.map(({ isDamaged }) => isDamaged);
}

function revisionOf({ documents }: NpmCatalog, name: string): Promise<number> {
  return documents.revision(`npm/${name}`);
}

async function keptNames({ documents }: NpmCatalog, names: readonly string[]) {
  const kept: string[] = [];
  for (const name of names) if (await documents.read(`contract/${name}`)) kept.push(name);
  return kept;
}
