import { NuGetPackage } from "../entities/nuget.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textListOf, textOf } from "../raw/row.ts";

const PACKAGE: Statement = {
  name: "nuget-package-for-change",
  sql: "select id, display_id, owners from nuget_packages where lower_id = ?",
};

/** People and machines that publish one package; later ones are in the audit log alone. */
const OWNERS_MAX = 100;

type Opened = {
  readonly lowerId: string;
  readonly displayId: string;
  /** Who publishes now. */
  readonly actor: string;
};

/** Finds or inserts the row of a package, and updates its casing and owners. */
export async function openPackage(
  { catalog, read }: Unit,
  { lowerId, displayId, actor }: Opened,
  now: Date,
): Promise<number> {
  const [known] = await read(PACKAGE, [lowerId]);
  if (!known) {
    const owners = JSON.stringify([actor]);
    const row = { lowerId, displayId, owners, createdAt: now, downloads: 0 };
    return catalog.insert(NuGetPackage, row);
  }
  const id = numberOf(known, "id");
  const owners = ownersWith(known, actor);
  const changed = {
    ...(textOf(known, "display_id") !== displayId && { displayId }),
    ...(owners && { owners }),
  };
  if (Object.keys(changed).length > 0) await catalog.nativeUpdate(NuGetPackage, { id }, changed);
  return id;
}

/** Undefined when the actor is an owner already. */
function ownersWith(known: Row, actor: string): string | undefined {
  const none = optionalTextOf(known, "owners") === undefined;
  const owners = none ? [] : textListOf(known, "owners");
  if (owners.includes(actor) || owners.length >= OWNERS_MAX) return undefined;
  return JSON.stringify([...owners, actor]);
}
