import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { ownerOfHolder, ownersOf, publishersIn } from "./owner-rows.ts";
import { createOwnerships } from "./ownerships.ts";
import { createReservations } from "./reservations.ts";
import { createTransfers } from "./transfers.ts";
import { createUnownedNames } from "./unowned-names.ts";

/** Composes the ports of ownership. */
export function createOwnershipPorts(context: PortContext): Database["ownership"] {
  return {
    ownerships: createOwnerships(context),
    unowned: createUnownedNames(context),
    reservations: createReservations(context),
    transfers: createTransfers(context),
    async publishers(name, holderId) {
      const owners = await ownersOf(context, name);
      if (owners.length > 0 || holderId === undefined) return publishersIn(owners);
      const owner = await ownerOfHolder(context, holderId);
      return owner ? [owner.handle] : [];
    },
  };
}
