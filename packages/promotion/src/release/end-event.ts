import type { NewEvent } from "@sealhouse/events";
import { memberLabel, membersOf } from "./release.ts";
import type { StoredRelease } from "./release.ts";

/** The event of the end of a release. Its caller is who asked for the release. */
export function endEvent(
  release: StoredRelease,
  type: "group.promoted" | "promotion.failed",
): NewEvent {
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
