import { FAILED_STATES } from "./release.ts";
import type { ReleaseItem, ReleaseState, StoredRelease } from "./release.ts";

/**
 * Returns the state and the items with which a failed release continues. After the pivot, failed
 * items are looked at again and sent where they are missing. Before it, the targets are checked
 * again when nothing was sent; otherwise undoing continues.
 */
export function resumedRelease({
  pivotAt,
  items,
}: StoredRelease): Readonly<{ state: ReleaseState; items: readonly ReleaseItem[] }> {
  if (items.length === 0) return { state: "open", items };
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
  return { ...rest, attempts: 0 };
}
