import type { Caller } from "@sealhouse/request-types";
import type { Maintainer, NpmOwners, PackageAccess } from "@sealhouse/npm-protocol";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import { touchPackage } from "./npm-rows.ts";
import { accessOf } from "./package-access.ts";

export type NpmOwnerChanges = Pick<NpmOwners, "setMaintainers" | "setAccess">;

const FIND: Statement = {
  name: "npm-package-to-own",
  sql: "select id, revision, maintainers, access from npm_packages where name = ?",
};
const SET_MAINTAINERS: Statement = {
  name: "npm-maintainers-set",
  sql: "update npm_packages set maintainers = ? where id = ?",
};
const SET_ACCESS: Statement = {
  name: "npm-access-set",
  sql: "update npm_packages set access = ? where id = ?",
};

export function createNpmOwnerChanges(changes: Changes): NpmOwnerChanges {
  return {
    setMaintainers: (name, wanted, caller) => setMaintainers(changes, { name, ...wanted }, caller),
    setAccess: (name, access, caller) => setAccess(changes, { name, access }, caller),
  };
}

type Owning = {
  readonly name: string;
  readonly maintainers: readonly Maintainer[];
  readonly revision: number;
};

function setMaintainers(
  changes: Changes,
  { name, maintainers, revision }: Owning,
  caller: Caller,
): Promise<"set" | "absent" | "changed"> {
  return changes.transaction(async (unit) => {
    if (!(await findOwned(unit, name))) return "absent";
    await changes.stale(unit, `npm/${name}`);
    // Asked again, because another change of this package may have been waited for.
    const found = await findOwned(unit, name);
    if (!found) return "absent";
    if (numberOf(found, "revision") !== revision) return "changed";
    const id = numberOf(found, "id");
    await unit.run(SET_MAINTAINERS, [JSON.stringify(maintainers), id]);
    await touchPackage(unit, id, { now: changes.now() });
    const detail = { maintainers: maintainers.map((one) => one.name) };
    const event = { type: "package.owners-changed", subject: `npm/${name}` } as const;
    await changes.event(unit, { ...event, caller, detail });
    return "set";
  });
}

function setAccess(
  changes: Changes,
  { name, access }: { readonly name: string; readonly access: PackageAccess },
  caller: Caller,
): Promise<"set" | "absent"> {
  return changes.transaction(async (unit) => {
    const early = await findOwned(unit, name);
    if (!early) return "absent";
    if (accessOf(early) === access) return "set";
    await changes.stale(unit, `npm/${name}`);
    const found = await findOwned(unit, name);
    if (!found) return "absent";
    const id = numberOf(found, "id");
    await unit.run(SET_ACCESS, [access, id]);
    await touchPackage(unit, id, { now: changes.now() });
    const event = { type: "package.access-changed", subject: `npm/${name}` } as const;
    await changes.event(unit, { ...event, caller, detail: { access } });
    return "set";
  });
}

async function findOwned({ read }: Unit, name: string): Promise<Row | undefined> {
  const [row] = await read(FIND, [name]);
  return row;
}
