import type { Protocol } from "@sealhouse/request-types";
import type { Level, NameAccess } from "./name-standing.ts";
import { hasLevel, isNewName } from "./name-standing.ts";

/** A request for a change of a name. */
export type OwnedRequest = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly level: Level;
  /** Whether the change publishes a version, which may be the first one. */
  readonly publishes: boolean;
  readonly isPolicy: boolean;
};

/** Returns why the owners or reservations of a name forbid a change, as one sentence. */
export function reasonByOwnership(
  { standing, newNames }: NameAccess,
  request: OwnedRequest,
): string | undefined {
  const { name, level, publishes } = request;
  if (publishes && isNewName(standing)) return reasonAgainstNew({ standing, newNames }, request);
  if (hasLevel(standing.level, level)) return undefined;
  // The protocol reports that there is no such name, as for a hidden one.
  if (isNewName(standing)) return undefined;
  if (!standing.isOwned) {
    const { protocol } = request;
    const command = `sealhouse owner add ${protocol} ${name} <handle>`;
    return `${name} has no owner; an administrator adds one: ${command}`;
  }
  return level === "manage"
    ? `Only owners of ${name} with the level manage may do this.`
    : belongsToOthers(name);
}

/** The refusal for names of others, and for hidden names, which must look the same. */
export function belongsToOthers(name: string): string {
  return `${name} belongs to other owners, and only they publish it.`;
}

function reasonAgainstNew(
  { standing, newNames }: NameAccess,
  { name, isPolicy }: OwnedRequest,
): string | undefined {
  const { reservation, mayCreate } = standing;
  if (reservation === "others") return `The name ${name} is reserved for another owner.`;
  if (reservation === "none" && newNames === "reserved") {
    return `New names must be reserved, and no reservation of yours covers ${name}.`;
  }
  if (mayCreate) return undefined;
  return isPolicy
    ? `The publish policy may not create the name ${name}.`
    : `The service account belongs to no team, so it cannot own the new name ${name}.`;
}
