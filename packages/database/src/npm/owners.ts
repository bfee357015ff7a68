import type { Caller } from "@sealhouse/request-types";
import type { Maintainer, NpmOwners, OwnedPackage, PackageAccess } from "@sealhouse/npm-protocol";
import type { OwnerLevel } from "@sealhouse/identity";
import { saltedDigest } from "@sealhouse/events";
import { changeOwners } from "../ownership/change-owners.ts";
import { findOwner, ownersOf } from "../ownership/owner-rows.ts";
import type { PortContext } from "../port-context.ts";
import { containing } from "../raw/like.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { isLike } from "../statements/like.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { restrictedNames } from "../visibility/hidden-names.ts";
import { writeVisibility } from "../visibility/name-visibilities.ts";
import { touchPackage } from "./npm-rows.ts";
import { accessOf, maintainersOf } from "./package-access.ts";
import { noteEntry } from "./search/note-entry.ts";

const PATTERN = { pattern: param.longText };

const OF_SCOPE = defineStatement("npm-packages-of-scope", PATTERN, (db, { pattern }) =>
  db
    .selectFrom("npm_packages")
    .where((row) => isLike(row.ref("name"), pattern))
    .select(["name", "maintainers"])
    .orderBy("name"),
);
const OF_MAINTAINER = defineStatement("npm-packages-of-maintainer", PATTERN, (db, { pattern }) =>
  db
    .selectFrom("npm_packages")
    .where((row) => isLike(row.ref("maintainers"), pattern))
    .select(["name", "maintainers"])
    .orderBy("name"),
);
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

export function createNpmOwners({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): NpmOwners {
  return {
    async packages(of) {
      if ("scope" in of) {
        const prefix = `${of.scope}/`;
        const pattern = containing(prefix).slice(1);
        const rows = await queries.all(OF_SCOPE, { pattern });
        // A database may compare without regard to letter case.
        return rows.map(ownedPackage).filter(({ name }) => name.startsWith(prefix));
      }
      const { maintainer } = of;
      const pattern = containing(JSON.stringify(maintainer));
      const rows = await queries.all(OF_MAINTAINER, { pattern });
      return rows
        .map(ownedPackage)
        .filter(({ maintainers }) => maintainers.some(({ name }) => name === maintainer));
    },
    setMaintainers: (name, change, caller) => setMaintainers(changes, { name, ...change }, caller),
    setAccess: (name, access, caller) => setAccess(changes, { name, access }, caller),
    isPrivate: async (name) => (await restrictedNames(queries, "npm", [name])).size > 0,
  };
}

function ownedPackage(row: RowOf<typeof OF_SCOPE>): OwnedPackage {
  return { name: row.name, maintainers: maintainersOf(row) };
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
): ReturnType<NpmOwners["setMaintainers"]> {
  return changes.transaction(async (unit) => {
    if (!(await unit.queries.one(FIND, { name }))) return "absent";
    await changes.stale(unit, `npm/${name}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const row = await unit.queries.one(FIND, { name });
    if (!row) return "absent";
    if (row.revision !== revision) return "changed";
    const { id } = row;
    const owned = await changeOwnersTo(changes, unit, { name, maintainers, by: caller });
    if (owned) return owned;
    await unit.queries.run(SET_MAINTAINERS, { id, maintainers: JSON.stringify(maintainers) });
    await noteEntry(unit, id);
    await touchPackage(unit, id, { now: changes.now() });
    const names = maintainers.map((maintainer) => maintainer.name);
    const detail = { maintainers: names, set: saltedDigest(names) };
    const event = { type: "package.owners-changed", subject: `npm/${name}` } as const;
    await changes.event(unit, { ...event, caller, detail });
    return "set";
  });
}

/**
 * Makes these maintainers the owners of a package that has owners. New ones get the level `manage`;
 * who only reads is no maintainer, and stays. Undefined when the package has no owners.
 */
async function changeOwnersTo(
  changes: Changes,
  unit: Unit,
  change: Pick<Owning, "name" | "maintainers"> & { readonly by: Caller },
): Promise<"set" | "last" | "full" | "stranger" | undefined> {
  const { by, maintainers } = change;
  const name = { protocol: "npm", name: change.name } as const;
  const present = await ownersOf(unit, name);
  if (present.length === 0) return undefined;
  const wanted = new Map<string, OwnerLevel>();
  for (const { name: handle } of maintainers) {
    const standing = present.find((owner) => owner.handle === handle);
    const owner = standing ?? (await findOwner(unit, handle));
    if (owner?.handle !== handle) return "stranger";
    const isReader = !standing || standing.level === "read";
    wanted.set(owner.id, isReader ? { ...owner, level: "manage" } : standing);
  }
  const readers = present.filter(({ id, level }) => level === "read" && !wanted.has(id));
  const next = () => [...wanted.values(), ...readers];
  const outcome = await changeOwners(changes, unit, { name, by, next });
  return outcome === "last" || outcome === "full" ? outcome : "set";
}

function setAccess(
  changes: Changes,
  { name, access }: { readonly name: string; readonly access: PackageAccess },
  caller: Caller,
): Promise<"set" | "absent"> {
  return changes.transaction(async (unit) => {
    const early = await unit.queries.one(FIND, { name });
    if (!early) return "absent";
    const visibility = access === "restricted" ? "private" : "public";
    const change = { protocol: "npm", name, visibility } as const;
    const before = await writeVisibility(unit, change, changes.now());
    if (before === undefined && accessOf(early) === access) return "set";
    await changes.stale(unit, `npm/${name}`);
    const row = await unit.queries.one(FIND, { name });
    if (!row) return "absent";
    const { id } = row;
    await unit.queries.run(SET_ACCESS, { id, access });
    await touchPackage(unit, id, { now: changes.now() });
    const event = { type: "package.access-changed", subject: `npm/${name}` } as const;
    await changes.event(unit, { ...event, caller, detail: { access } });
    return "set";
  });
}
