import type { Found, OutgoingItem, SendOutcome } from "../publishers/publisher.ts";
import type { SignedStatement } from "../statement/release-statement.ts";
import type { ItemOutcome, ItemStep, ItemWork } from "./each-item.ts";
import { LOST_SENDS_MAX, LOST_WAIT_MS, pollAt, READABLE_WITHIN_MS } from "./patience.ts";
import type { ReleaseParts } from "./release-parts.ts";
import { memberLabel } from "../model/release.ts";
import type { ItemState, ReleaseItem } from "../model/release.ts";

/** Asks every target about every member, before the first byte. */
export const CHECK: ItemStep = {
  isOpen: ({ state, before }) => state === "ready" && before === undefined,
  async work(item, { publisher, signal }) {
    const finding = await publisher.check(item.member, signal);
    switch (finding.status) {
      case "absent":
      case "same": {
        const { before, remark } = finding;
        const wasThere = finding.status === "same";
        const change = { state: wasThere ? "same" : "ready", before, wasThere } as const;
        return saved(item, { ...change, ...servedIn(finding) }, remark);
      }
      case "conflict":
      case "refused":
        return fails(item, finding.status === "conflict" ? "conflict" : "failed", finding.reason);
      default:
        return { status: "unsettled", item, why: finding };
    }
  },
};

/** Sends invisible content: images by digest. */
export const CARRY: ItemStep = {
  isOpen: ({ state }) => state === "ready",
  async work(item, work) {
    const outcome = await work.publisher.carry(outgoing(item, work), work.signal);
    return afterSend(item, outcome, "carried");
  },
};

/** Makes versions appear. Each item is marked before its request, and looked at after a cut. */
export function publishStep(parts: ReleaseParts, isReversible: boolean): ItemStep {
  return {
    isOpen: (item, publisher) => publisher.isReversible === isReversible && isUnpublished(item),
    async work(item, work) {
      if (item.state !== "carried") return afterLook(parts, item, work);
      const sending: ReleaseItem = { ...item, state: "sending" };
      await work.save(sending);
      const outcome = await work.publisher.publish(outgoing(item, work), work.signal);
      if (outcome.status === "pending") return polled(parts, sending);
      if (outcome.status === "lost") return sentAgain(parts, sending, outcome.reason);
      if (outcome.status !== "refused") return afterSend(sending, outcome, "published");
      // It may have succeeded before: no status proves that it did not.
      const found = await work.publisher.look(outgoing(item, work), work.signal);
      if (found.status === "same") return published(sending, found);
      if (found.status === "pending") return polled(parts, sending);
      if (found.status === "conflict") return fails(sending, "conflict", found.reason);
      // An earlier attempt may have left something at the target.
      return fails(sending, mayBeThere(item) ? "failed" : "refused", outcome.reason);
    },
  };
}

/** Whether an attempt to publish it ended without an answer, or was cut. */
function mayBeThere({ attempts, state }: ReleaseItem): boolean {
  return attempts > 0 && !CONFIRMED.has(state);
}

const CONFIRMED: ReadonlySet<ItemState> = new Set(["same", "published", "pointed"]);

/** Whether the target does not show it yet. */
export function isUnpublished({ state }: ReleaseItem): boolean {
  return (
    state === "carried" ||
    state === "sending" ||
    state === "pending" ||
    state === "awaiting-approval"
  );
}

/** Sets tags, and attaches the statement to images. */
export function pointStep(
  { catalog }: Pick<ReleaseParts, "catalog">,
  statement: SignedStatement | undefined,
): ItemStep {
  return {
    isOpen: ({ state }) => state === "published" || state === "same",
    async work(item, work) {
      const { publisher, signal, release } = work;
      const tags =
        release.kind === "syndication" ? await openTags(catalog, item) : item.member.tags;
      const sent = { ...outgoing(item, work), member: { ...item.member, tags } };
      const outcome = await publisher.point(sent, statement, signal);
      const pointed = afterSend(item, outcome, "pointed");
      if (pointed.status !== "saved") return pointed;
      const why = await catalog.withdrawal(item.member);
      if (why === undefined) return pointed;
      return saved(pointed.item, {}, `${why} here after the release had begun`);
    },
  };
}

/** The tags that the target does not show as this registry does. When an earlier upload is released
 * after a later one, which replays do, its tags do not go back. */
async function openTags(
  catalog: Pick<ReleaseParts["catalog"], "tagged">,
  { member, before }: ReleaseItem,
): Promise<readonly string[]> {
  const now = await catalog.tagged(member);
  return member.tags.filter((tag) => {
    const there = before?.tags[tag];
    return there === undefined || there === member.version || there !== now.get(tag);
  });
}

const UNTOUCHED: ReadonlySet<ItemState> = new Set([
  "ready",
  "conflict",
  "refused",
  "undone",
  "stuck",
]);

/** Takes back what the release did. */
export const UNDO: ItemStep = {
  givenUp: "stuck",
  isOpen: ({ state, wasThere, before }) =>
    !UNTOUCHED.has(state) && before !== undefined && !(wasThere && state === "same"),
  async work(item, work) {
    // Nothing of it is public: what the target shows is of others.
    if (item.state === "carried" && item.attempts === 0) return saved(item, { state: "undone" });
    const undone = await work.publisher.undo(outgoing(item, work), work.signal);
    switch (undone.status) {
      case "undone":
        return saved(item, { state: "undone" }, undone.remark);
      case "stuck":
        return saved(item, { state: "stuck" }, undone.reason);
      default:
        return { status: "unsettled", item, why: undone };
    }
  },
};

function outgoing(item: ReleaseItem, { release }: ItemWork): OutgoingItem {
  const { member, before, wasThere, stageId } = item;
  return {
    release: release.id,
    member,
    wasThere,
    mayBeThere: mayBeThere(item),
    ...(before && { before }),
    ...(stageId !== undefined && { stageId }),
  };
}

function afterSend(
  item: ReleaseItem,
  outcome: SendOutcome,
  done: "carried" | "published" | "pointed",
): ItemOutcome {
  switch (outcome.status) {
    case "done":
      return saved(item, { state: done, ...servedIn(outcome) }, outcome.remark);
    case "pending":
      return saved(item, { state: "pending" });
    case "lost":
      return { status: "unsettled", item, why: { status: "failed", reason: outcome.reason } };
    case "awaiting-approval": {
      const { stageId, remark } = outcome;
      return saved(item, { state: "awaiting-approval", stageId }, remark);
    }
    case "refused":
      return fails(item, "failed", outcome.reason);
    default:
      return { status: "unsettled", item, why: outcome };
  }
}

/** After a cut, or while the target works: what does it have? */
async function afterLook(
  parts: ReleaseParts,
  item: ReleaseItem,
  work: ItemWork,
): Promise<ItemOutcome> {
  const found: Found = await work.publisher.look(outgoing(item, work), work.signal);
  switch (found.status) {
    case "same":
      return published(item, found);
    case "pending":
      return polled(parts, item);
    case "absent":
      if (item.state === "sending") {
        const attempts = Math.max(item.attempts, 1);
        return { status: "saved", item: { ...item, state: "carried", attempts } };
      }
      return item.state === "awaiting-approval" ? awaited(parts, item) : polled(parts, item);
    case "conflict":
    case "refused":
      return fails(item, found.status === "conflict" ? "conflict" : "failed", found.reason);
    default:
      return { status: "unsettled", item, why: found };
  }
}

function published(item: ReleaseItem, found: Served): ItemOutcome {
  return saved(item, { state: "published", ...servedIn(found) });
}

type Served = { readonly served?: ReleaseItem["served"] | undefined };

function servedIn({ served }: Served): Pick<ReleaseItem, "served"> {
  return served ? { served } : {};
}

/** A person may take as long as the release has patience. */
function awaited(parts: ReleaseParts, item: ReleaseItem): ItemOutcome {
  const nextAt = pollAt(item, parts.now());
  return { status: "waits", item: { ...item, attempts: item.attempts + 1, nextAt } };
}

/** A target that loses what it accepts gets it a few times only. */
function sentAgain(parts: ReleaseParts, item: ReleaseItem, reason: string): ItemOutcome {
  if (item.attempts >= LOST_SENDS_MAX) return fails(item, "failed", reason);
  const nextAt = new Date(parts.now().getTime() + LOST_WAIT_MS);
  const attempts = item.attempts + 1;
  return { status: "waits", item: { ...item, attempts, nextAt, note: reason } };
}

function polled(parts: ReleaseParts, item: ReleaseItem): ItemOutcome {
  const now = parts.now();
  const { pendingSince = now } = item;
  if (now.getTime() - pendingSince.getTime() > READABLE_WITHIN_MS) {
    return fails(item, "failed", "was accepted, but is not readable after an hour");
  }
  const note = `${memberLabel(item.member)} was accepted and is not readable yet`;
  const attempts = item.attempts + 1;
  const nextAt = pollAt(item, now);
  return {
    status: "waits",
    item: { ...item, state: "pending", pendingSince, attempts, nextAt, note },
  };
}

/** The next step counts its own attempts, and keeps what a person has to know of this one. */
function saved(item: ReleaseItem, change: Partial<ReleaseItem>, remark?: string): ItemOutcome {
  const { nextAt: _, note: earlier, ...rest } = item;
  // The note of a step with failed attempts is about the last of them.
  const remarks = [item.attempts === 0 ? earlier : undefined, remark];
  const note = [...new Set(remarks)].filter((text) => text !== undefined).join("; ");
  const remarked = note === "" ? {} : { note };
  return { status: "saved", item: { ...rest, ...change, attempts: 0, ...remarked } };
}

function fails(
  item: ReleaseItem,
  state: "conflict" | "refused" | "failed",
  reason: string,
): ItemOutcome {
  const label = memberLabel(item.member);
  return { status: "fails", item: { ...item, state, note: reason }, reason: `${label}: ${reason}` };
}
