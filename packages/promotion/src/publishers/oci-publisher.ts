import { isCallError } from "@sealhouse/http-responses/outgoing";
import { parseDigest } from "@sealhouse/oci-distribution";
import type { Digest } from "@sealhouse/oci-distribution";
import {
  createCopier,
  isCopyError,
  missingChildren,
  registryTarget,
} from "@sealhouse/oci-distribution/client";
import type {
  CompletedManifests,
  ImageSource,
  OciClient,
  RepositoryClient,
  SourceManifest,
} from "@sealhouse/oci-distribution/client";
import type { ReleaseMember, ServedDigests } from "../model/release.ts";
import type { SignedStatement } from "../statement/release-statement.ts";
import { statementArtifact } from "../statement/statement-artifact.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { MemberContents } from "./contents.ts";
import type { Finding, OutgoingItem, Publisher, SendOutcome, Undone } from "./publisher.ts";
import { attachOnce, hasTags, statementsIn, tagged } from "./repeated-image.ts";
import { settle } from "./settle.ts";
import type { Failure } from "./settle.ts";
import { withdrawTag } from "./withdraw-image.ts";

/** Manifests that releases completed at a target, by repository. */
export interface CompletedImages {
  in(repository: string): CompletedManifests & { drop(): Promise<void> };
}

/** A registry that images are published to. */
export type OciHome = {
  readonly client: OciClient;
  readonly target: Pick<PublishTarget, "endpoint" | "options">;
  readonly contents: Pick<MemberContents, "image">;
  readonly completed: CompletedImages;
};

/** Repositories of a target by the blobs that were sent to them. */
type BlobHomes = Map<string, string>;

/** Publishes to registries of images: content by digest first, tags last. */
export function ociPublisher(home: OciHome): Publisher {
  const blobHomes: BlobHomes = new Map();
  const isFixed = fixedTags(home);
  return {
    isReversible: true,
    isFinal: false,
    // The layers of one image go at once, and the next image finds those that both have.
    namesAtOnce: 1,
    check: (member, signal) => check({ ...home, isFixed }, member, signal),
    carry: (item, signal) => carry({ ...home, blobHomes }, item, signal),
    // Content by digest is there, and no client finds it before its tags.
    publish: async () => ({ status: "done" }),
    look: async () => ({ status: "same" }),
    point: (item, wanted, signal) =>
      attachOnce(statementsAt(home, item.member), { item, statement: wanted }, (statement) =>
        point({ ...home, blobHomes }, item, { statement, signal }),
      ),
    undo: (item, signal) => undo(home, item, signal),
  };
}

/** The repository of a source repository at a target: the path of the endpoint precedes it. */
export function repositoryAtTarget({ endpoint }: Pick<PublishTarget, "endpoint">, name: string) {
  const path = endpoint.pathname.split("/").filter((part) => part !== "");
  return [...path, name].join("/");
}

type IsFixed = (place: RepositoryClient, tag: string, signal: AbortSignal) => Promise<boolean>;

/** Whether a tag that exists never moves. A registry that does not answer that is asked once. */
function fixedTags({ target }: Pick<OciHome, "target">): IsFixed {
  let isAnswered = true;
  return async (place, tag, signal) => {
    if (target.options.immutableTags) return true;
    if (!isAnswered) return false;
    const isImmutable = await place.isImmutable(tag, { signal });
    isAnswered = isImmutable !== undefined;
    return isImmutable === true;
  };
}

async function check(
  home: OciHome & { readonly isFixed: IsFixed },
  member: ReleaseMember,
  signal: AbortSignal,
): Promise<Finding> {
  const sparse = await sparseness(home, member, signal);
  if (sparse !== undefined) return { status: "refused", reason: sparse };
  const place = placeOf(home, member);
  const tags: Record<string, string | null> = {};
  const manifests: Record<string, { readonly type: string; readonly bytes: string }> = {};
  for (const tag of member.tags) {
    const there = await settle(() => tagged(place, { tag, member }, signal), signal);
    if ("status" in there) {
      // A repository that does not exist is refused by some registries.
      if (there.status !== "refused") return there;
      tags[tag] = null;
      continue;
    }
    tags[tag] = there.digest ?? null;
    if (there.manifest) {
      const isFixed = await settle(
        async () => ({ fixed: await home.isFixed(place, tag, signal) }),
        signal,
      );
      if ("status" in isFixed) return isFixed;
      if (isFixed.fixed) return fixedAt(there.manifest.digest, tag);
      const { digest, mediaType: type, bytes } = there.manifest;
      manifests[digest] = { type, bytes: Buffer.from(bytes).toString("base64") };
    }
  }
  const before = { tags, manifests };
  // Content is completed by digest, even if the manifest is there already.
  const absent = { status: "absent", before } as const;
  const completed = home.completed.in(repositoryAtTarget(home.target, member.name));
  const isWhole = hasTags({ member, before }) && (await completed.has(parseDigest(member.version)));
  if (isWhole) return absent;
  const mayPush = await settle(async () => place.tryUpload({ signal }), signal);
  return mayPush ?? absent;
}

/** Targets refuse an index whose children are not there, and another index would have another
 * digest than the signed one. */
async function sparseness(
  { contents }: Pick<OciHome, "contents">,
  member: ReleaseMember,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const missing = await missingChildren(contents.image(member), member.version, { signal });
    if (missing.length === 0) return undefined;
    return `this registry does not have all images of its index: ${missing.join(", ")}`;
  } catch (error) {
    if (!isCopyError(error)) throw error;
    return error.message;
  }
}

function fixedAt(digest: string, tag: string): Finding {
  const reason = `its tag ${tag} is immutable at the target, and points to ${digest}`;
  return { status: "conflict", reason };
}

type Carrier = OciHome & { readonly blobHomes: BlobHomes };

async function carry(home: Carrier, item: OutgoingItem, signal: AbortSignal): Promise<SendOutcome> {
  const { member } = item;
  const completed = home.completed.in(repositoryAtTarget(home.target, member.name));
  const shown = new Set(hasTags(item) ? [member.version] : []);
  const first = await copied(home, member, { completed, shown, sendsAll: false, signal });
  if (first.status !== "refused" || first.isSourceAtFault) return plain(first);
  return complete(home, member, signal);
}

/** The target may have lost what it says that it has: everything is looked for once more. */
async function complete(
  home: Carrier,
  member: ReleaseMember,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const completed = home.completed.in(repositoryAtTarget(home.target, member.name));
  await completed.drop();
  await statementsAt(home, member).drop();
  home.blobHomes.clear();
  return plain(await copied(home, member, { completed, sendsAll: true, signal }));
}

type Copied =
  | { readonly status: "done"; readonly remark?: string }
  | { readonly status: "refused"; readonly reason: string; readonly isSourceAtFault: boolean }
  | Exclude<Failure, { readonly status: "refused" }>;

async function copied(
  home: Carrier,
  { name, version }: ReleaseMember,
  options: {
    readonly completed: CompletedManifests;
    readonly shown?: ReadonlySet<string>;
    readonly sendsAll: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Copied> {
  const { signal } = options;
  const source = home.contents.image({ name, version });
  const repository = repositoryAtTarget(home.target, name);
  const target = registryTarget(home.client, repository);
  const { includeForeign: withForeignLayers } = home.target.options;
  const copier = createCopier(source, target, {
    ...options,
    withForeignLayers,
    blobHome: (digest) => home.blobHomes.get(digest),
    onItem({ kind, digest, outcome }) {
      if (kind === "blob" && outcome !== "foreign") home.blobHomes.set(digest, repository);
    },
  });
  try {
    const sent = await settle(() => copier.copy(version), signal);
    if ("status" in sent) {
      return sent.status === "refused" ? { ...sent, isSourceAtFault: false } : sent;
    }
    const foreign = sent.items.filter(({ outcome }) => outcome === "foreign").length;
    if (foreign === 0) return { status: "done" };
    return { status: "done", remark: `${foreign} layers stay at the place that they name` };
  } catch (error) {
    if (!isCopyError(error)) throw error;
    const isSourceAtFault = error.code !== "unconfirmed";
    return { status: "refused", reason: error.message, isSourceAtFault };
  }
}

function plain(outcome: Copied): SendOutcome {
  if (outcome.status !== "refused") return outcome;
  return { status: "refused", reason: outcome.reason };
}

async function point(
  home: Carrier,
  { member }: OutgoingItem,
  options: PointOptions,
): Promise<SendOutcome> {
  const first = await pointed(home, member, options);
  if (first.status !== "refused" || !MISSING.test(first.reason)) return first;
  const sent = await complete(home, member, options.signal);
  return sent.status === "done" ? pointed(home, member, options) : sent;
}

/** Codes of registries that miss content of a manifest. */
const MISSING = /\b(?:MANIFEST_BLOB_UNKNOWN|BLOB_UNKNOWN|MANIFEST_UNKNOWN|MANIFEST_INVALID)\b/;

type PointOptions = {
  readonly statement: SignedStatement | undefined;
  readonly signal: AbortSignal;
};

/** The statement is attached before the tags move, so that who follows a tag finds it. */
async function pointed(
  home: OciHome,
  member: ReleaseMember,
  { statement, signal }: PointOptions,
): Promise<SendOutcome> {
  const target = registryTarget(home.client, repositoryAtTarget(home.target, member.name));
  const manifest = await manifestOf(home.contents.image(member), member, signal);
  if (!manifest) return { status: "refused", reason: "it no longer exists here" };
  return settle(async () => {
    if (statement) await attach(target, { manifest, statement, signal });
    for (const tag of member.tags) {
      if ((await target.findManifest(tag, { signal })) === manifest.digest) continue;
      await target.putTag(tag, manifest, { signal });
      if (!(await shows(placeOf(home, member), { tag, manifest, signal }))) {
        return refusal(`accepted ${tag}, but does not show it`);
      }
    }
    return { status: "done", served: servedAs(manifest.digest) } as const;
  }, signal);
}

/** Clients check a manifest against its digest. */
function servedAs(digest: Digest): ServedDigests {
  const [algorithm = "", hex = ""] = digest.split(":");
  return algorithm === "sha512" ? { sha512: hex } : { sha256: hex };
}

/** Whether the tag points to the manifest. Some registries do not let those look who may write. */
async function shows(
  place: RepositoryClient,
  wanted: {
    readonly tag: string;
    readonly manifest: SourceManifest;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { tag, manifest, signal } = wanted;
  try {
    return (await place.findManifest(tag, { signal }))?.digest === manifest.digest;
  } catch (error) {
    if (isCallError(error) && (error.status === 403 || error.status === 405)) return true;
    throw error;
  }
}

function refusal(reason: string) {
  return { status: "refused", reason } as const;
}

async function manifestOf(
  source: ImageSource,
  { version }: ReleaseMember,
  signal: AbortSignal,
): Promise<SourceManifest | undefined> {
  return source.manifest(version, { signal });
}

async function attach(
  target: ReturnType<typeof registryTarget>,
  {
    manifest,
    statement,
    signal,
  }: {
    readonly manifest: SourceManifest;
    readonly statement: SignedStatement;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const artifact = statementArtifact(manifest, statement);
  for (const { digest, bytes } of artifact.blobs) {
    if ((await target.findBlob(digest, { signal })) === bytes.length) continue;
    const read = async function* () {
      yield bytes;
    };
    await target.putBlob({ digest, size: bytes.length, read }, { signal });
  }
  if ((await target.findManifest(artifact.manifest.digest, { signal })) !== undefined) return;
  await target.putManifest(artifact.manifest, { signal });
}

/** Tags go back where they pointed, unless another client has moved them since. */
async function undo(home: OciHome, item: OutgoingItem, signal: AbortSignal): Promise<Undone> {
  const place = placeOf(home, item.member);
  const remarks: string[] = [];
  const stuck: string[] = [];
  const entries = Object.entries(item.before?.tags ?? {});
  // Moved tags go back first: a registry may delete an image with all of its tags.
  const ordered = entries.toSorted(([, a], [, b]) => Number(a === null) - Number(b === null));
  for (const [tag, former] of ordered) {
    const done = await settle(() => restoreTag(place, { tag, former, item }, signal), signal);
    if (done.status === "failed" || done.status === "unauthorized") return done;
    if (done.status === "image-deleted") {
      await home.completed.in(repositoryAtTarget(home.target, item.member.name)).drop();
      await statementsAt(home, item.member).drop();
    }
    if (done.status === "left") remarks.push(`${tag} was moved by others, and left`);
    else if (done.status === "refused") stuck.push(`${tag} stays: ${done.reason}`);
  }
  if (stuck.length > 0) return { status: "stuck", reason: stuck.join("; ") };
  return { status: "undone", ...(remarks.length > 0 && { remark: remarks.join("; ") }) };
}

type Restored = { readonly status: "restored" | "left" | "image-deleted" };

async function restoreTag(
  place: ReturnType<OciClient["repository"]>,
  {
    tag,
    former,
    item,
  }: { readonly tag: string; readonly former: string | null; readonly item: OutgoingItem },
  signal: AbortSignal,
): Promise<Restored | Failure> {
  const now = (await place.findManifest(tag, { signal }))?.digest ?? null;
  if (now === former) return { status: "restored" };
  if (now !== item.member.version) return { status: "left" };
  if (former === null) {
    const tags = Object.entries(item.before?.tags ?? {});
    const newTags = new Set(tags.flatMap(([name, before]) => (before === null ? [name] : [])));
    const digest = parseDigest(item.member.version);
    const withdrawn = await withdrawTag(place, { tag, digest, newTags }, signal);
    if (withdrawn.status === "refused") return withdrawn;
    return { status: withdrawn.status === "image" ? "image-deleted" : "restored" };
  }
  const kept = item.before?.manifests?.[former];
  if (!kept) return { status: "refused", reason: `its former manifest ${former} is not kept` };
  const bytes = Buffer.from(kept.bytes, "base64");
  await place.putManifest(tag, { bytes, mediaType: kept.type }, { signal });
  return { status: "restored" };
}

/** Images with a statement at the target. */
function statementsAt({ completed, target }: OciHome, { name }: Pick<ReleaseMember, "name">) {
  return completed.in(statementsIn(repositoryAtTarget(target, name)));
}

function placeOf({ client, target }: OciHome, { name }: Pick<ReleaseMember, "name">) {
  return client.repository(repositoryAtTarget(target, name));
}
