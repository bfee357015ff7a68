import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import { STATEMENT_TYPE } from "../statement/release-statement.ts";
import type { OutgoingItem } from "./publisher.ts";
import {
  lostLayer,
  memberOfImage,
  openImages,
  push,
  refusal,
} from "./scripted-images.test.support.ts";

// Stand-ins: a registry in memory that now and then answers as another product would.

const LAYER = "the layer of all";
const IMAGE = buildImage({ config: "{}", layers: [LAYER] });
const OLD = buildImage({ config: '{"old":1}', layers: [LAYER] });
const OTHER = buildImage({ config: '{"other":1}', layers: [LAYER] });
const LAYER_DIGEST = IMAGE.blobs[1]?.digest ?? "";
const MEMBER = memberOfImage("app", IMAGE, "1.0");

/** A manifest about an image. */
function referrerOf({ descriptor }: TestManifest, annotations: Record<string, string>) {
  return buildImage({ subject: descriptor, layers: [LAYER], annotations });
}

/** A release of one image. */
async function openOne() {
  const opened = openImages([MEMBER]);
  await push(opened.from.client, "app", { image: IMAGE });
  return opened;
}

const isManifestPut = (call: string) => call.startsWith("PUT") && call.includes("/manifests/");
const isTagPut = (call: string) => isManifestPut(call) && !call.includes("sha256");
const isUploadEnd = (call: string) => call.startsWith("PUT") && call.includes("/uploads/");

/** Answers `times` calls that fit. */
function answering(fits: (call: string) => boolean, answer: () => Response, times = Infinity) {
  let count = 0;
  return (call: string) => (fits(call) && count++ < times ? answer() : undefined);
}

type Case = {
  readonly case: string;
  readonly instead: (call: string) => Response | undefined;
  readonly ends: "released" | "failed" | "rolled-back";
  readonly reason?: string;
};

const CASES: readonly Case[] = [
  ...[400, 409, 412].map((status): Case => ({
    case: `a tag that cannot be changed: ${status}`,
    instead: answering(isTagPut, () => refusal(status, "TAG_INVALID", "tag is immutable")),
    ends: "rolled-back",
    reason: "tag is immutable",
  })),
  {
    case: "a repository that must exist before",
    instead: answering(
      (call) => call.startsWith("POST"),
      () => refusal(404, "NAME_UNKNOWN", "The repository does not exist"),
    ),
    ends: "failed",
    reason: "The repository does not exist",
  },
  {
    case: "blobs that the registry says it misses, once",
    instead: answering(isManifestPut, () => refusal(400, "MANIFEST_BLOB_UNKNOWN"), 1),
    ends: "released",
  },
  {
    case: "missing blobs as MANIFEST_INVALID, once",
    instead: answering(isManifestPut, () => refusal(400, "MANIFEST_INVALID"), 1),
    ends: "released",
  },
  {
    case: "missing blobs as MANIFEST_INVALID, always",
    instead: answering(isManifestPut, () => refusal(400, "MANIFEST_INVALID", "no")),
    ends: "rolled-back",
    reason: "MANIFEST_INVALID",
  },
  {
    case: "a full registry that is emptied in time",
    instead: answering(isUploadEnd, () => refusal(507), 12),
    ends: "released",
  },
  {
    case: "a full registry",
    instead: answering(isUploadEnd, () => refusal(507)),
    ends: "rolled-back",
    reason: "507",
  },
  {
    case: "a registry that accepts a tag and does not keep it",
    instead: answering(isTagPut, () => new Response(null, { status: 201 })),
    ends: "rolled-back",
    reason: "accepted 1.0, but does not show it",
  },
];

test.each(CASES)("$case: the release is $ends", async ({ instead, ends, reason = "" }) => {
  const { to, open } = await openOne();
  to.instead = instead;
  const release = open();
  await release.open();
  const ended = await release.runToEnd();
  expect([ended.state, ended.reason ?? ""]).toEqual([ends, expect.stringContaining(reason)]);
  const tag = await to.client.repository("mirror/app").findManifest("1.0");
  expect(tag?.digest).toBe(ends === "released" ? IMAGE.digest : undefined);
});

test.each(["1.0", "2.0"])(
  "a layer that the target lost is sent again; next tag: %s",
  async (tag) => {
    const { to, open } = await openOne();
    const first = open();
    await first.open();
    expect((await first.runToEnd()).state).toBe("released");
    to.instead = lostLayer(LAYER_DIGEST);
    to.seen.length = 0;
    const second = open([memberOfImage("app", IMAGE, tag)]);
    await second.open();
    expect((await second.runToEnd()).state).toBe("released");
    // The same tag needs no write, so nothing shows that the layer is missing.
    const isHealed = to.seen.some((call) => isUploadEnd(call));
    expect(isHealed).toBe(tag === "2.0");
  },
);

test("a cache that claims to have the children of an index gets them", async () => {
  const children = [IMAGE, OTHER];
  const index = buildIndex(children);
  const { from, to, open } = openImages([memberOfImage("app", index, "1.0")]);
  for (const image of children) await push(from.client, "app", { image });
  await push(from.client, "app", { image: index });
  const stored = new Set<string>();
  to.instead = (call) => {
    const [, digest = ""] = /\/manifests\/(sha256:\w+)$/.exec(call) ?? [];
    const isChild = children.some((child) => child.digest === digest);
    if (isChild && call.startsWith("PUT")) stored.add(digest);
    if (isChild && call.startsWith("HEAD") && !stored.has(digest)) {
      return new Response(null, { headers: { "docker-content-digest": digest } });
    }
    const isIndexPut = digest === index.digest && call.startsWith("PUT");
    return isIndexPut && stored.size < 2 ? refusal(400, "MANIFEST_UNKNOWN") : undefined;
  };
  const release = open();
  await release.open();
  expect((await release.runToEnd()).state).toBe("released");
  expect(stored.size).toBe(2);
});

test.each([
  ["taken", 1],
  ["refused", 10],
])("ten repositories with one layer; mounts are %s", async (way, uploads) => {
  const members = Array.from({ length: 10 }, (_, at) => memberOfImage(`app${at}`, IMAGE, "1.0"));
  const { from, to, open } = openImages(members);
  for (const { name } of members) await push(from.client, name, { image: IMAGE });
  const isMount = (call: string) => call.includes("mount=");
  if (way === "refused") to.instead = answering(isMount, () => refusal(403, "DENIED"));
  const release = open();
  await release.open();
  expect((await release.runToEnd()).state).toBe("released");
  const layer = LAYER_DIGEST.replace(":", "%3A");
  const sent = to.seen.filter((call) => isUploadEnd(call) && call.includes(layer));
  expect(sent).toHaveLength(uploads);
  expect(to.seen.filter((call) => isMount(call) && call.includes(layer))).toHaveLength(9);
});

test("a second release asks for tags and children, and sends nothing", async () => {
  const index = buildIndex([IMAGE, OTHER]);
  const { from, to, open } = openImages([memberOfImage("app", index, "1.0")]);
  for (const image of [IMAGE, OTHER, index]) await push(from.client, "app", { image });
  for (const isFirst of [true, false]) {
    to.seen.length = 0;
    const release = open();
    await release.open();
    expect((await release.runToEnd()).state).toBe("released");
    if (isFirst) continue;
    // The tag is read before the release and in its last step.
    const references = ["1.0", IMAGE.digest, OTHER.digest, "1.0"];
    expect(to.seen).toEqual(references.map((name) => `HEAD /v2/mirror/app/manifests/${name}`));
  }
});

test("a tag that moves at the source does not move what was frozen", async () => {
  const { from, to, open } = await openOne();
  await push(from.client, "app", { image: OTHER, tags: ["1.0"] });
  const release = open();
  await release.open();
  expect((await release.runToEnd()).state).toBe("released");
  const there = await to.client.repository("mirror/app").findManifest("1.0");
  expect(there?.digest).toBe(IMAGE.digest);
});

const ACR = /^GET \/acr\/v1\/mirror\/app\/_tags\/1\.0$/;
const HARBOR = /^GET \/api\/v2\.0\/projects\/mirror\/repositories\/app\/artifacts\/1\.0\/tags\?/;
const azure = (writeEnabled: boolean) => ({ tag: { changeableAttributes: { writeEnabled } } });
const harbor = (immutable: boolean) => [
  { name: "2.0", immutable: true },
  { name: "1.0", immutable },
];

test.each([
  { case: "Azure Container Registry: locked", at: ACR, says: azure(false), isRefused: true },
  { case: "Azure Container Registry: free", at: ACR, says: azure(true), isRefused: false },
  { case: "Harbor: immutable by a rule", at: HARBOR, says: harbor(true), isRefused: true },
  { case: "Harbor: free", at: HARBOR, says: harbor(false), isRefused: false },
  { case: "a registry that does not answer", at: /never/, says: {}, isRefused: false },
  { case: "a target whose operator knows it", at: /never/, says: {}, isRefused: true },
])("$case: refused before the first byte: $isRefused", async (fixed) => {
  const immutableTags = fixed.at.source === "never" && fixed.isRefused;
  const { from, to, open } = openImages([MEMBER], { options: { immutableTags } });
  await push(from.client, "app", { image: IMAGE });
  await push(to.client, "mirror/app", { image: OLD, tags: ["1.0"] });
  to.instead = (call) => (fixed.at.test(call) ? Response.json(fixed.says) : undefined);
  to.seen.length = 0;
  const release = open();
  await release.open();
  const { state, reason = "" } = await release.runToEnd();
  expect(state).toBe(fixed.isRefused ? "failed" : "released");
  if (!fixed.isRefused) return;
  expect(reason).toContain("its tag 1.0 is immutable at the target");
  expect(to.seen.filter((call) => !/^(?:HEAD|GET) /.test(call))).toEqual([]);
});

/** An image with a new and a moved tag, carried and pointed; and the item to undo it with. */
async function pointed() {
  const member = { ...MEMBER, tags: ["new", "moved"] };
  const opened = openImages([member]);
  const { from, to, publisher } = opened;
  await push(from.client, "app", { image: IMAGE });
  await push(to.client, "mirror/app", { image: OLD, tags: ["moved", "stays"] });
  const { signal } = new AbortController();
  const at = publisher();
  const finding = await at.check(member, signal);
  if (!("before" in finding)) throw new Error(finding.reason);
  const { before } = finding;
  const item: OutgoingItem = { member, before, wasThere: false, mayBeThere: false, release: "r1" };
  expect(await at.carry(item, signal)).toEqual({ status: "done" });
  const served = { sha256: IMAGE.digest.slice("sha256:".length) };
  expect(await at.point(item, undefined, signal)).toEqual({ status: "done", served });
  const place = to.client.repository("mirror/app");
  const tags = async () => {
    const found = ["new", "moved", "stays"].map(async (tag) => place.findManifest(tag));
    return (await Promise.all(found)).map((there) => there?.digest);
  };
  return { to, place, tags, undo: () => at.undo(item, signal) };
}

test("undoing restores a tag, and deletes a new one", async () => {
  const { tags, undo } = await pointed();
  expect(await tags()).toEqual([IMAGE.digest, IMAGE.digest, OLD.digest]);
  expect(await undo()).toEqual({ status: "undone" });
  expect(await tags()).toEqual([undefined, OLD.digest, OLD.digest]);
});

test("undoing leaves a tag that others moved", async () => {
  const { to, tags, undo } = await pointed();
  await push(to.client, "mirror/app", { image: OTHER, tags: ["moved"] });
  expect(await undo()).toMatchObject({ remark: "moved was moved by others, and left" });
  expect(await tags()).toEqual([undefined, OTHER.digest, OLD.digest]);
});

/** Answers of registries that delete no tags. */
const NO_TAGS = [
  [400, "DIGEST_INVALID"],
  [405, "UNSUPPORTED"],
] as const;
const isTagDelete = (call: string) => /^DELETE .*\/manifests\/(?!sha256:)/.test(call);

test.each(NO_TAGS)(
  "a registry that answers %i to the tag loses the image by digest",
  async (...no) => {
    const { to, place, tags, undo } = await pointed();
    to.instead = answering(isTagDelete, () => refusal(...no));
    const signature = referrerOf(IMAGE, {});
    const annotations = { "dev.sigstore.bundle.predicateType": STATEMENT_TYPE };
    const statement = referrerOf(IMAGE, annotations);
    const index = buildIndex([signature, statement]);
    const listed = JSON.parse(Buffer.from(index.bytes).toString()) as { manifests: object[] };
    Object.assign(listed.manifests[1] ?? {}, { annotations });
    const fallback = IMAGE.digest.replace(":", "-");
    for (const image of [signature, statement]) await push(to.client, "mirror/app", { image });
    const bytes = Buffer.from(JSON.stringify(listed));
    await place.putManifest(fallback, { ...index, bytes });
    expect(await undo()).toEqual({ status: "undone" });
    expect(await tags()).toEqual([undefined, OLD.digest, OLD.digest]);
    expect(await place.findManifest(IMAGE.digest)).toBeUndefined();
    expect(await place.findManifest(statement.digest)).toBeUndefined();
    const left = JSON.parse(Buffer.from((await place.manifest(fallback))?.bytes ?? "").toString());
    expect(left.manifests).toMatchObject([{ digest: signature.digest }]);
    expect(await undo()).toEqual({ status: "undone" });
  },
);

test.each(NO_TAGS)("a registry that answers %i keeps an image of other tags", async (...no) => {
  const { to, tags, undo } = await pointed();
  to.instead = answering(isTagDelete, () => refusal(...no));
  await push(to.client, "mirror/app", { image: IMAGE, tags: ["others"] });
  const undone = await undo();
  expect(undone).toMatchObject({ status: "stuck" });
  expect("reason" in undone && undone.reason).toContain("new stays: the registry deletes only");
  expect("reason" in undone && undone.reason).toContain("others points to the same image");
  expect(await tags()).toEqual([IMAGE.digest, OLD.digest, OLD.digest]);
  expect(to.seen.filter((call) => /^DELETE .*sha256:/.test(call))).toEqual([]);
});

test("a registry without any deletion keeps the new tag", async () => {
  const { to, tags, undo } = await pointed();
  to.instead = answering(
    (call) => call.startsWith("DELETE"),
    () => refusal(405, "UNSUPPORTED"),
  );
  expect(await undo()).toMatchObject({
    status: "stuck",
    reason: expect.stringMatching(/new stays/),
  });
  expect(await tags()).toEqual([IMAGE.digest, OLD.digest, OLD.digest]);
});
