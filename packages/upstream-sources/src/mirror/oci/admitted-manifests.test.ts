import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type { Digest, StoredManifest } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import type { PolicyRule } from "../../policy/policy-rule.ts";
import { createRuleList } from "../../policy/rule-list.ts";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { testSource } from "../../testing/memory-parts.ts";
import type { FirstContact } from "../../sources/package-source.ts";
import { UpstreamUnavailableError } from "../calls/upstream-error.ts";
import { admittedManifests } from "./admitted-manifests.ts";
import { createImagePolicy } from "./image-policy.ts";
import type { WantedManifest } from "./manifest-keeper.ts";

const HOUR_MS = 60 * 60_000;
const AGE_MS = 10 * HOUR_MS;
const repository = parseRepositoryName("team/app");
const image = { protocol: "oci", name: repository, nameAtSource: repository } as const;
const url = new URL("https://hub.example/");
const [one, two, three, four] = ["one", "two", "three", "four"].map(
  (config) => buildImage({ config: `{"of":"${config}"}` }).digest,
) as [Digest, Digest, Digest, Digest];

type Image = { readonly digest: Digest; readonly held?: string | undefined };

/** A registry with `hub` as its source. */
function openScene(
  options: { readonly rules?: readonly PolicyRule[]; readonly firstContact?: FirstContact } = {},
) {
  const { rules = [], firstContact = "Allow" } = options;
  const source = testSource("oci", url, {
    name: "hub",
    settings: { minimumReleaseAgeMs: AGE_MS, firstContact },
  });
  const scene = {
    time: Date.parse("2026-03-01T00:00:00Z"),
    /** Manifests here, and what the tag points to. */
    stored: new Set<Digest>(),
    tag: undefined as Digest | undefined,
    atSource: new Set<Digest>([one, two, three, four]),
    listed: new Set<Digest>(),
    subjects: new Map<Digest, Digest>(),
    isAway: false,
    noted: 0,
  };
  const now = () => new Date(scene.time);
  const ports = createMemoryMirrorPorts({ now });
  const manifestOf = (digest: Digest | undefined): StoredManifest | undefined =>
    digest && { digest, mediaType: "", bytes: new Uint8Array() };
  const fetch = async ({ digest }: WantedManifest) => {
    if (scene.isAway) throw new UpstreamUnavailableError("hub", "is away", 1);
    if (!scene.atSource.has(digest)) return undefined;
    scene.stored.add(digest);
    return manifestOf(digest);
  };
  const keeper = {
    fetch,
    async tagged(wanted: WantedManifest) {
      const kept = scene.stored.has(wanted.digest)
        ? manifestOf(wanted.digest)
        : await fetch(wanted);
      if (kept) scene.tag = kept.digest;
      return kept;
    },
  };
  const policy = createImagePolicy({
    now,
    rules: createRuleList({ stored: { list: async () => rules }, now }),
    firstSeen: {
      note(...noted) {
        scene.noted += 1;
        return ports.firstSeen.note(...noted);
      },
    },
  });
  const admitted = admittedManifests(keeper, {
    policy,
    now,
    kept: ports.documents,
    local: {
      manifests: {
        find: async (_name, reference) =>
          manifestOf(
            reference === "latest" ? scene.tag : [...scene.stored].find((d) => d === reference),
          ),
      },
    },
    mirrored: {
      lookup: {
        indexesWith: async (_name, digest) => (scene.listed.has(digest) ? [new Uint8Array()] : []),
      },
    },
    documents: {
      manifest: async (_image, digest) =>
        scene.atSource.has(digest)
          ? {
              source,
              answer: {
                status: "found",
                revision: "",
                checkedAt: now(),
                bytes: async () => new Uint8Array(),
              },
            }
          : "absent",
    },
    subjectAtSource: async ({ digest }) => scene.subjects.get(digest),
  });
  const wanted = { image, repository, source };
  return Object.assign(scene, {
    tagged: (digest: Digest): Promise<Image | undefined> =>
      admitted.tagged({ ...wanted, digest, tag: "latest" }),
    fetched: async (digest: Digest) =>
      (await admitted.fetch({ ...wanted, digest }))?.digest ?? "absent",
  });
}

test("follows a tag that moves often to images that are old enough", async () => {
  const scene = openScene();
  expect(await scene.tagged(one)).not.toHaveProperty("held");
  expect(scene.noted).toBe(0);
  const moves = [
    [0, two, one],
    [4, three, one],
    [8, four, one],
    [11, four, two],
    [12, four, two],
    [15, four, three],
  ] as const;
  const begin = scene.time;
  for (const [hours, newest, served] of moves) {
    scene.time = begin + hours * HOUR_MS;
    const { digest, held } = (await scene.tagged(newest)) ?? {};
    expect(digest, `after ${hours} hours`).toBe(served);
    expect(held).toContain(`Its newest image, ${newest}, is held back until 2026-03-01T`);
  }
  expect(scene.stored).toEqual(new Set([one, two, three]));
  scene.time = begin + 18 * HOUR_MS;
  expect(await scene.tagged(four)).toEqual(
    expect.not.objectContaining({ held: expect.anything() }),
  );
  expect(scene.tag).toBe(four);
});

test("never moves a tag back", async () => {
  const scene = openScene();
  await scene.tagged(one);
  await scene.tagged(two);
  scene.stored.add(three);
  await scene.tagged(three);
  scene.time += AGE_MS;
  expect(await scene.tagged(four)).toMatchObject({ digest: three, held: expect.any(String) });
});

test("keeps the image of a tag while the source lacks the next one, or fails", async () => {
  const scene = openScene();
  await scene.tagged(one);
  await scene.tagged(two);
  scene.time += AGE_MS;
  scene.isAway = true;
  expect(await scene.tagged(three)).toMatchObject({ digest: one, held: expect.any(String) });
  scene.isAway = false;
  scene.atSource.delete(two);
  expect(await scene.tagged(three)).toMatchObject({ digest: one, held: expect.any(String) });
  scene.atSource.add(two);
  expect(await scene.tagged(three)).toMatchObject({ digest: two });
});

const HELD = /is held back until/;

test("takes old images and parts of images here by digest", async () => {
  const scene = openScene();
  await expect(scene.fetched(one)).rejects.toThrow(HELD);
  scene.listed.add(two);
  expect(await scene.fetched(two)).toBe(two);
  scene.subjects.set(three, two).set(four, one);
  expect(await scene.fetched(three)).toBe(three);
  await expect(scene.fetched(four)).rejects.toThrow(HELD);
  scene.time += AGE_MS;
  expect(await scene.fetched(one)).toBe(one);
});

test("holds the first image of a tag back with FirstContact=Hold", async () => {
  const scene = openScene({ firstContact: "Hold" });
  await expect(scene.tagged(one)).rejects.toThrow(HELD);
  scene.time += AGE_MS;
  expect(await scene.tagged(one)).toMatchObject({ digest: one });
});

test("sees an image only at a source that has it", async () => {
  const scene = openScene();
  scene.atSource.delete(one);
  expect([await scene.fetched(one), scene.noted]).toEqual(["absent", 0]);
  scene.time += AGE_MS;
  scene.atSource.add(one);
  await expect(scene.fetched(one)).rejects.toThrow(HELD);
});

const rule: PolicyRule = {
  id: "r1",
  effect: "deny",
  protocol: "oci",
  pattern: "team/*",
  versions: "",
  conditions: {},
  reason: "It mines coins.",
  createdBy: "ada",
  createdAt: new Date(0),
};
const DENIED = /It mines coins/;

test.each([
  ["the repository", rule, [DENIED, DENIED]],
  ["the tag", { ...rule, versions: "latest" }, [DENIED, HELD]],
  ["the digest", { ...rule, versions: one }, [DENIED, DENIED]],
  ["another repository", { ...rule, pattern: "other/*" }, ["allowed", HELD]],
  [
    "an exception for the digest",
    { ...rule, effect: "allow", versions: one },
    ["allowed", "allowed"],
  ],
] as const)("applies a rule about %s", async (_what, only, [byTag, byDigest]) => {
  const outcome = (asked: Promise<unknown>) =>
    asked.then(
      () => "allowed",
      (error: unknown) => (error instanceof Error ? error.message : ""),
    );
  const scene = openScene({ rules: [only] });
  expect(await outcome(scene.fetched(one))).toMatch(byDigest);
  expect(await outcome(scene.tagged(one))).toMatch(byTag);
  expect(scene.stored.size > 0).toBe(byTag === "allowed");
});
