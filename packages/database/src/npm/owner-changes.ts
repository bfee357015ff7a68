import type { Caller } from "@sealhouse/request-types";
import type { Maintainer, NpmOwners, PackageAccess } from "@sealhouse/npm-protocol";
import type { Changes } from "../transactions/changes.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { touchPackage } from "./npm-rows.ts";
import { accessOf } from "./package-access.ts";

export type NpmOwnerChanges = Pick<NpmOwners, "setMaintainers" | "setAccess">;

const FIND = defineStatement("npm-package-to-own", { name: param.text(214) }, (db, { name }) =>
  db
    .selectFrom("npm_packages")
    .where("name", "=", name)
    .select(["id", "revision", "maintainers", "access"]),
);
const SET_MAINTAINERS = defineStatement(
  "npm-maintainers-set",
  { id: param.whole, maintainers: param.longText },
  (db, { id, maintainers }) =>
    db.updateTable("npm_packages").set({ maintainers }).where("id", "=", id),
);
const SET_ACCESS = defineStatement(
  "npm-access-set",
  { id: param.whole, access: param.text(16) },
  (db, { id, access }) => db.updateTable("npm_packages").set({ access }).where("id", "=", id),
);

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
    if (!(await unit.queries.one(FIND, { name }))) return "absent";
    await changes.stale(unit, `npm/${name}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const found = await unit.queries.one(FIND, { name });
    if (!found) return "absent";
    if (found.revision !== revision) return "changed";
    const { id } = found;
    await unit.queries.run(SET_MAINTAINERS, { id, maintainers: JSON.stringify(maintainers) });
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
    const early = await unit.queries.one(FIND, { name });
    if (!early) return "absent";
    if (accessOf(early) === access) return "set";
    await changes.stale(unit, `npm/${name}`);
    const found = await unit.queries.one(FIND, { name });
    if (!found) return "absent";
    const { id } = found;
    await unit.queries.run(SET_ACCESS, { id, access });
    await touchPackage(unit, id, { now: changes.now() });
    const event = { type: "package.access-changed", subject: `npm/${name}` } as const;
    await changes.event(unit, { ...event, caller, detail: { access } });
    return "set";
  });
}
