import type { OwnerLevel, UnownedNames } from "@sealhouse/identity";
import type { PortContext } from "../port-context.ts";
import { adoptPublishers, unownedNames } from "./adopt-publishers.ts";
import { changeOwners } from "./change-owners.ts";
import { handleOf } from "./owner-rows.ts";

export function createUnownedNames(
  context: Pick<PortContext, "queries" | "changes">,
): UnownedNames {
  const { queries, changes } = context;
  return {
    async *list() {
      for await (const { protocol, name } of unownedNames(queries)) yield { protocol, name };
    },
    adopt: (name, owner, by) =>
      changes.transaction(async (unit) => {
        const first = {
          ...owner,
          handle: await handleOf(unit, owner.id),
          level: "manage",
        } as const;
        const next = (present: readonly OwnerLevel[]) => (present.length > 0 ? present : [first]);
        const outcome = await changeOwners(changes, unit, { name, by, next });
        return outcome === "changed" ? "adopted" : "has-owners";
      }),
    adoptPublishers: (by) => adoptPublishers(context, by),
  };
}
