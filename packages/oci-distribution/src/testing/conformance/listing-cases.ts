import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { OCI_INDEX, OCI_MANIFEST, buildImage, buildIndex } from "../build-image.ts";
import type { ConformanceCase, Conversation } from "./conversation.ts";
import {
  expectAnswer,
  pushImage,
  putManifest,
  requireCatalog,
  unknownDigest,
} from "./conversation.ts";

type Referrers = {
  readonly schemaVersion: number;
  readonly mediaType: string;
  readonly manifests: readonly {
    readonly digest: string;
    readonly size: number;
    readonly mediaType: string;
    readonly artifactType?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  }[];
};

async function referrersOf(registry: Conversation, path: string, query = "") {
  const response = await registry.send(`${path}${query}`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), OCI_INDEX);
  const index = (await response.json()) as Referrers;
  assert.equal(index.schemaVersion, 2);
  assert.equal(index.mediaType, OCI_INDEX);
  return { headers: response.headers, manifests: index.manifests };
}

/** The path of the next page, if there is one. */
function nextOf(response: Response): string | undefined {
  const link = response.headers.get("link");
  if (link === null) return undefined;
  const target = /^<([^>]+)>; *rel="?next"?$/.exec(link)?.[1];
  assert.ok(target, `the Link ${link} names the next page`);
  const { pathname, search } = new URL(target, "http://registry.invalid");
  return pathname + search;
}

export const listingCases: readonly ConformanceCase[] = [
  {
    name: "lists tags in order, all of them, as many as asked for, and from one onwards",
    covers: "H40",
    async run(registry) {
      const repository = registry.repository();
      const tags = ["1.0", "1.1", "2.0", "A", "Z", "_x", "a", "a-1", "b", "latest"];
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, image, "latest");
      for (const tag of tags.toReversed()) {
        await expectAnswer(await putManifest(registry, repository, image, tag), 201);
      }
      const list = async (query: string) => {
        const response = await registry.send(`/v2/${repository}/tags/list${query}`);
        assert.equal(response.status, 200);
        const body = (await response.json()) as { name: string; tags: string[] };
        assert.equal(body.name, repository);
        return { tags: body.tags, next: nextOf(response) };
      };
      assert.deepEqual(await list(""), { tags, next: undefined });
      assert.deepEqual(await list("?n=10"), { tags, next: undefined });
      assert.deepEqual(await list("?n=1000000"), { tags, next: undefined });
      assert.deepEqual(await list("?n=0"), { tags: [], next: undefined });
      assert.deepEqual((await list("?n=4")).tags, tags.slice(0, 4));
      assert.deepEqual((await list("?n=3&last=2.0")).tags, ["A", "Z", "_x"]);
      assert.deepEqual((await list("?last=a-0")).tags, ["a-1", "b", "latest"]);
      assert.deepEqual((await list("?last=latest")).tags, []);
    },
  },
  {
    name: "leads from page to page without a tag twice, while tags come and go",
    covers: "H40",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, image, "t-00");
      const tags = Array.from({ length: 9 }, (_, n) => `t-0${n}`);
      for (const tag of tags) {
        await expectAnswer(await putManifest(registry, repository, image, tag), 201);
      }
      const seen: string[] = [];
      let next: string | undefined = `/v2/${repository}/tags/list?n=2`;
      for (let pages = 0; next !== undefined && pages < 20; pages += 1) {
        const response: Response = await registry.send(next);
        next = nextOf(response);
        const body = (await response.json()) as { tags: string[] };
        assert.ok(body.tags.length <= 2);
        seen.push(...body.tags);
        if (pages === 1) {
          await putManifest(registry, repository, image, "t-000");
          await registry.send(`/v2/${repository}/manifests/t-00`, { method: "DELETE" });
        }
      }
      assert.deepEqual(seen, tags);
    },
  },
  {
    name: "tells an empty list of tags from a repository that does not exist",
    covers: "H40",
    async run(registry) {
      const repository = registry.repository();
      await pushImage(registry, repository, buildImage({ layers: [randomBytes(20)] }));
      const response = await registry.send(`/v2/${repository}/tags/list`);
      assert.deepEqual(await response.json(), { name: repository, tags: [] });
      const nowhere = `/v2/${registry.repository("nowhere")}/tags/list`;
      await expectAnswer(await registry.send(nowhere), 404, "NAME_UNKNOWN");
      const bad = await registry.send(`/v2/${repository}/tags/list?n=minus-one`);
      await expectAnswer(bad, 400);
    },
  },
  {
    name: "lists repositories page by page",
    covers: "H41",
    async run(registry) {
      const names = ["a", "a-b", "a/c"].map((name) => registry.repository(name));
      for (const name of names) {
        await pushImage(registry, name, buildImage({ layers: [randomBytes(20)] }), "1");
      }
      const seen: string[] = [];
      let next: string | undefined = "/v2/_catalog?n=2";
      for (let pages = 0; next !== undefined && pages < 10_000; pages += 1) {
        const response: Response = await registry.send(next);
        requireCatalog(response);
        assert.equal(response.status, 200);
        next = nextOf(response);
        const { repositories } = (await response.json()) as { repositories: string[] };
        assert.ok(repositories.length <= 2);
        seen.push(...repositories);
      }
      for (const name of names) assert.ok(seen.includes(name), `${name} is listed`);
      assert.deepEqual(seen, [...new Set(seen)].toSorted());
    },
  },
  {
    name: "answers an empty index for what nobody refers to, in any repository",
    covers: "H42, 1.2/14",
    async run(registry) {
      const repository = registry.repository();
      await pushImage(registry, repository, buildImage({ layers: [randomBytes(20)] }), "1");
      for (const name of [repository, registry.repository("nowhere")]) {
        const path = `/v2/${name}/referrers/${unknownDigest()}`;
        assert.deepEqual((await referrersOf(registry, path)).manifests, []);
      }
      const bad = await registry.send(`/v2/${repository}/referrers/sha256:nonsense`);
      await expectAnswer(bad, 400, "DIGEST_INVALID");
    },
  },
  {
    name: "describes referrers with type, size and annotations, and filters them",
    covers: "H42, 1.2/15",
    async run(registry) {
      const repository = registry.repository();
      const subject = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, subject, "1");
      const annotations = { "org.example.b": "2", "org.example.a": 'ä "quoted"' };
      const signature = buildImage({
        layers: [randomBytes(20)],
        artifactType: "application/vnd.example.signature",
        subject: subject.descriptor,
        annotations,
      });
      const typedByConfig = buildImage({
        layers: [randomBytes(20)],
        configType: "application/vnd.example.sbom",
        subject: subject.descriptor,
      });
      const index = buildIndex([], { subject: subject.descriptor });
      for (const testManifest of [signature, typedByConfig, index]) {
        const headers = await pushImage(registry, repository, testManifest);
        assert.equal(headers.get("oci-subject"), subject.digest);
      }
      const path = `/v2/${repository}/referrers/${subject.digest}`;
      const { manifests, headers } = await referrersOf(registry, path);
      assert.equal(headers.get("oci-filters-applied"), null);
      const byDigest = new Map(manifests.map((manifest) => [manifest.digest, manifest]));
      assert.equal(manifests.length, 3);
      assert.deepEqual(byDigest.get(signature.digest), {
        mediaType: OCI_MANIFEST,
        digest: signature.digest,
        size: signature.bytes.length,
        annotations,
        artifactType: "application/vnd.example.signature",
      });
      assert.deepEqual(byDigest.get(typedByConfig.digest), {
        mediaType: OCI_MANIFEST,
        digest: typedByConfig.digest,
        size: typedByConfig.bytes.length,
        artifactType: "application/vnd.example.sbom",
      });
      assert.deepEqual(byDigest.get(index.digest), {
        mediaType: OCI_INDEX,
        digest: index.digest,
        size: index.bytes.length,
      });
      const type = encodeURIComponent("application/vnd.example.sbom");
      const filtered = await referrersOf(registry, path, `?artifactType=${type}`);
      assert.deepEqual(
        filtered.manifests.map(({ digest }) => digest),
        [typedByConfig.digest],
      );
      assert.equal(filtered.headers.get("oci-filters-applied"), "artifactType");
    },
  },
  {
    name: "lists a referrer that came before its subject, which can be pulled later",
    covers: "H43",
    async run(registry) {
      const repository = registry.repository();
      const subject = buildImage({ layers: [randomBytes(20)] });
      const referrer = buildImage({ layers: [randomBytes(20)], subject: subject.descriptor });
      await pushImage(registry, repository, referrer);
      const path = `/v2/${repository}/referrers/${subject.digest}`;
      const before = await referrersOf(registry, path);
      assert.deepEqual(
        before.manifests.map(({ digest }) => digest),
        [referrer.digest],
      );
      const early = await registry.send(`/v2/${repository}/manifests/${subject.digest}`);
      assert.equal(early.status, 404);
      await pushImage(registry, repository, subject, "1");
      const late = await registry.send(`/v2/${repository}/manifests/${subject.digest}`);
      assert.equal(late.status, 200);
      assert.equal((await referrersOf(registry, path)).manifests.length, 1);
    },
  },
];
