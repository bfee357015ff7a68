import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import { ownNewName, refuseTakenName } from "../../ownership/first-owner.ts";
import { isListedPublisher } from "../../ownership/listed-publisher.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { inColumns } from "../../statements/in-columns.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import { textList } from "../../statements/text-list.ts";
import { actorText } from "../statements/version-row.ts";

const SHOWN = { displayId: param.text(128), owners: param.longText };
const PACKAGE = defineStatement(
  "nuget-package-for-change",
  { lowerId: param.text(128) },
  (db, { lowerId }) =>
    db
      .selectFrom("nuget_packages")
      .where("lower_id", "=", lowerId)
      .select(["id", "display_id", "owners"])
      .select((row) =>
        row
          .selectFrom("ownerships as o")
          .where("o.protocol", "=", sql.lit("nuget"))
          .whereRef("o.name_key", "=", "lower_id")
          .select(({ fn }) => fn.min("o.name_key").as("name"))
          .as("owned_name"),
      ),
);
const INSERT = defineStatement(
  "nuget-package-insert",
  { lowerId: param.text(128), ...SHOWN, createdAt: param.time },
  (db, parameters) =>
    db.insertInto("nuget_packages").values({ ...inColumns(parameters), downloads: sql.lit(0) }),
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
  readonly caller: Caller;
};

/**
 * Finds or inserts the row of a package, and updates its casing. Its first publisher becomes its
 * owner. Publishers are listed as owners only while the package has none.
 * @throws NameTakenError
 */
export async function openPackage(
  changes: Changes,
  unit: Unit,
  { lowerId, displayId, caller }: Opened,
): Promise<number> {
  const { queries } = unit;
  const actor = actorText(caller);
  const name = { protocol: "nuget", name: lowerId, caller } as const;
  const row = await queries.one(PACKAGE, { lowerId });
  if (row) {
    await refuseTakenName(unit, name);
    const { id } = row;
    const isOwned = row.owned_name !== null;
    const owners =
      isOwned || !isListedPublisher(caller) ? (row.owners ?? "[]") : ownersWith(row.owners, actor);
    if (row.display_id !== displayId || owners !== row.owners) {
      await queries.run(UPDATE, { id, displayId, owners });
    }
    return id;
  }
  unit.createsName();
  const publishers = isListedPublisher(caller) ? [actor] : [];
  const owners = JSON.stringify((await ownNewName(changes, unit, name)) ?? publishers);
  await queries.run(INSERT, { lowerId, displayId, owners, createdAt: changes.now() });
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
