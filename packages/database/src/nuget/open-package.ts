import { sql } from "#kysely";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { textList } from "../statements/text-list.ts";

const SHOWN = { displayId: param.text(128), owners: param.longText };
const PACKAGE = defineStatement(
  "nuget-package-for-change",
  { lowerId: param.text(128) },
  (db, { lowerId }) =>
    db
      .selectFrom("nuget_packages")
      .where("lower_id", "=", lowerId)
      .select(["id", "display_id", "owners"]),
);
const INSERT = defineStatement(
  "nuget-package-insert",
  { lowerId: param.text(128), ...SHOWN, createdAt: param.time },
  (db, parameters) =>
    db.insertInto("nuget_packages").values({
      lower_id: parameters.lowerId,
      display_id: parameters.displayId,
      owners: parameters.owners,
      created_at: parameters.createdAt,
      downloads: sql.lit(0),
    }),
);
const UPDATE = defineStatement(
  "nuget-package-update",
  { id: param.whole, ...SHOWN },
  (db, { id, displayId, owners }) =>
    db.updateTable("nuget_packages").set({ display_id: displayId, owners }).where("id", "=", id),
);

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
  { queries, createsName }: Pick<Unit, "queries" | "createsName">,
  { lowerId, displayId, actor }: Opened,
  now: Date,
): Promise<number> {
  const row = await queries.one(PACKAGE, { lowerId });
  if (row) {
    const { id } = row;
    const owners = ownersWith(row.owners, actor);
    if (row.display_id !== displayId || owners !== row.owners) {
      await queries.run(UPDATE, { id, displayId, owners });
    }
    return id;
  }
  createsName();
  const owners = JSON.stringify([actor]);
  await queries.run(INSERT, { lowerId, displayId, owners, createdAt: now });
  const inserted = await queries.one(PACKAGE, { lowerId });
  if (!inserted) throw new Error(`the package ${lowerId} has no row`);
  return inserted.id;
}

/** The owners as JSON text, with the actor unless the list is full. */
function ownersWith(json: string | null, actor: string): string {
  const owners = json === null ? [] : textList(json);
  if (owners.includes(actor) || owners.length >= OWNERS_MAX) return json ?? "[]";
  return JSON.stringify([...owners, actor]);
}
