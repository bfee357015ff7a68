import { randomUUID } from "node:crypto";
import type { KeyRing } from "@sealhouse/identity";
import type { Leases } from "@sealhouse/jobs";
import type { RegistryEvent } from "@sealhouse/events";
import type { Caller, Protocol } from "@sealhouse/request-types";
import type { PackageGroup } from "./group/package-group.ts";
import type { GroupRows } from "./group/ports.ts";
import { resolveGroup } from "./group/resolve-group.ts";
import { registryMembers } from "./members/registry-members.ts";
import type { MemberPorts } from "./members/registry-members.ts";
import { repositoryAtTarget } from "./publishers/oci-publisher.ts";
import { statementsIn } from "./publishers/repeated-image.ts";
import type { CompletedImages } from "./publishers/oci-publisher.ts";
import type { Finding, Publisher, TargetProbe } from "./publishers/publisher.ts";
import { itemsOf } from "./release/freeze-release.ts";
import type { ReleasePlan } from "./release/freeze-release.ts";
import type { OpenedRelease, ReleaseControl, ReleaseRows, StatementRows } from "./release/ports.ts";
import type { ReleaseParts, ResolvedMembers } from "./release/release-parts.ts";
import { membersOf } from "./release/release.ts";
import type { Release, ReleaseItem } from "./release/release.ts";
import { runRelease } from "./release/run-release.ts";
import { releaseStatement } from "./statement/release-statement.ts";
import { signStatement } from "./statement/sign-statement.ts";
import type { StatementKey } from "./statement/sign-statement.ts";
import type { SyndicationRows } from "./syndication/ports.ts";
import { syndicateEvents } from "./syndication/syndication-consumer.ts";
import { openPublisher } from "./target/open-publisher.ts";
import { probeTarget } from "./target/probe-target.ts";
import type { TargetRows } from "./target/ports.ts";
import { targetNamed } from "./target/publish-target.ts";
import type { PublishTarget } from "./target/publish-target.ts";
import { openStoredTargets } from "./target/stored-targets.ts";
import type { StoredTargets } from "./target/stored-targets.ts";
import { openTargetFetch } from "./target/target-fetch.ts";
import type { OpenFetch } from "./target/target-fetch.ts";

/** Parts of a registry that promotion needs. */
export type PromotionParts = {
  readonly rows: {
    readonly targets: TargetRows;
    readonly groups: GroupRows;
    readonly syndications: SyndicationRows;
    readonly releases: ReleaseRows;
    readonly control: ReleaseControl;
    readonly statements: StatementRows;
    /** Manifests that are complete at an endpoint. */
    readonly completed: (endpoint: string) => CompletedImages;
  };
  readonly members: MemberPorts;
  /** Whether a name is published here, and does not come from a package source. */
  readonly isOwn: (protocol: Protocol, name: string) => Promise<boolean>;
  readonly keyRing: Pick<KeyRing, "protect" | "unprotect">;
  readonly leases: Leases;
  /** The key of the statements of the moment. */
  readonly statementKey: () => Promise<StatementKey>;
  readonly openFetch: OpenFetch;
  /** Public address of this registry. */
  readonly feed: string;
  readonly now: () => Date;
};

/** A release to open by hand. */
export type PromotionRequest = {
  readonly group: string;
  /** Names of targets; default: all of the group. */
  readonly targets?: readonly string[] | undefined;
  /** A repeated request with the same key finds the release of the first. Default: a new one. */
  readonly key?: string | undefined;
  /** Looks for every layer at the targets, even of images that earlier releases completed. */
  readonly verifies?: boolean;
};

/** A member at a target, as the check before a release finds it. */
export type PlannedItem = { readonly item: ReleaseItem; readonly finding: Finding };

/** The members and targets of a release that would be opened, or why none would be. */
export type PromotionPlan =
  | { readonly status: "planned"; readonly items: readonly PlannedItem[] }
  | { readonly status: "refused"; readonly reason: string };

/** Publishing to other registries. */
export type Promotion = {
  readonly targets: StoredTargets;
  readonly groups: GroupRows;
  readonly syndications: SyndicationRows;
  readonly releases: ReleaseRows & ReleaseControl;
  readonly statements: StatementRows;
  /** Opens a release; `run` brings it to its end. `absent`: there is no such group or target. */
  promote(
    request: PromotionRequest,
    caller: Caller,
  ): Promise<OpenedRelease | { readonly status: "absent"; readonly reason: string }>;
  /** Opens a release with the members of an earlier one, to the same targets or to others. */
  repeat(
    id: string,
    options: Pick<PromotionRequest, "targets">,
    caller: Caller,
  ): Promise<OpenedRelease | { readonly status: "absent"; readonly reason: string }>;
  /** Chooses members and asks the targets about them, and changes nothing. */
  plan(request: PromotionRequest, signal: AbortSignal): Promise<PromotionPlan>;
  /** Opens releases for uploads, by their events. */
  syndicate(events: readonly RegistryEvent[]): Promise<void>;
  /** Brings a release as far as it goes now. False when another instance works on it. */
  run(id: string, signal: AbortSignal): Promise<boolean>;
  probe(
    target: PublishTarget,
    options: { readonly repository?: string },
    signal: AbortSignal,
  ): Promise<TargetProbe>;
};

/** Opens promotion. It needs no closing. */
export function openPromotion(parts: PromotionParts): Promotion {
  const { rows, keyRing } = parts;
  const { targets: targetRows, groups, releases, control, statements } = rows;
  const targets = openStoredTargets(targetRows, keyRing);
  const { catalog, contents } = registryMembers(parts.members);
  const publisherOf = (target: PublishTarget): Publisher =>
    openPublisher(target, {
      fetch: openTargetFetch(target, parts.openFetch),
      contents,
      completed: rows.completed(target.endpoint.href),
    });
  const probe: Promotion["probe"] = (target, options, signal) =>
    probeTarget(target, { ...options, fetch: openTargetFetch(target, parts.openFetch) }, signal);
  const resolve = async ({ group }: Pick<Release, "group">): Promise<ResolvedMembers> => {
    const found = groupNamed(await groups.list(), group);
    if (!found) return { status: "refused", reason: `There is no group ${group}.` };
    return resolveGroup(catalog, found);
  };
  const releaseParts: ReleaseParts = {
    rows: releases,
    catalog,
    resolve,
    targets,
    publisherOf,
    probe: (target, signal) => probe(target, {}, signal),
    sign: async (release, all) => {
      const previous = await statements.newestDigest(release.group);
      const surroundings = { feed: parts.feed, previous, signedAt: parts.now() };
      const statement = releaseStatement(release, all, surroundings);
      return signStatement(statement, await parts.statementKey());
    },
    statement: (id) => statements.find(id),
    leases: parts.leases,
    now: parts.now,
    random: Math.random,
  };
  return {
    targets,
    groups,
    syndications: rows.syndications,
    syndicate: syndicateEvents({
      rows: rows.syndications,
      groups,
      targets,
      releases,
      catalog,
      isOwn: parts.isOwn,
    }),
    releases: { ...releases, ...control },
    statements,
    repeat: (id, options, caller) => repeat({ targets, releases }, { id, ...options }, caller),
    async promote(request, caller) {
      if (request.verifies) await forgetCompleted(rows, { ...releaseParts, groups }, request);
      return promote({ groups, targets, releases }, request, caller);
    },
    plan: (request, signal) => plan({ ...releaseParts, groups }, request, signal),
    run: (id, signal) => runRelease(releaseParts, id, signal),
    probe,
  };
}

/** Names differ without regard to letter case. */
export function groupNamed(
  groups: readonly PackageGroup[],
  name: string,
): PackageGroup | undefined {
  return groups.find((group) => group.name.toLowerCase() === name.toLowerCase());
}

type Chosen =
  | {
      readonly status: "chosen";
      readonly group: PackageGroup;
      readonly targets: readonly string[];
    }
  | { readonly status: "absent"; readonly reason: string };

async function choose(
  {
    groups,
    targets,
  }: Pick<Promotion, "groups"> & { readonly targets: Pick<StoredTargets, "list"> },
  request: PromotionRequest,
): Promise<Chosen> {
  const group = groupNamed(await groups.list(), request.group);
  if (!group) return { status: "absent", reason: `There is no group ${request.group}.` };
  const stored = await targets.list();
  const chosen: string[] = [];
  for (const name of request.targets ?? group.targets) {
    const target = targetNamed(stored, name);
    if (!target) return { status: "absent", reason: `There is no target ${name}.` };
    chosen.push(target.name);
  }
  if (chosen.length > 0) return { status: "chosen", group, targets: chosen };
  return { status: "absent", reason: `The group ${group.name} has no targets.` };
}

async function promote(
  ports: Pick<Promotion, "groups" | "targets"> & { readonly releases: ReleaseRows },
  request: PromotionRequest,
  caller: Caller,
): Promise<OpenedRelease | Extract<Chosen, { status: "absent" }>> {
  const chosen = await choose(ports, request);
  if (chosen.status === "absent") return chosen;
  const { group, targets } = chosen;
  const id = randomUUID();
  const { key = id } = request;
  const lane = laneOf(group.name);
  return ports.releases.open(
    { id, key, lane, group: group.name, kind: "promotion", targets },
    caller,
  );
}

type PlanParts = ReleaseParts & Pick<Promotion, "groups">;

async function itemsFor(parts: PlanParts, request: PromotionRequest): Promise<ReleasePlan> {
  const chosen = await choose(parts, request);
  if (chosen.status === "absent") return { status: "refused", reason: chosen.reason };
  const { group, targets: names } = chosen;
  const resolved = await parts.resolve({ group: group.name });
  if (resolved.status === "refused") return resolved;
  return itemsOf({ id: "plan", targets: names }, resolved.members, await parts.targets.list());
}

/** The next release looks for all layers of the images again. */
async function forgetCompleted(
  { completed }: PromotionParts["rows"],
  parts: PlanParts,
  request: PromotionRequest,
): Promise<void> {
  const planned = await itemsFor(parts, request);
  if (planned.status === "refused") return;
  const targets = await parts.targets.list();
  for (const { member, target: name } of planned.items) {
    const target = targetNamed(targets, name);
    if (target?.protocol !== "oci") continue;
    const known = completed(target.endpoint.href);
    const repository = repositoryAtTarget(target, member.name);
    for (const place of [repository, statementsIn(repository)]) await known.in(place).drop();
  }
}

/** The versions stay those of the earlier release, whatever its group has now. */
async function repeat(
  { targets: stored, releases }: Pick<Promotion, "targets"> & { readonly releases: ReleaseRows },
  { id: earlierId, targets }: { readonly id: string } & Pick<PromotionRequest, "targets">,
  caller: Caller,
): Promise<OpenedRelease | Extract<Chosen, { status: "absent" }>> {
  const earlier = await releases.find(earlierId);
  if (!earlier) return { status: "absent", reason: `There is no release ${earlierId}.` };
  const id = randomUUID();
  const { group, kind, targets: former } = earlier;
  const names = targets ?? former;
  const members = membersOf(earlier.items);
  const planned = itemsOf({ id, targets: names }, members, await stored.list());
  if (planned.status === "refused") return { status: "absent", reason: planned.reason };
  const lane = kind === "promotion" ? laneOf(group) : id;
  const { items } = planned;
  return releases.open({ id, key: id, lane, group, kind, targets: names, items }, caller);
}

/** Releases of a group run one after the other. */
function laneOf(group: string): string {
  return `group/${group.toLowerCase()}`.slice(0, 64);
}

async function plan(
  parts: PlanParts,
  request: PromotionRequest,
  signal: AbortSignal,
): Promise<PromotionPlan> {
  const planned = await itemsFor(parts, request);
  if (planned.status === "refused") return planned;
  const targets = await parts.targets.list();
  const items: PlannedItem[] = [];
  for (const item of planned.items) {
    const target = targetNamed(targets, item.target);
    if (!target) continue;
    const finding = await parts.publisherOf(target).check(item.member, signal);
    items.push({ item, finding });
  }
  return { status: "planned", items };
}
