import type { Protocol } from "@sealhouse/request-types";
import type { ItemState, Release, ReleaseItem, ReleaseState } from "@sealhouse/promotion";
import type { Values } from "../statements/kinds.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { FIND, ITEM, ITEMS, NEW_ITEM } from "./release-statements.ts";

/** The release of a row. */
export function releaseOf(row: RowOf<typeof FIND>): Release {
  return {
    id: row.id,
    number: row.number,
    group: row.group_name,
    kind: row.kind as Release["kind"],
    state: row.state as ReleaseState,
    targets: JSON.parse(row.targets) as readonly string[],
    actor: row.actor,
    ...(row.token_id !== null && { tokenId: row.token_id }),
    createdAt: row.created_at,
    ...(row.frozen_at !== null && { frozenAt: row.frozen_at }),
    ...(row.pivot_at !== null && { pivotAt: row.pivot_at }),
    attemptsSince: row.attempts_since,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.next_at !== null && { nextAt: row.next_at }),
    ...(row.reason !== null && { reason: row.reason }),
  };
}

/** The item of a row. */
export function itemOf(row: RowOf<typeof ITEMS>): ReleaseItem {
  return {
    id: row.id,
    target: row.target,
    member: JSON.parse(row.member) as ReleaseItem["member"] & { readonly protocol: Protocol },
    state: row.state as ItemState,
    ...(row.found_before !== null && {
      before: JSON.parse(row.found_before) as NonNullable<ReleaseItem["before"]>,
    }),
    wasThere: row.was_there,
    attempts: row.attempts,
    ...(row.next_at !== null && { nextAt: row.next_at }),
    ...(row.pending_since !== null && { pendingSince: row.pending_since }),
    ...(row.stage_id !== null && { stageId: row.stage_id }),
    ...(row.note !== null && { note: row.note }),
    ...(row.served !== null && {
      served: JSON.parse(row.served) as NonNullable<ReleaseItem["served"]>,
    }),
  };
}

/** The changeable columns of an item. */
export function itemValues(item: ReleaseItem): Values<typeof ITEM> {
  const { id, state, before, wasThere, attempts, nextAt, pendingSince, stageId, note } = item;
  const foundBefore = before && JSON.stringify(before);
  const served = item.served && JSON.stringify(item.served);
  return {
    id,
    state,
    foundBefore,
    wasThere,
    attempts,
    nextAt,
    pendingSince,
    stageId,
    note,
    served,
  };
}

/** All columns of an item. */
export function newItemValues(
  releaseId: string,
  item: ReleaseItem,
  position: number,
): Values<typeof NEW_ITEM> {
  const { target, member } = item;
  return { ...itemValues(item), releaseId, position, target, member: JSON.stringify(member) };
}
