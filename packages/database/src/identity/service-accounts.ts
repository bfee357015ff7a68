import type { Caller } from "@sealhouse/request-types";
import { SERVICE_ACCOUNT_STATES } from "@sealhouse/identity";
import type { ServiceAccount, ServiceAccounts, ServiceAccountState } from "@sealhouse/identity";
import type { Changes } from "../transactions/changes.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { endAccountAccess } from "./end-access.ts";
import { holdPeople, takeName } from "./owner-names.ts";
import { TEAM_BY_ID } from "./team-rows.ts";
import { memberOf } from "./token-rows.ts";

const NAME_MAX = 64;
const COLUMNS = ["id", "name", "team_id", "state", "created_at"] as const;
const ID = { id: param.text(36) };

const BY_ID = defineStatement("service-account-by-id", ID, (db, { id }) =>
  db.selectFrom("host_service_accounts").select(COLUMNS).where("id", "=", id),
);
const BY_NAME = defineStatement(
  "service-account-by-name",
  { text: param.text(NAME_MAX) },
  (db, { text }) =>
    db
      .selectFrom("host_service_accounts")
      .select(COLUMNS)
      .where((account) => account.or([account("id", "=", text), account("name", "=", text)])),
);
const LIST = defineStatement("service-accounts", {}, (db) =>
  db.selectFrom("host_service_accounts").select(COLUMNS).orderBy("name"),
);
const INSERT = defineStatement(
  "service-account-insert",
  {
    ...ID,
    name: param.text(NAME_MAX),
    teamId: param.optional(param.text(36)),
    state: param.text(16),
    createdAt: param.time,
  },
  (db, parameters) => db.insertInto("host_service_accounts").values(inColumns(parameters)),
);
const SET_STATE = defineStatement(
  "service-account-set-state",
  { ...ID, state: param.text(16) },
  (db, { id, state }) =>
    db.updateTable("host_service_accounts").set({ state }).where("id", "=", id),
);
const SET_TEAM = defineStatement(
  "service-account-set-team",
  { ...ID, teamId: param.optional(param.text(36)) },
  (db, { id, teamId }) =>
    db.updateTable("host_service_accounts").set({ team_id: teamId }).where("id", "=", id),
);

export function createServiceAccounts(queries: Queries, changes: Changes): ServiceAccounts {
  return {
    add: (account, by) => add(changes, account, by),
    async find(nameOrId) {
      const text = nameOrId.toLowerCase();
      if (text.length > NAME_MAX) return undefined;
      const row = await queries.one(BY_NAME, { text });
      return row && serviceAccountOf(row);
    },
    list: async () => (await queries.all(LIST, {})).map(serviceAccountOf),
    setState: (id, state, by) => setState(changes, { id, state, by }),
    setTeam: (id, teamId, by) => setTeam(changes, { id, teamId, by }),
  };
}

function add(
  changes: Changes,
  { id, name, teamId, state, createdAt }: ServiceAccount,
  by: Caller,
): Promise<"added" | "taken"> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    if (!(await takeName(unit, { name, kind: "account", ownerId: id, at: createdAt }))) {
      return "taken";
    }
    await unit.queries.run(INSERT, { id, name, teamId, state, createdAt });
    const team =
      teamId === undefined ? undefined : await unit.queries.one(TEAM_BY_ID, { id: teamId });
    const detail = { change: "added", state, ...(team && { team: team.handle }) };
    await changes.event(unit, changed(name, { by, detail }));
    return "added";
  });
}

type Outcome = "set" | "unchanged" | "absent";

function setState(
  changes: Changes,
  change: { readonly id: string; readonly state: ServiceAccountState; readonly by: Caller },
): Promise<Outcome> {
  const { id, state, by } = change;
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const row = await unit.queries.one(BY_ID, { id });
    if (!row) return "absent";
    if (row.state === state) return "unchanged";
    await unit.queries.run(SET_STATE, { id, state });
    if (state !== "active") await endAccountAccess(unit, id);
    await changes.event(unit, changed(row.name, { by, detail: { change: "state", state } }));
    return "set";
  });
}

function setTeam(
  changes: Changes,
  change: { readonly id: string; readonly teamId: string | undefined; readonly by: Caller },
): Promise<Outcome> {
  const { id, teamId, by } = change;
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const { queries } = unit;
    const row = await queries.one(BY_ID, { id });
    const team = teamId === undefined ? undefined : await queries.one(TEAM_BY_ID, { id: teamId });
    if (!row || (teamId !== undefined && !team)) return "absent";
    if (row.team_id === (teamId ?? null)) return "unchanged";
    await queries.run(SET_TEAM, { id, teamId });
    const detail = { change: "team", ...(team && { team: team.handle }) };
    await changes.event(unit, changed(row.name, { by, detail }));
    return "set";
  });
}

function changed(
  name: string,
  { by, detail }: { readonly by: Caller; readonly detail: Readonly<Record<string, unknown>> },
) {
  return { type: "account.changed", subject: `account/${name}`, caller: by, detail } as const;
}

function serviceAccountOf(row: RowOf<typeof BY_ID>): ServiceAccount {
  return {
    id: row.id,
    name: row.name,
    ...(row.team_id !== null && { teamId: row.team_id }),
    state: memberOf("state", row.state, SERVICE_ACCOUNT_STATES),
    createdAt: row.created_at,
  };
}
