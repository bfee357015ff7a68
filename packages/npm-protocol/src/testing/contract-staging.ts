import assert from "node:assert/strict";
import { NAME_HOLD_MS } from "../lifecycle/ports.ts";
import type { NewNpmVersion } from "../npm-version.ts";
import type { NewStagedVersion, Staging } from "../staging/ports.ts";
import type { NpmCatalog, VersionWish } from "./contract-fixtures.ts";
import { alice, bob, indexes, keepDocument, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

const dayMs = 24 * 60 * 60_000;

const staging: readonly NpmPortsTest[] = [
  {
    name: "shows a staged version to nobody but whoever asks for staged ones",
    async run(catalog) {
      const { lookup, search, documents, recorder } = catalog;
      await recorder.publish(newVersion({}), alice);
      await keepDocument(catalog, "demo");
      const before = await lookup.find("demo");
      await stage(catalog, { version: "2.0.0" });
      await stage(catalog, { name: "fresh" });
      assert.deepEqual(await lookup.find("demo"), before);
      assert.equal(await lookup.find("fresh"), undefined);
      assert.equal(await lookup.tarball("demo", "2.0.0"), undefined);
      assert.ok(await documents.read("contract/demo"));
      const { total, hits } = await search.search({ text: "", from: 0, size: 20 });
      assert.deepEqual([total, hits.map(({ version }) => version)], [1, ["1.0.0"]]);
    },
  },
  {
    name: "gives back everything about a staged version, byte by byte",
    async run(catalog) {
      const bundle = '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}';
      const submission = newStaged({
        name: "@acme/demo",
        manifest: '{"version":"1.0.0","b":1,"a":"Zo\u00eb \u2028 \\u0000","c":{}}',
        tags: ["next", "beta"],
        readme: "# Demo\u0000",
        readmeFilename: "README.md",
        keywords: ["one"],
        dependencyNames: ["left-pad"],
        access: "restricted",
        attestations: [{ predicateType: "https://slsa.dev/provenance/v1", bundle }],
      });
      const stagedAt = new Date();
      const expiresAt = new Date(stagedAt.getTime() + dayMs);
      const outcome = await catalog.staging.stage(submission, terms({ stagedAt }), alice);
      assert.ok(outcome.status === "staged");
      assert.equal(outcome.isDuplicate, false);
      const { id } = outcome;
      const { name, version, tags, integrity, shasum, blob } = submission;
      const shown = {
        id,
        name,
        version,
        tags,
        integrity,
        shasum,
        actor: "alice",
        createdAt: stagedAt,
        expiresAt,
      };
      assert.deepEqual(await catalog.staging.find(id), { ...shown, blob });
      assert.deepEqual(await catalog.staging.list(), [shown]);
      assert.deepEqual(await catalog.staging.details(id), submission);
    },
  },
  {
    name: "lists what is staged, of one package or of all, newest first",
    async run(catalog) {
      const nowMs = Date.now();
      const wishes = [
        { version: "1.0.0" },
        { version: "1.1.0" },
        { name: "other", version: "1.0.0" },
      ];
      for (const [index, wish] of wishes.entries()) {
        await stage(catalog, wish, { stagedAt: new Date(nowMs + index) });
      }
      const shown = async (name?: string) =>
        (await catalog.staging.list(name)).map(
          (stagedVersion) => `${stagedVersion.name}@${stagedVersion.version}`,
        );
      assert.deepEqual(await shown(), ["other@1.0.0", "demo@1.1.0", "demo@1.0.0"]);
      assert.deepEqual(await shown("demo"), ["demo@1.1.0", "demo@1.0.0"]);
      assert.deepEqual(await shown("nobody"), []);
    },
  },
  {
    name: "stages a version once: the same again is the first one, and all else is refused",
    async run(catalog) {
      const first = await stage(catalog, {});
      assert.ok(first.status === "staged");
      const { id } = first;
      assert.deepEqual(await stage(catalog, { generation: "g2" }), { status: "replayed", id });
      const waiting = { status: "waiting", id, actor: "alice" };
      assert.deepEqual(await stage(catalog, { seed: "other bytes" }), waiting);
      assert.deepEqual(await stage(catalog, { tags: ["next"] }), waiting);
      const byBob = await catalog.staging.stage(newStaged({}), terms(), bob);
      assert.deepEqual(byBob, waiting);
      assert.equal((await catalog.staging.list()).length, 1);
    },
  },
  {
    name: "stages nothing that could not be published",
    async run(catalog) {
      const { recorder, lifecycle, lookup } = catalog;
      await recorder.publish(newVersion({}), alice);
      await recorder.publish(newVersion({ version: "1.1.0" }), alice);
      assert.deepEqual(await stage(catalog, {}), { status: "exists" });
      const revision = (await lookup.find("demo"))?.revision ?? 0;
      await lifecycle.unpublish("demo", { versions: "all", revision }, alice);
      assert.deepEqual(await stage(catalog, {}), { status: "deleted" });
      const refusal = await catalog.staging.stage(newStaged({ version: "3.0.0" }), terms(), bob);
      assert.equal(refusal.status, "reserved");
      const own = await stage(catalog, { version: "3.0.0" });
      assert.equal(own.status, "staged");
    },
  },
  {
    name: "stages so many versions of one package, whoever comes at the same time, and no more",
    async run(catalog) {
      const outcomes = await Promise.all(
        indexes(6).map((index) => stage(catalog, { version: `1.0.${index}` }, { perPackage: 4 })),
      );
      const statuses = outcomes.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, ["full", "full", "staged", "staged", "staged", "staged"]);
      const other = await stage(catalog, { name: "other" }, { perPackage: 4 });
      assert.equal(other.status, "staged");
    },
  },
  {
    name: "stages no more versions of one publisher at the same time",
    async run(catalog) {
      const outcomes = await Promise.all(
        indexes(20).map((index) => stage(catalog, { name: `demo-${index}` }, { perPublisher: 3 })),
      );
      const staged = outcomes.filter(({ status }) => status === "staged");
      const refused = outcomes.filter(({ status }) => status === "publisher-full");
      assert.deepEqual([staged.length, refused.length], [3, 17]);
    },
  },
  {
    name: "stages so many versions of one publisher, without expired ones, and no more",
    async run(catalog) {
      const past = { stagedAt: new Date(Date.now() - 2 * dayMs), expiresAt: new Date() };
      await stagedId(catalog, { name: "expired" }, past);
      const few = { perPublisher: 2 };
      const id = await stagedId(catalog, { name: "one" }, few);
      await stagedId(catalog, { name: "two" }, few);
      const full = { status: "publisher-full" };
      assert.deepEqual(await stage(catalog, { name: "three" }, few), full);
      assert.deepEqual(await stage(catalog, { name: "one" }, few), { status: "replayed", id });
      const three = newStaged({ name: "three" });
      const byBob = await catalog.staging.stage(three, terms(few), bob);
      assert.equal(byBob.status, "staged");
      await catalog.staging.reject(id, bob);
      assert.equal((await stage(catalog, { name: "four" }, few)).status, "staged");
    },
  },
];

const releasing: readonly NpmPortsTest[] = [
  {
    name: "releases a staged version as if it were published then, with all that it came with",
    async run(catalog) {
      const { lookup, attestations, documents, recorder, staging: staged } = catalog;
      await recorder.publish(newVersion({}), alice);
      await keepDocument(catalog, "demo");
      const statement = { predicateType: "https://slsa.dev/provenance/v1", bundle: "{}" };
      const more = { attestations: [statement], deprecated: "use 3" };
      const wish = { version: "2.0.0", tags: ["next"], ...more };
      const id = await stagedId(catalog, wish);
      const submission = newStaged(wish);
      const publishedAt = new Date(Date.now() + 1000);
      const released = await release(catalog, id, { publishedAt });
      assert.deepEqual(released, { status: "published", isDuplicate: false });

      const npmPackage = await lookup.find("demo");
      assert.deepEqual(npmPackage?.distTags, { latest: "1.0.0", next: "2.0.0" });
      const version = npmPackage?.versions.at(-1);
      assert.equal(version?.manifest, submission.manifest);
      assert.equal(version?.integrity, submission.integrity);
      assert.equal(version?.deprecated, "use 3");
      assert.deepEqual(version?.publishedAt, publishedAt);
      assert.deepEqual(await attestations.of("demo", "2.0.0"), [statement]);
      const blob = await lookup.tarball("demo", "2.0.0");
      assert.deepEqual(blob, { ...submission.blob, integrity: submission.integrity });
      assert.equal(await documents.read("contract/demo"), undefined);
      assert.deepEqual(await staged.list(), []);
      assert.equal(await staged.find(id), undefined);
      assert.equal(await staged.details(id), undefined);
    },
  },
  {
    name: "makes a package of its first version when that is released, whose owner released it",
    async run(catalog) {
      const id = await stagedId(catalog, { tags: ["beta"] });
      await release(catalog, id, {}, bob);
      const npmPackage = await catalog.lookup.find("demo");
      assert.deepEqual(npmPackage?.distTags, { latest: "1.0.0", beta: "1.0.0" });
      assert.deepEqual(npmPackage?.maintainers, [{ name: "bob" }]);
    },
  },
  {
    name: "keeps a version staged whose number was published meanwhile, and releases it never",
    async run(catalog) {
      const { recorder, lifecycle, lookup, staging: staged } = catalog;
      const id = await stagedId(catalog, {});
      const published = await recorder.publish(newVersion({ seed: "direct" }), alice);
      assert.equal(published.status, "published");
      const before = await lookup.find("demo");
      assert.deepEqual(await release(catalog, id), { status: "exists" });
      assert.deepEqual(await lookup.find("demo"), before);
      const removal = { versions: "all", revision: before?.revision ?? 0 } as const;
      await lifecycle.unpublish("demo", removal, alice);
      assert.deepEqual(await release(catalog, id), { status: "deleted" });
      assert.ok(await staged.find(id));
      const other = await stagedId(catalog, { version: "2.0.0" });
      assert.equal((await release(catalog, other, {}, bob)).status, "reserved");
      const later = { publishedAt: new Date(Date.now() + NAME_HOLD_MS + 1000) };
      assert.equal((await release(catalog, other, later, bob)).status, "published");
    },
  },
  {
    name: "releases or rejects a version once, whoever comes at the same time",
    async run(catalog) {
      const id = await stagedId(catalog, {});
      const outcomes = await Promise.all([
        ...indexes(3).map(async () => (await release(catalog, id)).status),
        catalog.staging.reject(id, bob),
      ]);
      const [ended, ...late] = outcomes.toSorted(
        (a, b) => Number(a === "absent") - Number(b === "absent"),
      );
      assert.ok(ended === "published" || ended === "rejected", ended);
      assert.deepEqual(late, ["absent", "absent", "absent"]);
      const isPublished = (await catalog.lookup.find("demo")) !== undefined;
      assert.equal(isPublished, ended === "published");
      assert.deepEqual(await catalog.staging.list(), []);
    },
  },
  {
    name: "shares the bytes of a version with a staged one, and keeps them when either goes",
    async run(catalog) {
      const { recorder, lifecycle, lookup, staging: staged } = catalog;
      await recorder.publish(newVersion({ seed: "same" }), alice);
      const twin = { version: "2.0.0", seed: "same", generation: "g2" };
      const outcome = await stage(catalog, twin);
      assert.ok(outcome.status === "staged" && outcome.isDuplicate);
      const { blob } = newVersion({ seed: "same" });
      assert.deepEqual((await staged.find(outcome.id))?.blob, blob);
      const revision = (await lookup.find("demo"))?.revision ?? 0;
      await lifecycle.unpublish("demo", { versions: ["1.0.0"], revision }, alice);
      assert.deepEqual((await staged.find(outcome.id))?.blob, blob);
      await release(catalog, outcome.id);
      const { integrity } = newVersion(twin);
      assert.deepEqual(await lookup.tarball("demo", "2.0.0"), { ...blob, integrity });
    },
  },
];

const ending: readonly NpmPortsTest[] = [
  {
    name: "rejects a version, whose number is free again",
    async run(catalog) {
      const id = await stagedId(catalog, {});
      assert.equal(await catalog.staging.reject(id, bob), "rejected");
      assert.equal(await catalog.staging.reject(id, bob), "absent");
      assert.equal(await catalog.staging.find(id), undefined);
      assert.deepEqual(await release(catalog, id), { status: "absent" });
      assert.equal((await stage(catalog, { seed: "other" })).status, "staged");
      assert.equal((await catalog.recorder.publish(newVersion({}), bob)).status, "published");
    },
  },
  {
    name: "treats what has expired as gone, also before it is swept",
    async run(catalog) {
      const { staging: staged } = catalog;
      const past = { stagedAt: new Date(Date.now() - 2 * dayMs), expiresAt: new Date() };
      const id = await stagedId(catalog, {}, past);
      await stagedId(catalog, { name: "unswept" }, past);
      const keptId = await stagedId(catalog, { name: "kept" });
      assert.equal(await staged.find(id), undefined);
      assert.equal(await staged.details(id), undefined);
      assert.deepEqual(await release(catalog, id), { status: "absent" });
      assert.equal(await staged.reject(id, alice), "absent");
      assert.deepEqual(
        (await staged.list()).map((stagedVersion) => stagedVersion.id),
        [keptId],
      );

      // The number is free: the version is staged again, with other bytes, before any sweep.
      const again = await stage(catalog, { seed: "again" });
      assert.equal(again.status, "staged");
      assert.equal(await staged.expire(10), 1);
      assert.equal(await staged.expire(10), 0);
      assert.equal((await staged.list()).length, 2);
    },
  },
  {
    name: "sweeps what has expired in portions",
    async run(catalog) {
      const past = { stagedAt: new Date(Date.now() - 2 * dayMs), expiresAt: new Date() };
      for (const index of indexes(5)) {
        await stagedId(catalog, { name: `package-${index}` }, past);
      }
      const { staging: staged } = catalog;
      const counts = [await staged.expire(2), await staged.expire(2), await staged.expire(2)];
      assert.deepEqual(counts, [2, 2, 1]);
    },
  },
];

function newStaged(wish: VersionWish): NewStagedVersion {
  const { publishedAt: _publishedAt, ...version } = newVersion(wish);
  return version;
}

type Terms = Parameters<NpmCatalog["staging"]["stage"]>[1];

function terms(wish: Partial<Terms> = {}): Terms {
  const { stagedAt = new Date(), perPackage = 100 } = wish;
  return { stagedAt, expiresAt: new Date(stagedAt.getTime() + dayMs), perPackage, ...wish };
}

function stage(
  catalog: NpmCatalog,
  wish: VersionWish,
  changes: Partial<Terms> = {},
): Promise<Staging> {
  return catalog.staging.stage(newStaged(wish), terms(changes), alice);
}

async function stagedId(...args: Parameters<typeof stage>): Promise<string> {
  const outcome = await stage(...args);
  assert.ok(outcome.status === "staged", outcome.status);
  return outcome.id;
}

async function release(
  { staging: staged, recorder }: NpmCatalog,
  id: string,
  more: Partial<NewNpmVersion> = {},
  caller = alice,
) {
  const version = (await staged.details(id)) ?? newStaged({});
  return recorder.release(id, { ...version, publishedAt: new Date(), ...more }, caller);
}

/** Versions that wait for approval. */
export const stagingContract: readonly NpmPortsTest[] = [...staging, ...releasing, ...ending];
