import { SYSTEM } from "@sealhouse/events";
import { allEnded, runTogether } from "@sealhouse/http-responses/outgoing";
import { isLent } from "../lending/lent-publisher.ts";
import { keyNeeded } from "../lending/needed-key.ts";
import type { Publisher, Unsettled } from "../publishers/publisher.ts";
import { targetNamed } from "../model/publish-target.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import { blockedUntil, isOutOfPatience, retryAt } from "./patience.ts";
import type { PassParts, ReleaseParts, StepOutcome } from "./release-parts.ts";
import { hasSentNothing, memberLabel } from "../model/release.ts";
import type { ItemState, ReleaseItem, StoredRelease } from "../model/release.ts";
import { savesTogether } from "./save-items.ts";
import type { SaveItem } from "./save-items.ts";

/** One item in one step. */
export type ItemWork = {
  readonly release: StoredRelease;
  readonly target: PublishTarget;
  readonly publisher: Publisher;
  readonly save: SaveItem;
  readonly signal: AbortSignal;
};

/** Result of the work on one item. */
export type ItemOutcome =
  /** The next item of the target follows. */
  | { readonly status: "saved"; readonly item: ReleaseItem }
  /** The item is not complete, and looked at again at its `nextAt`. */
  | { readonly status: "waits"; readonly item: ReleaseItem }
  /** Final for the item. */
  | { readonly status: "fails"; readonly item: ReleaseItem; readonly reason: string }
  | { readonly status: "unsettled"; readonly item: ReleaseItem; readonly why: Unsettled };

export type ItemStep = {
  /** Which items the step still has to do. */
  readonly isOpen: (item: ReleaseItem, publisher: Publisher) => boolean;
  readonly work: (item: ReleaseItem, work: ItemWork) => Promise<ItemOutcome>;
  /** The state of an item whose target never answered; without one, the release fails. */
  readonly givenUp?: ItemState;
};

/**
 * Does a step for all items: targets in parallel, of one target some names at once. What they save
 * at the same time shares a transaction. An answer
 * that says nothing about an item ends the pass of its target, so that nothing asks a busy or
 * unreachable target again too early.
 */
export async function eachItem(
  parts: PassParts,
  release: StoredRelease,
  step: ItemStep,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const save = savesTogether(parts.rows, release.id);
  const names = [...new Set(release.items.map(({ target }) => target))];
  const outcomes = await runTogether(
    names.map((name) => (failed) => {
      const pass = { parts, release, name, signal, failed, step, save };
      return passOfTarget(pass, targetNamed(parts.allTargets, name));
    }),
  );
  return worstOf(outcomes);
}

const COMPLETE = { status: "complete" } as const;

type Pass = {
  readonly parts: ReleaseParts;
  readonly release: StoredRelease;
  readonly name: string;
  readonly signal: AbortSignal;
  /** Aborts when the pass of another target fails: sends that have begun end, and no more begin. */
  readonly failed: AbortSignal;
  readonly step: ItemStep;
  readonly save: SaveItem;
};

async function passOfTarget(pass: Pass, target: PublishTarget | undefined): Promise<StepOutcome> {
  const { parts, release, name, step } = pass;
  if (!target) return { status: "fails", reason: `The target ${name} no longer exists.` };
  const publisher = parts.publisherOf(target, release.id);
  const items = release.items.filter(
    (item) => item.target === name && step.isOpen(item, publisher),
  );
  if (items.length === 0) return COMPLETE;
  const block = blockOf(target);
  if (block !== undefined) return blocked(pass, block);
  return worstOf(await passOfItems(pass, items, { target, publisher }));
}

type Destination = Pick<ItemWork, "target" | "publisher">;

/** Some names at once, the versions of one name in order. */
async function passOfItems(
  pass: Pass,
  items: readonly ReleaseItem[],
  destination: Destination,
): Promise<readonly StepOutcome[]> {
  const names = Map.groupBy(items, ({ member }) => member.name.toLowerCase()).values();
  const end = new AbortController();
  const outcomes: StepOutcome[] = [];
  const work = async () => {
    for (const item of names.flatMap((versions) => versions)) {
      if (end.signal.aborted) return;
      outcomes.push(await passOfItem(pass, item, { ...destination, end }));
    }
  };
  const workUntilEnd = () =>
    work().catch((error: unknown) => {
      end.abort();
      throw error;
    });
  await allEnded(Array.from({ length: destination.publisher.namesAtOnce }, workUntilEnd));
  return outcomes;
}

/** Aborts `end` when nothing more may be asked. */
async function passOfItem(
  pass: Pass,
  item: ReleaseItem,
  { target, publisher, end }: Destination & { readonly end: AbortController },
): Promise<StepOutcome> {
  const { parts, release, name, signal, failed, step, save } = pass;
  signal.throwIfAborted();
  failed.throwIfAborted();
  if (item.nextAt && item.nextAt > parts.now()) {
    return { status: "waits", until: item.nextAt, reason: item.note ?? "" };
  }
  const outcome = await step.work(item, { release, target, publisher, save, signal });
  if (outcome.status === "unsettled") {
    end.abort();
    return unsettled(pass, target, outcome);
  }
  await save(outcome.item);
  if (outcome.status === "fails") {
    return { status: "fails", reason: `${name}: ${outcome.reason}` };
  }
  if (outcome.status === "saved") return COMPLETE;
  const { nextAt: until = parts.now(), note: reason = "" } = outcome.item;
  return { status: "waits", until, reason };
}

/** Why nothing is sent to a target now. */
function blockOf({ name, pause, hasLostCredentials }: PublishTarget): string | undefined {
  if (pause) return `The target ${name} is paused: ${pause.reason}`;
  if (!hasLostCredentials) return undefined;
  return (
    `The credentials of the target ${name} cannot be decrypted: the key ring has changed. ` +
    "Restore its folder (Host__DataProtection__KeyPath), or add the target again."
  );
}

function blocked({ parts, release }: Pass, reason: string): StepOutcome {
  const now = parts.now();
  // An upload that waits for an operator is not lost, however long that takes.
  const waitsOn = release.kind === "syndication";
  if (!waitsOn && isOutOfPatience(release, now)) return { status: "fails", reason };
  const until = blockedUntil(release, now);
  return { status: "waits", until, reason, ...(waitsOn && { attemptsSince: now }) };
}

/** Before anything was sent the release ends, afterwards it waits for a key. */
function needsKey(pass: Pass, why: string): StepOutcome {
  const { name, release } = pass;
  const reason = keyNeeded({ release: release.id, target: name, why });
  return hasSentNothing(release) ? { status: "fails", reason } : blocked(pass, reason);
}

async function unsettled(
  pass: Pass,
  target: PublishTarget,
  { item, why }: Extract<ItemOutcome, { status: "unsettled" }>,
): Promise<StepOutcome> {
  const { parts, release, name, signal, save } = pass;
  const now = parts.now();
  if (why.status === "unauthorized" && isLent(target)) {
    return needsKey(pass, `${memberLabel(item.member)}: ${why.reason}`);
  }
  if (why.status === "unauthorized") {
    // Some registries answer so when only the right to this package is missing.
    const probe = await parts.probe(target, signal);
    if (probe.status === "ready" || probe.status === "unproven") {
      const reason = `${memberLabel(item.member)} is refused: ${why.reason}`;
      const isUnsent = item.state === "sending" && item.attempts === 0;
      const state = isUnsent ? "refused" : "failed";
      await save({ ...item, state, note: reason });
      return { status: "fails", reason: `${name}: ${reason}` };
    }
    if (probe.status !== "failed") {
      await parts.targets.pause(name, `its credentials are refused: ${why.reason}`, SYSTEM);
      return blocked(pass, `The target ${name} refuses its credentials: ${why.reason}`);
    }
  }
  const reason = `${memberLabel(item.member)}: ${why.reason}`;
  if (isOutOfPatience(release, now)) {
    const state = pass.step.givenUp ?? item.state;
    await save({ ...item, state, note: reason });
    if (pass.step.givenUp) return COMPLETE;
    return { status: "fails", reason: `${name}: ${reason}` };
  }
  const retryAfterMs = why.status === "failed" ? why.retryAfterMs : undefined;
  const until = retryAt(item, {
    now,
    random: parts.random(),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  const attempts = item.attempts + 1;
  await save({ ...item, attempts, nextAt: until, note: reason });
  return { status: "waits", until, reason: `${name}: ${reason}` };
}

/** A failure before a wait, the earliest wait before none. */
function worstOf(outcomes: readonly StepOutcome[]): StepOutcome {
  const failures = outcomes.filter((outcome) => outcome.status === "fails");
  if (failures.length > 0) {
    return { status: "fails", reason: failures.map(({ reason }) => reason).join("\n") };
  }
  const waits = outcomes.filter((outcome) => outcome.status === "waits");
  const [first] = waits.toSorted((left, right) => left.until.getTime() - right.until.getTime());
  return first ?? COMPLETE;
}
