import { setTimeout as pause } from "node:timers/promises";
import { lowerVersion } from "@sealhouse/nuget-protocol";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import type { ReleaseMember } from "../model/release.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { MemberContents, MemberFile, NuGetMember } from "./contents.ts";
import type { Finding, Found, OutgoingItem, Publisher, SendOutcome, Undone } from "./publisher.ts";
import { samePackage } from "./same-package.ts";
import type { Failure } from "./settle.ts";
import { failureOf, settle } from "./settle.ts";

/** A feed that packages are published to. Without a service index nothing can be read from it. */
export type NuGetHome = {
  readonly client: NuGetClient;
  readonly hasIndex: boolean;
  readonly target: Pick<PublishTarget, "endpoint" | "options">;
  readonly contents: Pick<MemberContents, "nuget">;
  /** Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

type There = Found | Failure;

/** Milliseconds between looks for a version that was just accepted. */
const LOOKS_MS = [0, 200, 800, 2000];

/** Publishes to NuGet feeds. */
export function nugetPublisher(home: NuGetHome): Publisher {
  const isFinal = /(?:^|\.)nuget\.org$/.test(home.target.endpoint.hostname);
  return {
    isReversible: !isFinal,
    isFinal,
    namesAtOnce: 4,
    check: (member, signal) => check(home, member, signal),
    // Packages have no invisible content.
    carry: async () => ({ status: "done" }),
    publish: (item, signal) => publish(home, item, signal),
    look: async ({ member }, signal) => look(home, member, signal),
    point: ({ member }, _, signal) => pushSymbols(home, member, signal),
    undo: (item, signal) => undo(home, item, signal),
  };
}

async function check(
  home: NuGetHome,
  member: ReleaseMember,
  signal: AbortSignal,
): Promise<Finding> {
  const before = { tags: {} };
  if (!home.hasIndex) {
    const remark = "the target has no service index, so its versions cannot be compared";
    return { status: "absent", before, remark };
  }
  const push = await settle(() => home.client.resource("push", { signal }), signal);
  if (push === undefined) {
    return { status: "refused", reason: "the target is a static feed, which takes no packages" };
  }
  if (typeof push !== "string") return push;
  const reason = strangePushAddress(home.target, push);
  if (reason !== undefined) return { status: "refused", reason };
  const there = await look(home, member, signal);
  if (there.status === "absent" || there.status === "same") {
    return { ...there, before };
  }
  return there.status === "pending" ? { status: "absent", before } : there;
}

/** Packages go only to the host of the target, and to those that its operator allows. */
export function strangePushAddress(
  { endpoint, options }: NuGetHome["target"],
  push: string,
): string | undefined {
  const { origin } = new URL(push);
  if (origin === endpoint.origin || options.allowedOrigins.includes(origin)) return undefined;
  const allowing = `allow it with --allowed-origin ${origin}`;
  return `its service index sends packages to another host; ${allowing}`;
}

async function publish(
  home: NuGetHome,
  { member, mayBeThere }: OutgoingItem,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const content = await contentOf(home, member);
  if (!content) return { status: "refused", reason: "it no longer exists here" };
  const sent = await settle(() => home.client.push(content.file, { signal }), signal);
  if (sent.status === "pushed") return confirm(home, member, signal);
  if (sent.status !== "exists") return failureOf(sent);
  const there = await look(home, member, signal);
  if (there.status === "same") return { ...there, status: "done" };
  if (there.status === "conflict") return { status: "refused", reason: there.reason };
  if (there.status === "pending") return { status: "pending" };
  if (there.status !== "absent") return there;
  // An earlier attempt may have been accepted, and is read by the target now.
  if (mayBeThere && home.hasIndex) return { status: "pending" };
  const words = "the target says that it has the version, or reserves its id, and shows none";
  return { status: "refused", reason: sent.reason ?? words };
}

/** Some feeds accept a package before they read it, and show it later or never. */
async function confirm(
  home: NuGetHome,
  member: ReleaseMember,
  signal: AbortSignal,
): Promise<SendOutcome> {
  if (!home.hasIndex) {
    return { status: "done", remark: "was accepted, and cannot be read back" };
  }
  for (const waitMs of LOOKS_MS) {
    await (home.wait ?? waitFor)(waitMs, signal);
    const there = await look(home, member, signal);
    if (there.status === "same") return { ...there, status: "done" };
    if (there.status === "conflict") return { status: "refused", reason: there.reason };
  }
  return { status: "pending" };
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return pause(ms, undefined, { signal });
}

/** Compares contents: equal bytes, or equal entries under another signature. */
async function look(home: NuGetHome, member: ReleaseMember, signal: AbortSignal): Promise<There> {
  if (!home.hasIndex) return { status: "absent" };
  const { name: id, version } = member;
  const versions = await settle(() => home.client.versions(id, { signal }), signal);
  if (versions === undefined) return { status: "absent" };
  if (isFailure(versions)) return versions;
  if (!versions.includes(lowerVersion(version) ?? version)) return { status: "absent" };
  const content = await contentOf(home, member);
  if (!content) return { status: "refused", reason: "it no longer exists here" };
  return settle(() => compare(home, member, { content, signal }), signal);
}

async function compare(
  { client }: NuGetHome,
  member: ReleaseMember,
  { content, signal }: { readonly content: NuGetMember; readonly signal: AbortSignal },
): Promise<Found> {
  const { name: id, version, received, sealed } = member;
  await using download = await client.package({ id, version }, { signal });
  // It is listed, but its file is not there yet.
  if (!download) return { status: "pending" };
  const known = [received.sha512, ...(sealed ? [sealed.sha512] : [])];
  const served = await samePackage(download.body, { known, ours: content.file });
  if (served) return { status: "same", served };
  return { status: "conflict", reason: "the target has this version with other content" };
}

/** Symbols are taken only after their package is readable. */
async function pushSymbols(
  home: NuGetHome,
  member: ReleaseMember,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const content = await contentOf(home, member);
  const { symbols } = content ?? {};
  if (!symbols || !home.hasIndex) return { status: "done" };
  const endpoint = await settle(() => home.client.resource("symbols", { signal }), signal);
  if (endpoint === undefined) {
    return { status: "done", remark: "without symbols, which the target does not take" };
  }
  if (typeof endpoint !== "string") return endpoint;
  if (strangePushAddress(home.target, endpoint) !== undefined) {
    return { status: "done", remark: "without symbols, which go to another host" };
  }
  const sent = await settle(() => home.client.pushSymbols(symbols, { signal }), signal);
  if (sent.status === "pushed" || sent.status === "exists") return { status: "done" };
  // The feed still validates the package.
  if ("httpStatus" in sent && sent.httpStatus === 404) return { ...sent, status: "failed" };
  return failureOf(sent);
}

async function undo(
  home: NuGetHome,
  { member, wasThere, mayBeThere }: OutgoingItem,
  signal: AbortSignal,
): Promise<Undone> {
  if (wasThere) return { status: "undone" };
  if (!home.hasIndex && mayBeThere) {
    // It may be the version of others.
    return { status: "stuck", reason: "whether the target has it from this release is unknown" };
  }
  const there = await look(home, member, signal);
  if (there.status === "conflict") return { status: "undone", remark: `${there.reason}; left` };
  const { client } = home;
  const { name: id, version } = member;
  const removed = await settle(() => client.delete({ id, version }, { signal }), signal);
  if (removed.status === "changed") {
    return { status: "undone", remark: "unlisted or deleted; the version may stay restorable" };
  }
  if (removed.status === "absent") return { status: "undone" };
  const failure = failureOf(removed);
  if (failure.status !== "refused") return failure;
  return { status: "stuck", reason: `it stays at the target: ${failure.reason}` };
}

function contentOf(home: NuGetHome, member: ReleaseMember): Promise<NuGetMember | undefined> {
  return home.contents.nuget(member, home.target.options.nugetContent);
}

function isFailure(value: object): value is Failure {
  const { status } = value as { status?: unknown };
  return status === "failed" || status === "unauthorized" || status === "refused";
}

export type { MemberFile };
