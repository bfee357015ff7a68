import { checkReachable } from "@sealhouse/http-responses/outgoing";
import type { Reachability } from "@sealhouse/http-responses/outgoing";
import type { KeyRing } from "@sealhouse/identity";
import type { Leases } from "@sealhouse/jobs";
import type { RegistryEvent } from "@sealhouse/events";
import type { Caller, Protocol } from "@sealhouse/request-types";
import { chooseMembers } from "./group/choose-members.ts";
import type { ChosenMember } from "./group/choose-members.ts";
import { groupNamed } from "./group/package-group.ts";
import type { GroupMember, PackageGroup } from "./group/package-group.ts";
import type { GroupRows, MemberCatalog } from "./group/ports.ts";
import { resolveGroup } from "./group/resolve-group.ts";
import { exchangeIdToken } from "./lending/exchange-id-token.ts";
import type { ExchangeRequest } from "./lending/exchange-id-token.ts";
import { keepLoans, loanProblem } from "./lending/lend.ts";
import type { Loan } from "./lending/lend.ts";
import { lentKeysInMemory, openLentKeys } from "./lending/lent-keys.ts";
import type { LentKeys } from "./lending/lent-keys.ts";
import { isLent, lentPublisher } from "./lending/lent-publisher.ts";
import type { LentKeyRows } from "./lending/ports.ts";
import { registryMembers } from "./members/registry-members.ts";
import type { MemberPorts } from "./members/registry-members.ts";
import type { MemberContents } from "./publishers/contents.ts";
import { repositoryAtTarget } from "./publishers/oci-publisher.ts";
import { statementsIn } from "./publishers/repeated-image.ts";
import type { CompletedImages } from "./publishers/oci-publisher.ts";
import type { TargetProbe } from "./publishers/publisher.ts";
import { openPromoted, openRepeated } from "./release/open-release.ts";
import type { AbsentPart } from "./release/open-release.ts";
import { itemsFor, PLAN, planRelease } from "./release/plan-release.ts";
import type { PlanParts, PromotionPlan } from "./release/plan-release.ts";
import type {
  OpenedRelease,
  ReleaseControl,
  ReleaseLanes,
  ReleaseRows,
  StatementRows,
} from "./release/ports.ts";
import type { PromotionRequest } from "./release/promotion-request.ts";
import type { ReleaseParts } from "./release/release-parts.ts";
import type { ReleaseMember } from "./model/release.ts";
import { runRelease } from "./release/run-release.ts";
import { outcomeStatement } from "./statement/outcome-statement.ts";
import { releaseStatement } from "./statement/release-statement.ts";
import { signStatement } from "./statement/sign-statement.ts";
import type { StatementKey } from "./statement/sign-statement.ts";
import type { SyndicationRows } from "./syndication/ports.ts";
import { syndicateEvents } from "./syndication/syndication-consumer.ts";
import { openPublisher } from "./target/open-publisher.ts";
import { packageRight } from "./target/package-rights.ts";
import { probePackage } from "./target/probe-package.ts";
import type { PackageProbe } from "./target/probe-package.ts";
import { probeTarget } from "./target/probe-target.ts";
import type { TargetRows } from "./target/ports.ts";
import { targetNamed } from "./model/publish-target.ts";
import type { PublishTarget } from "./model/publish-target.ts";
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
    readonly lanes: ReleaseLanes;
    readonly statements: StatementRows;
    readonly lentKeys: LentKeyRows;
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
  /** Public address of this registry, for statements; undefined when none is configured. */
  readonly feed: string | undefined;
  readonly now: () => Date;
};

/** Publishing to other registries. */
export type Promotion = {
  readonly targets: StoredTargets;
  readonly groups: GroupRows;
  readonly syndications: SyndicationRows;
  readonly releases: ReleaseRows & ReleaseControl;
  readonly statements: StatementRows;
  /** Opens a release; `run` brings it to its end. `absent`: there is no such group or target. */
  promote(request: PromotionRequest, caller: Caller): Promise<OpenedRelease | AbsentPart>;
  /** Opens a release with the members of an earlier one, to the same targets or to others. */
  repeat(
    id: string,
    options: Pick<PromotionRequest, "targets" | "loans">,
    caller: Caller,
  ): Promise<OpenedRelease | AbsentPart>;
  /** Lends keys to a release, which uses them until they expire or it ends. Resolves to the problem
   * when it cannot use them. */
  lend(id: string, loans: readonly Loan[]): Promise<string | undefined>;
  /** Chooses the versions that a release of the group takes now. */
  members(group: Pick<PackageGroup, "members">): Promise<readonly ChosenMember[]>;
  /** Chooses members and asks the targets about them, and changes nothing. */
  plan(request: PromotionRequest, signal: AbortSignal): Promise<PromotionPlan>;
  /** Opens releases for uploads, by their events. */
  syndicate(events: readonly RegistryEvent[]): Promise<void>;
  /** Brings a release as far as it goes now. False when another instance works on it. */
  run(id: string, signal: AbortSignal): Promise<boolean>;
  /** Calls a target once, without its credentials, as the first release would. */
  reach(target: PublishTarget, signal: AbortSignal): Promise<Reachability>;
  probe(
    target: PublishTarget,
    options: { readonly repository?: string },
    signal: AbortSignal,
  ): Promise<TargetProbe>;
  /** Asks a target whether it would take packages, and publishes nothing. Resolves to the reason
   * when there is no such package here. */
  probePackages(
    target: PublishTarget,
    wanted: { readonly member: GroupMember; readonly loans: readonly Loan[] },
    signal: AbortSignal,
  ): Promise<readonly PackageProbe[] | string>;
};

/** Opens promotion. It needs no closing. */
export function openPromotion(parts: PromotionParts): Promotion {
  const { rows } = parts;
  const { targets: targetRows, groups, releases, control, statements } = rows;
  const targets = openStoredTargets(targetRows, parts.keyRing);
  const { catalog, contents } = registryMembers(parts.members);
  const opened: OpenedParts = { parts, targets, catalog, contents };
  const probe = probeWith(parts);
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
    ...openings(opened),
    members: (group) => chooseMembers(catalog, group),
    run: (id, signal) => runRelease(releaseParts(opened), id, signal),
    reach: (target, signal) =>
      checkReachable(target.endpoint, openTargetFetch(target, parts.openFetch), signal),
    probe,
    probePackages: (target, wanted, signal) => probePackages(opened, target, wanted, signal),
  };
}

async function probePackages(
  opened: OpenedParts,
  target: PublishTarget,
  { member, loans }: { readonly member: GroupMember; readonly loans: readonly Loan[] },
  signal: AbortSignal,
): Promise<readonly PackageProbe[] | string> {
  const { parts, catalog } = opened;
  const problem = loanProblem(loans, [target.name], [target]);
  if (problem !== undefined) return problem;
  const group = { name: "", members: [member], targets: [] };
  const resolved = await resolveGroup(catalog, group);
  if (resolved.status === "refused") return resolved.reason;
  const publisher = publisherWith(opened, await planKeys(parts, loans))(target, PLAN);
  const fetch = openTargetFetch(target, parts.openFetch);
  const right = (found: ReleaseMember) => packageRight(target, found, fetch, signal);
  const probes: PackageProbe[] = [];
  for (const found of resolved.members) {
    probes.push(await probePackage(target, found, { publisher, right }, signal));
  }
  return probes;
}

/** Lent keys of a plan, which no release uses. */
async function planKeys(
  { keyRing, now }: PromotionParts,
  loans: readonly Loan[],
): Promise<LentKeys> {
  const keys = openLentKeys(lentKeysInMemory(now), keyRing);
  await keepLoans(keys, PLAN, { loans, now: now() });
  return keys;
}

type OpenedParts = {
  readonly parts: PromotionParts;
  readonly targets: StoredTargets;
  readonly catalog: MemberCatalog;
  readonly contents: MemberContents;
};

/** The functions that open releases, or plan them. */
function openings(opened: OpenedParts): Pick<Promotion, "promote" | "repeat" | "lend" | "plan"> {
  const { parts, targets } = opened;
  const { rows, keyRing, now } = parts;
  const { groups, releases } = rows;
  const keys = openLentKeys(rows.lentKeys, keyRing);
  const ports = { groups, targets, releases, keys, now };
  return {
    async promote(request, caller) {
      const planParts = { ...releaseParts(opened), groups };
      if (request.verifies) await forgetCompleted(rows, planParts, request);
      return openPromoted(ports, request, caller);
    },
    repeat: (id, options, caller) => openRepeated(ports, { id, ...options }, caller),
    async lend(id, loans) {
      const release = await releases.find(id);
      const problem = release && loanProblem(loans, release.targets, await targets.list());
      if (problem !== undefined) return problem;
      await keepLoans(keys, id, { loans, now: now() });
      return undefined;
    },
    async plan(request, signal) {
      const publisherOf = publisherWith(opened, await planKeys(parts, request.loans ?? []));
      return planRelease({ ...releaseParts(opened), publisherOf, groups }, request, signal);
    },
  };
}

function releaseParts(opened: OpenedParts): ReleaseParts {
  const { parts, targets, catalog } = opened;
  const { rows, keyRing, leases, now } = parts;
  const { groups, releases, lanes, statements } = rows;
  const probe = probeWith(parts);
  return {
    rows: releases,
    lanes,
    catalog,
    async resolve({ group }) {
      const found = groupNamed(await groups.list(), group);
      if (!found) return { status: "refused", reason: `There is no group ${group}.` };
      return resolveGroup(catalog, found);
    },
    targets,
    publisherOf: publisherWith(opened, openLentKeys(rows.lentKeys, keyRing)),
    probe: (target, signal) => probe(target, {}, signal),
    async sign(release, all) {
      const previous = await statements.newestDigest(release.group);
      const surroundings = { feed: parts.feed, previous, signedAt: now() };
      const statement = releaseStatement(release, all, surroundings);
      return signStatement(statement, await parts.statementKey());
    },
    async signOutcome(release, statement, all) {
      const surroundings = { feed: parts.feed, statement };
      const outcome = outcomeStatement(release, all, surroundings);
      return signStatement(outcome, await parts.statementKey());
    },
    statement: (id) => statements.find(id),
    leases,
    now,
    random: Math.random,
  };
}

function probeWith({ openFetch }: PromotionParts): Promotion["probe"] {
  return (target, options, signal) =>
    probeTarget(target, { ...options, fetch: openTargetFetch(target, openFetch) }, signal);
}

/** Opens publishers, with lent keys where a target has no key. */
function publisherWith(
  { parts: { rows, openFetch, now }, contents }: OpenedParts,
  keys: LentKeys,
): ReleaseParts["publisherOf"] {
  return (target, release) => {
    const fetch = openTargetFetch(target, openFetch);
    const completed = rows.completed(target.endpoint.href);
    const open = (at: PublishTarget) => openPublisher(at, { fetch, contents, completed });
    if (!isLent(target)) return open(target);
    const exchange = (request: ExchangeRequest, signal: AbortSignal) =>
      exchangeIdToken(target, request, { fetch, now }, signal);
    return lentPublisher(target, { release, keys, exchange, open });
  };
}

/** The next release looks for all layers of the images again. */
async function forgetCompleted(
  { completed }: PromotionParts["rows"],
  parts: PlanParts,
  request: PromotionRequest,
): Promise<void> {
  const targets = await parts.targets.list();
  const planned = await itemsFor(parts, request, targets);
  if (planned.status === "refused") return;
  for (const { member, target: name } of planned.items) {
    const target = targetNamed(targets, name);
    if (target?.protocol !== "oci") continue;
    const known = completed(target.endpoint.href);
    const repository = repositoryAtTarget(target, member.name);
    for (const place of [repository, statementsIn(repository)]) await known.in(place).drop();
  }
}
