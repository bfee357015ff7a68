import type { NpmClient, NewVersion, RemotePackument } from "@sealhouse/npm-protocol/client";
import type { ReleaseMember, ServedDigests, TargetBefore } from "../model/release.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { MemberContents, NpmMember } from "./contents.ts";
import type { Finding, Found, OutgoingItem, Publisher, SendOutcome, Undone } from "./publisher.ts";
import type { Failure } from "./settle.ts";
import { failureOf, settle } from "./settle.ts";

/** A registry that npm versions are published to. */
export type NpmHome = {
  readonly client: NpmClient;
  readonly target: Pick<PublishTarget, "endpoint" | "options">;
  readonly contents: Pick<MemberContents, "npm">;
};

const FIRST_REMARK = "a first version becomes latest on most registries when it is published";

/** Publishes to npm registries. */
export function npmPublisher(home: NpmHome): Publisher {
  const isFinal = home.target.endpoint.hostname === "registry.npmjs.org";
  const isStaging = home.target.options.publish === "stage";
  return {
    isReversible: isStaging || !isFinal,
    isFinal,
    namesAtOnce: 4,
    check: (member, signal) => check(home, member, signal),
    carry: async (item, signal) => (isStaging ? stage(home, item, signal) : { status: "done" }),
    publish: (item, signal) => publish(home, item, signal),
    look: (item, signal) =>
      item.stageId === undefined
        ? look(home, item.member, signal)
        : lookForStaged(home, item, signal),
    point: (item, _, signal) => point(home, item, signal),
    undo: (item, signal) => undo(home, item, signal),
  };
}

async function check(home: NpmHome, member: ReleaseMember, signal: AbortSignal): Promise<Finding> {
  const packument = await packumentOf(home, member, signal);
  if (packument && "status" in packument) return packument;
  const before = beforeOf(packument, member);
  const found = await foundIn(home, packument, member);
  if (found.status === "same") return { ...found, before };
  if (found.status !== "absent") return { status: "conflict", reason: found.reason };
  return { status: "absent", before, ...(!packument && { remark: FIRST_REMARK }) };
}

function beforeOf(packument: RemotePackument | undefined, { tags }: ReleaseMember): TargetBefore {
  const entries = tags.map((tag) => [tag, packument?.distTags.get(tag) ?? null] as const);
  return { tags: Object.fromEntries(entries) };
}

async function publish(
  home: NpmHome,
  item: OutgoingItem,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const content = await home.contents.npm(item.member);
  if (!content) return { status: "refused", reason: "it no longer exists here" };
  const sendsProvenance = home.target.options.attestations && content.provenance !== undefined;
  const version = newVersion(item, content);
  const sent = await send(
    home,
    sendsProvenance ? withProvenance(version, content) : version,
    signal,
  );
  if (sent.status === "refused" && sendsProvenance) {
    // Some registries refuse the version because of its attestation.
    const bare = await send(home, version, signal);
    if (bare.status === "done") {
      return { ...bare, remark: `without its provenance: ${sent.reason}` };
    }
  }
  if (sent.status === "done" && content.provenance !== undefined && !sendsProvenance) {
    return { ...sent, remark: "without its provenance, which the target is not given" };
  }
  return sent;
}

/** The tag of a staged version is set by its approval. */
async function stage(home: NpmHome, item: OutgoingItem, signal: AbortSignal): Promise<SendOutcome> {
  const content = await home.contents.npm(item.member);
  if (!content) return { status: "refused", reason: "it no longer exists here" };
  const [tag = helperTag(item.release)] = item.member.tags;
  const version = { ...newVersion(item, content), tags: [tag] };
  const staged = await settle(() => home.client.stage(version, { signal }), signal);
  if (staged.status === "staged") return awaitsApproval(staged.stageId);
  if (staged.status === "absent") {
    return { status: "refused", reason: "the target stages no versions of this name" };
  }
  if (staged.status !== "refused") return staged;
  // A request that was cut may have staged it.
  const { name, version: number } = item.member;
  const wanted = { name, version: number, shasum: content.shasum };
  const waiting = await settle(
    async () => ({ id: await home.client.findStaged(wanted, { signal }) }),
    signal,
  );
  if ("status" in waiting) return waiting;
  if (waiting.id !== undefined) return awaitsApproval(waiting.id);
  return { status: "refused", reason: staged.reason };
}

function awaitsApproval(stageId: string): SendOutcome {
  const remark = `waits for approval at the target, as ${stageId}`;
  return { status: "awaiting-approval", stageId, remark };
}

/** A staged version is published, still waits, or was rejected. */
async function lookForStaged(
  home: NpmHome,
  { member, stageId = "" }: OutgoingItem,
  signal: AbortSignal,
): Promise<Found> {
  const found = await look(home, member, signal);
  if (found.status !== "absent") return found;
  const waits = await settle(
    async () => ({ isStaged: await home.client.isStaged(stageId, { signal }) }),
    signal,
  );
  if ("status" in waits) return waits;
  if (waits.isStaged) return { status: "absent" };
  return { status: "refused", reason: "its approval was rejected at the target" };
}

async function send(home: NpmHome, version: NewVersion, signal: AbortSignal): Promise<SendOutcome> {
  const sent = await settle(() => home.client.publish(version, { signal }), signal);
  if (sent.status === "unauthorized" || sent.status === "failed" || sent.status === "refused") {
    return explained(failureOf(sent));
  }
  const { name, tarball } = version;
  const found = await lookFor(home, { name, version: version.version, ...tarball }, signal);
  if (found.status === "same") return { ...found, status: "done" };
  if (found.status === "pending") return { status: "pending" };
  if (found.status !== "absent") return withoutConflict(found);
  // Accepted, or in a race with another publish, and not there: it is sent again.
  const reason = sent.status === "exists" ? sent.reason : "was accepted, but is not there";
  return { status: "lost", reason };
}

/** A server has no one-time password, and the token is not at fault. */
function explained(failure: Failure): Failure {
  if (failure.status !== "unauthorized" || !/one-time pass/i.test(failure.reason)) return failure;
  const way = "use a token that may publish without one, or stage versions with --publish stage";
  return { status: "refused", reason: `${failure.reason}; ${way}` };
}

function withoutConflict(found: Exclude<Found, { status: "absent" | "same" | "pending" }>) {
  if (found.status === "conflict") return { status: "refused", reason: found.reason } as const;
  return found;
}

/** A publish must set a tag: a tag of the release, which its last step removes. */
function newVersion({ member, release }: OutgoingItem, content: NpmMember): NewVersion {
  const { name, version } = member;
  const { manifest, file, integrity, shasum, readme } = content;
  return {
    name,
    version,
    manifest,
    tags: [helperTag(release)],
    tarball: { read: () => file.read(), size: file.size, integrity, shasum },
    ...(readme !== undefined && { readme }),
  };
}

function withProvenance(version: NewVersion, { provenance }: NpmMember): NewVersion {
  return { ...version, ...(provenance !== undefined && { provenance }) };
}

function helperTag(release: string): string {
  return `sealhouse-${release.slice(0, 8)}`;
}

async function look(home: NpmHome, member: ReleaseMember, signal: AbortSignal): Promise<Found> {
  const packument = await packumentOf(home, member, signal);
  if (packument && "status" in packument) return packument;
  return foundIn(home, packument, member);
}

async function foundIn(
  home: NpmHome,
  packument: RemotePackument | undefined,
  member: ReleaseMember,
): Promise<Comparison> {
  if (!packument?.versions.some(({ version }) => version === member.version)) {
    return { status: "absent" };
  }
  const content = await home.contents.npm(member);
  if (!content) return { status: "conflict", reason: "it no longer exists here" };
  return comparison(packument, { version: member.version, ...content });
}

type Comparison =
  | { readonly status: "absent" }
  | { readonly status: "same"; readonly served?: ServedDigests }
  | { readonly status: "conflict"; readonly reason: string };

type Wanted = { readonly version: string; readonly integrity: string; readonly shasum: string };

function comparison(
  packument: RemotePackument,
  { version, integrity, shasum }: Wanted,
): Comparison {
  const there = packument.versions.find((candidate) => candidate.version === version);
  if (!there) return { status: "absent" };
  const { dist } = there;
  const isSame =
    dist.integrity === undefined
      ? dist.shasum === shasum
      : isSameContent(integrity.split(/\s+/), dist.integrity.split(/\s+/));
  if (isSame) return { status: "same", ...servedAs(dist.integrity) };
  return { status: "conflict", reason: "the target has this version with other content" };
}

/** Compares the strongest hashes that both sides state: equal SHA-1 hashes prove little. */
function isSameContent(ours: readonly string[], theirs: readonly string[]): boolean {
  for (const algorithm of ["sha512-", "sha384-", "sha256-", "sha1-"]) {
    const isStated = (hash: string) => hash.startsWith(algorithm);
    if (!ours.some(isStated) || !theirs.some(isStated)) continue;
    return theirs.filter(isStated).every((hash) => ours.includes(hash));
  }
  return false;
}

/** The digest that the registry states, which clients check what it serves against. */
function servedAs(integrity: string | undefined): { readonly served?: ServedDigests } {
  const [, base64] = /(?:^|\s)sha512-([A-Za-z0-9+/=]+)/.exec(integrity ?? "") ?? [];
  if (base64 === undefined) return {};
  return { served: { sha512: Buffer.from(base64, "base64").toString("hex") } };
}

async function lookFor(
  home: NpmHome,
  wanted: Wanted & { readonly name: string },
  signal: AbortSignal,
): Promise<Found> {
  const packument = await packumentOf(home, wanted, signal);
  if (packument && "status" in packument) return packument;
  return packument ? comparison(packument, wanted) : { status: "absent" };
}

async function packumentOf(
  { client }: NpmHome,
  { name }: { readonly name: string },
  signal: AbortSignal,
): Promise<RemotePackument | Failure | undefined> {
  const found = await settle(() => client.packument(name, { signal }), signal);
  if (!found || found.status !== "found") {
    return found?.status === "unchanged" ? undefined : found;
  }
  return found.packument;
}

/** Sets the tags, then removes the tag of the release. */
async function point(
  home: NpmHome,
  { member, release }: OutgoingItem,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { name, version, tags } = member;
  const there = await settle(
    async () => ({ tags: await home.client.distTags(name, { signal }) }),
    signal,
  );
  if ("status" in there) return there;
  for (const tag of tags) {
    if (there.tags?.get(tag) === version) continue;
    const set = await settle(
      () => home.client.setDistTag({ name, version, tag }, { signal }),
      signal,
    );
    if (set.status === "absent") return { status: "failed", reason: "the package is not there" };
    if (set.status !== "changed") return failureOf(set);
  }
  const oldTag = { name, tag: helperTag(release) };
  // Not every registry lists its tags.
  if (there.tags && !there.tags.has(oldTag.tag)) return { status: "done" };
  const removed = await settle(() => home.client.removeDistTag(oldTag, { signal }), signal);
  if (removed.status === "failed" || removed.status === "unauthorized") return failureOf(removed);
  if (removed.status !== "refused") return { status: "done" };
  return { status: "done", remark: `the tag ${oldTag.tag} stays: ${removed.reason}` };
}

/** Tags first, unless another client has moved them since; then the version. */
async function undo(home: NpmHome, item: OutgoingItem, signal: AbortSignal): Promise<Undone> {
  const { member, wasThere, stageId } = item;
  if (stageId !== undefined) {
    const rejected = await settle(() => home.client.rejectStaged(stageId, { signal }), signal);
    if (rejected.status === "failed" || rejected.status === "unauthorized") return rejected;
  }
  const packument = await packumentOf(home, member, signal);
  if (packument && "status" in packument) return stuckOr(packument);
  if (!packument) return { status: "undone" };
  const restored = await restoreTags(home, { item, packument }, signal);
  if (restored.status !== "undone" || wasThere) return restored;
  if (isOfOthers(packument, member)) {
    return { status: "undone", remark: "others published other content as this version; left" };
  }
  const removal = { name: member.name, versions: [member.version] };
  const removed = await settle(() => home.client.unpublish(removal, { signal }), signal);
  if (removed.status === "changed" || removed.status === "absent") return restored;
  return stuckOr(failureOf(removed));
}

/** By the frozen digest: the member may no longer exist here. */
function isOfOthers({ versions }: RemotePackument, { version, received }: ReleaseMember): boolean {
  const there = versions.find((candidate) => candidate.version === version)?.dist.integrity;
  const ours = `sha512-${Buffer.from(received.sha512, "hex").toString("base64")}`;
  return there !== undefined && !there.split(" ").includes(ours);
}

async function restoreTags(
  home: NpmHome,
  { item, packument }: { readonly item: OutgoingItem; readonly packument: RemotePackument },
  signal: AbortSignal,
): Promise<Undone> {
  const { member, before, release } = item;
  const { name, version } = member;
  const moved: string[] = [];
  const tags = { ...before?.tags, [helperTag(release)]: null };
  for (const [tag, former] of Object.entries(tags)) {
    const now = packument.distTags.get(tag);
    if (now === undefined || now === former) continue;
    if (now !== version) {
      moved.push(tag);
      continue;
    }
    const set = await settle(() => restoreTag(home, { name, tag, former }, signal), signal);
    // A refusal is right for `latest`, which cannot be removed: deleting the version moves it.
    if (set.status === "failed" || set.status === "unauthorized") return set;
  }
  if (moved.length === 0) return { status: "undone" };
  return { status: "undone", remark: `${moved.join(", ")} was moved by others, and left` };
}

function restoreTag(
  { client }: NpmHome,
  { name, tag, former }: { name: string; tag: string; former: string | null },
  signal: AbortSignal,
) {
  if (former === null) return client.removeDistTag({ name, tag }, { signal });
  return client.setDistTag({ name, version: former, tag }, { signal });
}

function stuckOr(failure: Failure): Undone {
  if (failure.status !== "refused") return failure;
  return { status: "stuck", reason: `it stays at the target: ${failure.reason}` };
}
