import { runLeased } from "@sealhouse/jobs";
import type { ShownEvent } from "@sealhouse/events";
import { freezeRelease } from "./freeze-release.ts";
import { eachItem } from "./each-item.ts";
import type { ItemStep } from "./each-item.ts";
import { CARRY, CHECK, isUnpublished, pointStep, publishStep, UNDO } from "./item-steps.ts";
import { isOutOfPatience, LANE_MS, retryAt } from "./patience.ts";
import type { ReleaseStep } from "./ports.ts";
import type { PassParts, ReleaseParts, StepOutcome } from "./release-parts.ts";
import { placesOf } from "./places.ts";
import {
  END_STATES,
  FAILED_STATES,
  hasSentNothing,
  memberLabel,
  membersOf,
} from "../model/release.ts";
import type { StoredRelease } from "../model/release.ts";
import { releaseLease } from "./watch-releases.ts";

/** Milliseconds for which a killed instance keeps others from its release; extended every third of
 * it. */
const LEASE_MS = 20_000;

/**
 * Brings a release as far as it goes now: to its end, or to a wait, whose time is in `nextAt`. One
 * instance at a time works on a release. Each step is recorded before the next, and a repeated step
 * looks at the targets first, so a killed release continues.
 * @returns false when another instance works on it
 * @throws {LostLeaseError} when another instance took it over
 */
export async function runRelease(
  parts: ReleaseParts,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const options = { name: releaseLease(id), leaseMs: LEASE_MS, signal };
  const outcome = await runLeased(parts.leases, options, (leaseSignal) =>
    advance(parts, id, leaseSignal),
  );
  return outcome.status === "ended";
}

async function advance(always: ReleaseParts, id: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const release = await always.rows.find(id);
    if (!release || END_STATES.has(release.state)) return;
    const parts = { ...always, allTargets: await always.targets.list() };
    const outcome =
      recordedFailure(release) ??
      (await lanesOf(parts, release)) ??
      (await pass(parts, release, signal));
    if (outcome.status === "complete") continue;
    if (outcome.status === "waits") {
      const { until: nextAt, reason, attemptsSince } = outcome;
      const { state } = release;
      const patience = attemptsSince && { attemptsSince };
      return parts.rows.move(id, { from: state, state, nextAt, reason, ...patience });
    }
    const next = afterFailure(parts, release, outcome.reason);
    await moveTo(parts, release, await withOutcome(parts, release, next));
  }
}

/** Two releases never publish the same package to the same target at once. */
async function lanesOf(
  parts: ReleaseParts,
  release: StoredRelease,
): Promise<Exclude<StepOutcome, { readonly status: "complete" }> | undefined> {
  const other = await parts.lanes.claim(release.id, placesOf(release.items));
  if (other === undefined) return undefined;
  const reason = `The release ${other} publishes the same packages to the same targets.`;
  const now = parts.now();
  if (isOutOfPatience(release, now)) return { status: "fails", reason };
  return { status: "waits", until: new Date(now.getTime() + LANE_MS), reason };
}

/** A process may end between the refusal of an item and the step of its release. */
function recordedFailure({ state, items }: StoredRelease): StepOutcome | undefined {
  const failed = items.filter((item) => FAILED_STATES.has(item.state));
  if (state === "undoing" || failed.length === 0) return undefined;
  const reasons = failed.map(
    ({ target, member, note = "was refused" }) => `${target}: ${memberLabel(member)}: ${note}`,
  );
  return { status: "fails", reason: reasons.join("\n") };
}

/** Does the work of the current state. Moves to the next state when it is complete. */
async function pass(
  parts: PassParts,
  release: StoredRelease,
  signal: AbortSignal,
): Promise<StepOutcome> {
  switch (release.state) {
    case "open":
      return freezeRelease(parts, release);
    case "frozen":
      return thenMove(parts, release, signal, { step: CHECK, next: { state: "checked" } });
    case "checked":
      return whileNotWithdrawn(parts, release, () => moveTo(parts, release, { state: "carrying" }));
    case "carrying":
      return whileNotWithdrawn(parts, release, () => carry(parts, release, signal));
    case "publishing":
      return publish(parts, release, signal);
    case "pointing":
      return point(parts, release, signal);
    case "undoing":
      return undo(parts, release, signal);
    default:
      return COMPLETE;
  }
}

const COMPLETE = { status: "complete" } as const;

type Next = Omit<ReleaseStep, "from">;

async function moveTo(
  { rows }: ReleaseParts,
  { id, state }: StoredRelease,
  step: Next,
): Promise<StepOutcome> {
  await rows.move(id, { from: state, ...step });
  return COMPLETE;
}

async function thenMove(
  parts: PassParts,
  release: StoredRelease,
  signal: AbortSignal,
  { step, next }: { readonly step: ItemStep; readonly next: Next },
): Promise<StepOutcome> {
  const outcome = await eachItem(parts, release, step, signal);
  return outcome.status === "complete" ? moveTo(parts, release, next) : outcome;
}

/** Until something irreversible happens, a deleted or denied member stops the release. */
async function whileNotWithdrawn(
  parts: PassParts,
  release: StoredRelease,
  work: () => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const reason = await withdrawals(parts, release);
  return reason === undefined ? work() : { status: "fails", reason };
}

async function withdrawals(
  { catalog }: ReleaseParts,
  { items }: StoredRelease,
): Promise<string | undefined> {
  const reasons: string[] = [];
  for (const member of membersOf(items)) {
    const why = await catalog.withdrawal(member);
    if (why !== undefined) reasons.push(`${memberLabel(member)} was withdrawn: ${why}`);
  }
  return reasons.length > 0 ? reasons.join("\n") : undefined;
}

/** Nothing is public before the statement is signed. */
async function carry(
  parts: PassParts,
  release: StoredRelease,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const outcome = await eachItem(parts, release, CARRY, signal);
  if (outcome.status !== "complete") return outcome;
  try {
    const statement = await parts.sign(release, parts.allTargets);
    return await moveTo(parts, release, { state: "publishing", statement });
  } catch (error) {
    return unsigned(parts, release, { error, signal });
  }
}

function unsigned(
  parts: PassParts,
  release: StoredRelease,
  { error, signal }: { readonly error: unknown; readonly signal: AbortSignal },
): Exclude<StepOutcome, { readonly status: "complete" }> {
  signal.throwIfAborted();
  const now = parts.now();
  const reason = `The statement of the release cannot be signed: ${messageOf(error)}`;
  if (isOutOfPatience(release, now)) return { status: "fails", reason };
  const until = retryAt({ attempts: 2 }, { now, random: parts.random() });
  return { status: "waits", until, reason };
}

/** Targets where a publish can be undone come first. */
async function publish(
  parts: PassParts,
  release: StoredRelease,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const isUndoable = release.pivotAt === undefined;
  const withdrawn = isUndoable ? await withdrawals(parts, release) : undefined;
  if (withdrawn !== undefined) return { status: "fails", reason: withdrawn };
  const outcome = await eachItem(parts, release, publishStep(parts, true), signal);
  const current = (await parts.rows.find(release.id)) ?? release;
  if (isUndoable && hasFinal(parts, current)) {
    // A person has approved a version that stays.
    return moveTo(parts, release, pivotNow(parts));
  }
  if (outcome.status !== "complete") return outcome;
  if (!current.items.some(isUnpublished)) return moveTo(parts, release, { state: "pointing" });
  // Otherwise an item at a reversible target is to be sent again.
  if (!isLastReversible(parts, current)) return COMPLETE;
  if (isUndoable) return moveTo(parts, release, pivotNow(parts));
  return eachItem(parts, current, publishStep(parts, false), signal);
}

/** The patience of a release begins again at its pivot, after the pass that came before. */
function pivotNow({ now }: Pick<ReleaseParts, "now">): Next {
  const pivotAt = now();
  return { state: "publishing", pivotAt, attemptsSince: pivotAt };
}

/** Whether the release has published a version that cannot be taken back. */
function hasFinal(parts: PassParts, { id, items }: StoredRelease): boolean {
  const published = items.filter(({ state, wasThere }) => state === "published" && !wasThere);
  const names = new Set(published.map(({ target }) => target));
  const targets = parts.allTargets.filter(({ name }) => names.has(name));
  return targets.some((target) => parts.publisherOf(target, id).isFinal);
}

/** Whether only targets are left where a publish cannot be undone. */
function isLastReversible(parts: PassParts, { id, items }: StoredRelease): boolean {
  const open = new Set(items.filter(isUnpublished).map(({ target }) => target));
  const targets = parts.allTargets.filter(({ name }) => open.has(name));
  return targets.every((target) => !parts.publisherOf(target, id).isReversible);
}

async function point(
  parts: PassParts,
  release: StoredRelease,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const step = pointStep(parts, await parts.statement(release.id));
  const pointed = await eachItem(parts, release, step, signal);
  if (pointed.status !== "complete") return pointed;
  const event = endEvent(release, "group.promoted");
  const next: Next = { state: "released", endedAt: parts.now(), reason: undefined, event };
  try {
    return await moveTo(parts, release, await signedEnd(parts, release, next));
  } catch (error) {
    return whenUnsigned(parts, release, { error, signal, end: next });
  }
}

/** Everything is published, so a signer that stays away does not make the release fail. */
async function whenUnsigned(
  parts: PassParts,
  release: StoredRelease,
  { error, signal, end }: { readonly error: unknown; readonly signal: AbortSignal; end: Next },
): Promise<StepOutcome> {
  const waits = unsigned(parts, release, { error, signal });
  return waits.status === "fails" ? moveTo(parts, release, end) : waits;
}

/** An end with the statement about it. */
async function signedEnd(parts: PassParts, { id }: StoredRelease, next: Next): Promise<Next> {
  const statement = await parts.statement(id);
  const release = await parts.rows.find(id);
  if (!statement || !release) return next;
  const { state, endedAt = parts.now(), reason } = next;
  const { reason: _, ...current } = release;
  const ended = { ...current, state, endedAt, ...(reason !== undefined && { reason }) };
  return { ...next, outcome: await parts.signOutcome(ended, statement, parts.allTargets) };
}

/** The same, as long as the signer is there. */
async function withOutcome(parts: PassParts, release: StoredRelease, next: Next): Promise<Next> {
  if (!END_STATES.has(next.state)) return next;
  return signedEnd(parts, release, next).catch(() => next);
}

async function undo(
  parts: PassParts,
  release: StoredRelease,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const outcome = await eachItem(parts, release, UNDO, signal);
  if (outcome.status !== "complete") return outcome;
  const event = endEvent(release, "promotion.failed");
  const { reason } = release;
  const next: Next = { state: "rolled-back", endedAt: parts.now(), reason, event };
  return moveTo(parts, release, await withOutcome(parts, release, next));
}

/** Before the first byte there is nothing to undo; after the pivot there is only forward. */
function afterFailure(parts: PassParts, release: StoredRelease, reason: string): Next {
  const { state, pivotAt } = release;
  if (hasSentNothing(release) || state === "undoing" || pivotAt !== undefined) {
    const event = endEvent({ ...release, reason }, "promotion.failed");
    return { state: "failed", endedAt: parts.now(), reason, event };
  }
  return { state: "undoing", attemptsSince: parts.now(), reason };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The event of the end of a release. Its caller is who asked for the release. */
export function endEvent(
  release: StoredRelease,
  type: "group.promoted" | "promotion.failed",
): ShownEvent {
  const { id, number, group, kind, targets, actor, tokenId, reason, items } = release;
  const isSyndication = kind === "syndication" && type === "promotion.failed";
  return {
    type: isSyndication ? "syndication.failed" : type,
    subject: `group/${group}`,
    caller: { actor, ...(tokenId !== undefined && { tokenId }) },
    detail: {
      release: id,
      number,
      targets,
      ...(kind === "syndication" && { syndication: group }),
      members: membersOf(items).map(memberLabel),
      ...(reason !== undefined && type === "promotion.failed" && { reason }),
    },
  };
}
