import assert from "node:assert/strict";
import type { Digest } from "../../digest.ts";
import type { Page, Referrer, ReferrerQuery } from "../../ports.ts";
import { allReferrers, referrerWeight } from "../../referrers.ts";
import type { OciCatalog, OciPortsCase } from "./contract-case.ts";
import { caller, newBlob, prepared, recorded, repository } from "./contract-case.ts";

/** In the order of UTF-16 code units, where most databases sort otherwise unless told. */
const TAGS = ["0", "10", "9", "B", "Z", "_x", "a", "a-1", "a.1", "a0", "aA", "a_", "aa", "b"];
const REPOSITORIES = ["a", "a-b", "a.b", "a/b", "a/c", "a0", "a__b", "ab", "b"];

export const listingCases: readonly OciPortsCase[] = [
  {
    name: "lists tags by code unit, page by page",
    async run(ports) {
      const shuffled = [...TAGS.slice(5), ...TAGS.slice(0, 5).toReversed()];
      await recorded(ports, await prepared(ports, "app", { tags: shuffled }));
      const list = (limit: number, after?: string) =>
        ports.manifests.tags(repository("app"), { limit, ...(after !== undefined && { after }) });
      assert.deepEqual(await list(100), TAGS);
      assert.deepEqual(await list(3), TAGS.slice(0, 3));
      assert.deepEqual(await list(3, "9"), TAGS.slice(3, 6));
      assert.deepEqual(await list(3, "aB"), ["a_", "aa", "b"], "after a tag that is not there");
      assert.deepEqual(await list(3, "b"), []);
      assert.deepEqual(await list(0), []);
    },
  },
  {
    name: "tells a repository without tags from one that does not exist",
    async run(ports) {
      await recorded(ports, await prepared(ports, "app"));
      assert.deepEqual(await ports.manifests.tags(repository("app"), { limit: 10 }), []);
      assert.equal(await ports.manifests.tags(repository("none"), { limit: 10 }), undefined);
    },
  },
  {
    name: "lists repositories by code unit, page by page",
    async run(ports) {
      for (const name of REPOSITORIES.toReversed()) {
        await recorded(ports, await prepared(ports, name));
      }
      const list = (page: Page) => ports.manifests.repositories(page);
      assert.deepEqual(await list({ limit: 100 }), REPOSITORIES);
      assert.deepEqual(await list({ limit: 4 }), REPOSITORIES.slice(0, 4));
      assert.deepEqual(await list({ limit: 2, after: "a-b" }), ["a.b", "a/b"]);
      assert.deepEqual(await list({ limit: 2, after: "b" }), []);
    },
  },
  {
    name: "lists the referrers of a subject, whether or not the subject exists",
    async run(ports) {
      const subject = newBlob("subject that is never pushed").digest;
      const signature = await refer(ports, subject, {
        layer: "signature",
        artifactType: "application/vnd.example.signature",
        annotations: '{"z":"1","a":"ä \\" 2"}',
      });
      const plain = await refer(ports, subject, { layer: "plain" });
      await refer(ports, newBlob("another subject").digest, { layer: "unrelated" });

      const list = await listed(ports, "app", subject);
      const byDigest = new Map(list.map((referrer) => [referrer.digest, { ...referrer }]));
      assert.equal(byDigest.size, 2);
      assert.equal(list.length, 2);
      assert.deepEqual(byDigest.get(signature.digest), {
        digest: signature.digest,
        mediaType: signature.mediaType,
        size: signature.bytes.length,
        artifactType: "application/vnd.example.signature",
        annotations: '{"z":"1","a":"ä \\" 2"}',
      });
      assert.deepEqual(byDigest.get(plain.digest), {
        digest: plain.digest,
        mediaType: plain.mediaType,
        size: plain.bytes.length,
      });
    },
  },
  {
    name: "keeps referrers to their repository and drops deleted ones",
    async run(ports) {
      const subject = newBlob("subject").digest;
      const referrer = await refer(ports, subject, { layer: "signature" });
      const list = (name: string) => listed(ports, name, subject);
      assert.deepEqual(await list("never-seen"), []);
      await recorded(ports, await prepared(ports, "other"));
      assert.deepEqual(await list("other"), []);
      await ports.manifests.deleteManifest(repository("app"), referrer.digest, caller);
      assert.deepEqual(await list("app"), []);
    },
  },
  {
    name: "pages referrers by number and by weight, with at least one in each page",
    async run(ports) {
      const subject = newBlob("subject").digest;
      const light = await Promise.all(
        ["a", "b"].map((layer) => refer(ports, subject, { layer, annotations: '{"a":"ä"}' })),
      );
      const heavy = await refer(ports, subject, {
        layer: "heavy",
        artifactType: "type/ä",
        annotations: JSON.stringify({ text: "x".repeat(300_000) }),
      });
      const last = await refer(ports, subject, { layer: "last" });
      const of = ({ digest }: { digest: Digest }) => digest;
      const sizesOf = async (limit: number, maxBytes: number) => {
        const pages = await pagesOf(ports, subject, { limit, maxBytes });
        assert.deepEqual(
          pages.flat().map(of).toSorted(),
          [...light, heavy, last].map(of).toSorted(),
        );
        return pages.map((page) => page.length);
      };
      const [one = 0, two = 0] = light.map(referrerWeight);
      assert.deepEqual(await sizesOf(10, 1_000_000), [4]);
      assert.deepEqual(await sizesOf(2, 1_000_000), [2, 2]);
      assert.deepEqual(await sizesOf(10, 1), [1, 1, 1, 1]);
      assert.deepEqual(await sizesOf(10, one + two), [2, 1, 1]);
      assert.deepEqual(await sizesOf(10, one + two + referrerWeight(heavy)), [3, 1]);
      assert.deepEqual(await sizesOf(10, one + two + referrerWeight(heavy) - 1), [2, 2]);
    },
  },
  {
    name: "pages the referrers of one type past those of others",
    async run(ports) {
      const subject = newBlob("subject").digest;
      const digests = [];
      for (const [index, artifactType] of ["a/b", "a/c", "a/b", "A/B", "a/b ", "a/b"].entries()) {
        const referrer = await refer(ports, subject, { layer: `${index}`, artifactType });
        if (artifactType === "a/b") digests.push(referrer.digest);
      }
      const pages = await pagesOf(ports, subject, {
        limit: 2,
        maxBytes: 1_000_000,
        artifactType: "a/b",
      });
      assert.deepEqual(
        pages.map((page) => page.map(({ digest }) => digest)),
        [digests.slice(0, 2), digests.slice(2)],
      );
      assert.deepEqual(await pagesOf(ports, subject, { ...ONE, artifactType: "a/\0" }), [[]]);
    },
  },
  {
    name: "keeps its place in the referrers while others come and go",
    async run(ports) {
      const subject = newBlob("subject").digest;
      const first = await refer(ports, subject, { layer: "first" });
      const second = await refer(ports, subject, { layer: "second" });
      const page = await ports.manifests.referrers(repository("app"), subject, ONE);
      await ports.manifests.deleteManifest(repository("app"), first.digest, caller);
      const third = await refer(ports, subject, { layer: "third" });
      const { next: after = Infinity } = page;
      const rest = await ports.manifests.referrers(repository("app"), subject, {
        ...ONE,
        limit: 10,
        after,
      });
      const digests = (await Array.fromAsync(rest.referrers)).map(({ digest }) => digest);
      assert.deepEqual(digests, [second.digest, third.digest]);
      assert.equal(rest.next, undefined);
    },
  },
];

const ONE = { limit: 1, maxBytes: 1_000_000 };

function listed(ports: OciCatalog, name: string, subject: Digest): Promise<Referrer[]> {
  return Array.fromAsync(allReferrers(ports.manifests, repository(name), subject));
}

async function pagesOf(
  { manifests }: OciCatalog,
  subject: Digest,
  query: ReferrerQuery,
): Promise<Referrer[][]> {
  const pages: Referrer[][] = [];
  let after: number | undefined;
  do {
    const page = await manifests.referrers(repository("app"), subject, {
      ...query,
      ...(after !== undefined && { after }),
    });
    pages.push(await Array.fromAsync(page.referrers));
    after = page.next;
  } while (after !== undefined);
  return pages;
}

async function refer(
  ports: OciCatalog,
  subject: Digest,
  { layer, ...fields }: { layer: string; artifactType?: string; annotations?: string },
) {
  const manifest = { ...(await prepared(ports, "app", { layers: [layer] })), subject, ...fields };
  await recorded(ports, manifest);
  return manifest;
}
