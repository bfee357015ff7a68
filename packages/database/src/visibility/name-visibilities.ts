import { sql } from "#kysely";
import { VISIBILITIES } from "@sealhouse/identity";
import type { HiddenName, NameVisibilities, Visibility } from "@sealhouse/identity";
import { CATALOG_GROUP } from "@sealhouse/nuget-protocol";
import type { Caller, Protocol } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UnexpectedRowError } from "../errors.ts";
import { appendHidden } from "../nuget/catalog/hidden-catalog.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { isRestricted } from "./hidden-names.ts";

const PROTOCOL = { protocol: param.text(NAME_LENGTH.protocol) };
const NAME = { ...PROTOCOL, name: param.text(255) };

const ANY = defineStatement(
  "names-hidden-any",
  {},
  (db, _parameters, own) =>
    own.limit(
      db
        .selectFrom("name_settings")
        .where((row) => isRestricted(row.ref("visibility")))
        .select(sql.lit(1).as("one"))
        .orderBy("protocol"),
      sql.lit(1),
    ),
  { recall: "rows" },
);
const FIND = defineStatement(
  "name-hidden",
  NAME,
  (db, { protocol, name }) =>
    db
      .selectFrom("name_settings as s")
      .leftJoin("ownerships as o", (join) =>
        join.onRef("o.protocol", "=", "s.protocol").onRef("o.name_key", "=", "s.name_key"),
      )
      .where("s.protocol", "=", protocol)
      .where("s.name_key", "=", name)
      .select(["s.name_key", "s.visibility", "o.owner_id"]),
  { recall: "rows" },
);
const LIST = defineStatement(
  "names-hidden",
  PROTOCOL,
  (db, { protocol }) =>
    db
      .selectFrom("name_settings as s")
      .leftJoin("ownerships as o", (join) =>
        join.onRef("o.protocol", "=", "s.protocol").onRef("o.name_key", "=", "s.name_key"),
      )
      .where("s.protocol", "=", protocol)
      .where((row) => isRestricted(row.ref("s.visibility")))
      .select(["s.name_key", "s.visibility", "o.owner_id"])
      .orderBy("s.name_key"),
  { recall: "rows" },
);
const TEAMS = defineStatement(
  "teams-of-user",
  { userId: param.text(36) },
  (db, { userId }) =>
    db.selectFrom("host_team_members").where("user_id", "=", userId).select("team_id"),
  { recall: "rows" },
);
const TEAM = defineStatement(
  "team-of-account",
  { id: param.text(36) },
  (db, { id }) => db.selectFrom("host_service_accounts").where("id", "=", id).select("team_id"),
  { recall: "rows" },
);
const SETTING = defineStatement("name-setting", NAME, (db, { protocol, name }) =>
  db
    .selectFrom("name_settings")
    .where("protocol", "=", protocol)
    .where("name_key", "=", name)
    .select("visibility"),
);
const CHANGE = { ...NAME, visibility: param.text(16), at: param.time };
const INSERT = defineStatement("name-setting-insert", CHANGE, (db, parameters, own) =>
  db.insertInto("name_settings").values({
    protocol: parameters.protocol,
    name_key: parameters.name,
    visibility: parameters.visibility,
    trusted_only: own.no,
    changed_at: parameters.at,
  }),
);
const UPDATE = defineStatement("name-setting-update", CHANGE, (db, parameters) =>
  db
    .updateTable("name_settings")
    .set({ visibility: parameters.visibility, changed_at: parameters.at })
    .where("protocol", "=", parameters.protocol)
    .where("name_key", "=", parameters.name),
);
const EXISTS = {
  nuget: defineStatement("name-exists-nuget", { name: param.text(255) }, (db, { name }) =>
    db.selectFrom("nuget_packages").where("lower_id", "=", name).select("id"),
  ),
  npm: defineStatement("name-exists-npm", { name: param.text(255) }, (db, { name }) =>
    db.selectFrom("npm_packages").where("name", "=", name).select("id"),
  ),
  oci: defineStatement("name-exists-oci", { name: param.text(255) }, (db, { name }) =>
    db.selectFrom("oci_repositories").where("name", "=", name).select("id"),
  ),
} as const;

type Rows = readonly RowOf<typeof LIST>[];

/** Visibilities of names in the database. */
export function createNameVisibilities({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): NameVisibilities {
  /** Parsed results by cached rows, which are identical objects. */
  const namesByRows = new WeakMap<Rows, readonly HiddenName[]>();
  const parsed = (rows: Rows): readonly HiddenName[] => {
    const names = namesByRows.get(rows) ?? hiddenNames(rows);
    namesByRows.set(rows, names);
    return names;
  };
  return {
    any: async () => (await queries.all(ANY, {})).length > 0,
    async find(protocol, name) {
      return parsed(await queries.all(FIND, { protocol, name: keyOf(protocol, name) }))[0];
    },
    list: async (protocol) => parsed(await queries.all(LIST, { protocol })),
    async ownersOf({ user, serviceAccountId }) {
      if (user) {
        const teams = await queries.all(TEAMS, { userId: user.id });
        return [user.id, ...teams.map(({ team_id: id }) => id)];
      }
      if (serviceAccountId === undefined) return [];
      const [account] = await queries.all(TEAM, { id: serviceAccountId });
      return account?.team_id ? [account.team_id] : [];
    },
    set: (protocol, name, { visibility, by }) =>
      setVisibility(changes, { protocol, name: keyOf(protocol, name), visibility, by }),
  };
}

function keyOf(protocol: Protocol, name: string): string {
  return protocol === "nuget" ? name.toLowerCase() : name;
}

/** Groups rows of one name, which follow each other. */
function hiddenNames(rows: Rows): readonly HiddenName[] {
  const names = new Map<
    string,
    { name: string; visibility: HiddenName["visibility"]; owners: string[] }
  >();
  for (const { name_key: name, visibility: text, owner_id: owner } of rows) {
    const visibility = visibilityOf(text);
    if (visibility === "public") continue;
    const entry = names.get(name) ?? { name, visibility, owners: [] };
    names.set(name, entry);
    if (owner !== null) entry.owners.push(owner);
  }
  return [...names.values()];
}

/** An unknown word never shows a name to more callers, so it is an error. */
function visibilityOf(text: string | null): Visibility {
  if (text === null) return "public";
  const visibility = VISIBILITIES.find((known) => known === text);
  if (visibility === undefined) throw new UnexpectedRowError("visibility", text);
  return visibility;
}

type VisibilityChange = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly visibility: Visibility;
  readonly by: Caller;
};

function setVisibility(
  changes: Changes,
  change: VisibilityChange,
): Promise<"set" | "unchanged" | "absent"> {
  const { protocol, name, visibility, by } = change;
  return changes.transaction(async (unit) => {
    // First, so that an item that is appended at the same time is either hidden or left out.
    if (protocol === "nuget") await changes.stale(unit, CATALOG_GROUP);
    if (!(await unit.queries.one(EXISTS[protocol], { name }))) return "absent";
    const before = await writeVisibility(unit, change, changes.now());
    if (before === undefined) return "unchanged";
    if (protocol === "nuget" && before === "public") await appendHidden(changes, unit, name);
    const event = { type: "package.access-changed", subject: `${protocol}/${name}` } as const;
    await changes.event(unit, { ...event, caller: by, detail: { access: visibility } });
    return "set";
  });
}

/** Writes the row of a name. Returns the visibility before; undefined when it is the same. */
export async function writeVisibility(
  { queries }: Unit,
  { protocol, name, visibility }: Pick<VisibilityChange, "protocol" | "name" | "visibility">,
  at: Date,
): Promise<Visibility | undefined> {
  const setting = await queries.one(SETTING, { protocol, name });
  const before = visibilityOf(setting?.visibility ?? null);
  if (before === visibility) return undefined;
  await queries.run(setting ? UPDATE : INSERT, { protocol, name, visibility, at });
  return before;
}
