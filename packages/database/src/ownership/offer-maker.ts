import type { OwnableName } from "@sealhouse/identity";
import type { Unit } from "../transactions/unit-of-work.ts";
import { defineStatement } from "../statements/statement.ts";
import { HOLDER_KIND } from "./own-owner.ts";
import { standingOf } from "./standing.ts";

const USER = defineStatement("offer-maker-user", HOLDER_KIND, (db, { holderId }) =>
  db.selectFrom("host_users").where("id", "=", holderId).select(["role", "state"]),
);
const ACCOUNT = defineStatement("offer-maker-account", HOLDER_KIND, (db, { holderId }) =>
  db.selectFrom("host_service_accounts").where("id", "=", holderId).select("state"),
);

/** Whether those who made an offer may still make it. Without an id, they are the operators. */
export async function mayStillOffer(
  { queries }: Pick<Unit, "queries">,
  name: OwnableName,
  makerId: string | null,
): Promise<boolean> {
  if (makerId === null) return true;
  const user = await queries.one(USER, { holderId: makerId });
  const holder = user ?? (await queries.one(ACCOUNT, { holderId: makerId }));
  if (holder?.state !== "active" || user?.role === "consumer") return false;
  if (user?.role === "administrator") return true;
  return (await standingOf(queries, name, makerId)).level === "manage";
}
