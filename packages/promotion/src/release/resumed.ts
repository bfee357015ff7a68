import { FAILED_STATES } from "../model/release.ts";
import type { Release, ReleaseItem, ReleaseState, StoredRelease } from "../model/release.ts";

/** Whether `resume` continues a release that has ended. A promotion that was taken back is repeated
 * as another release instead. */
export function isResumable({ state, kind }: Pick<Release, "state" | "kind">): boolean {
  return state === "failed" || (state === "rolled-back" && kind === "syndication");
}

/**
 * Returns the state and the items with which an ended release continues. After the pivot, failed
 * items are looked at again and sent where they are missing. Before it, the targets are checked
 * again when nothing was sent or all was taken back; otherwise undoing continues.
 */
export function resumedRelease(
  release: StoredRelease,
): Readonly<{ state: ReleaseState; items: readonly ReleaseItem[] }> {
  const { pivotAt, items } = release;
  if (items.length === 0) return { state: "open", items };
  if (release.state === "rolled-back") return { state: "frozen", items: items.map(unchecked) };
  if (pivotAt !== undefined) return { state: "publishing", items: items.map(lookedAt) };
  const isUntouched = items.every(({ state }) => CHECKED.has(state));
  return isUntouched
    ? { state: "frozen", items: items.map(unchecked) }
    : { state: "undoing", items: items.map(tried) };
}

const CHECKED: ReadonlySet<string> = new Set(["ready", "same", "conflict", "refused", "failed"]);

function lookedAt(item: ReleaseItem): ReleaseItem {
  return { ...tried(item), ...(FAILED_STATES.has(item.state) && { state: "sending" }) };
}

function unchecked(item: ReleaseItem): ReleaseItem {
  const { before: _, ...rest } = tried(item);
  return { ...rest, state: "ready", wasThere: false };
}

function tried(item: ReleaseItem): ReleaseItem {
  const { nextAt: _, pendingSince: __, note: ___, ...rest } = item;
  // An earlier attempt to publish it may have left something.
  return { ...rest, attempts: item.state === "carried" ? Math.min(item.attempts, 1) : 0 };
}
