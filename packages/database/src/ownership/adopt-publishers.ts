import { sql } from "#kysely";
import { OWNERS_OF_NAME_MAX } from "@sealhouse/identity";
import type { AdoptedOwners, OwnableName, Owner } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { maintainersOf } from "../npm/package-access.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { textList } from "../statements/text-list.ts";
import { mirroredName } from "../upstream/own-names.ts";
import { changeOwners } from "./change-owners.ts";
import { imagePublishers } from "./image-publishers.ts";
import { findOwner } from "./owner-rows.ts";

const NAMES_AT_ONCE = 200;
const PAGE = { after: param.whole, limit: param.whole };

/** Names of this registry without owners, with their recorded publishers. */
const NUGET = defineStatement("nuget-unowned", PAGE, (db, { after, limit }, own) =>
  own.limit(
    db
      .selectFrom("nuget_packages as p")
      .leftJoin("ownerships as o", (join) =>
        join.onRef("o.name_key", "=", "p.lower_id").on("o.protocol", "=", sql.lit("nuget")),
      )
      .where("p.id", ">", after)
      .where((row) => row.not(row.exists(mirroredName(own, "nuget", "p.lower_id"))))
      .where("o.owner_id", "is", null)
      .select(["p.id", "p.lower_id as name", "p.owners as publishers"])
      .orderBy("p.id"),
    limit,
  ),
);
const NPM = defineStatement("npm-unowned", PAGE, (db, { after, limit }, own) =>
  own.limit(
    db
      .selectFrom("npm_packages as p")
      .leftJoin("ownerships as o", (join) =>
        join.onRef("o.name_key", "=", "p.name").on("o.protocol", "=", sql.lit("npm")),
      )
      .where("p.id", ">", after)
      .where((row) => row.not(row.exists(mirroredName(own, "npm", "p.name"))))
      .where("o.owner_id", "is", null)
      .select(["p.id", "p.name", "p.maintainers as publishers"])
      .orderBy("p.id"),
    limit,
  ),
);
const OCI = defineStatement("oci-unowned", PAGE, (db, { after, limit }, own) =>
  own.limit(
    db
      .selectFrom("oci_repositories as p")
      .leftJoin("ownerships as o", (join) =>
        join.onRef("o.name_key", "=", "p.name").on("o.protocol", "=", sql.lit("oci")),
      )
      .where("p.id", ">", after)
      .where((row) => row.not(row.exists(mirroredName(own, "oci", "p.name"))))
      .where("o.owner_id", "is", null)
      .select(["p.id", "p.name"])
      .orderBy("p.id"),
    limit,
  ),
);

type Unowned = OwnableName & { readonly publishers: readonly string[] };

/**
 * Turns recorded publishers into owners: the first with the level `manage`, others with `publish`.
 * The audit log has those of images, as far back as it reaches.
 */
export async function adoptPublishers(
  { queries, changes }: Pick<PortContext, "queries" | "changes">,
  by: Caller,
): Promise<AdoptedOwners> {
  const left: OwnableName[] = [];
  const crowded: AdoptedOwners["crowded"][number][] = [];
  let adopted = 0;
  let images: ReturnType<typeof imagePublishers> | undefined;
  for await (const { publishers, ...name } of unownedNames(queries)) {
    const found = await Promise.all(publishers.map((handle) => findOwner({ queries }, handle)));
    if (name.protocol === "oci") {
      images ??= imagePublishers(queries);
      found.push(...((await images).get(name.name) ?? []));
    }
    const { owners, others } = withLevels(found.filter((owner) => owner !== undefined));
    if (owners.length === 0) {
      left.push(name);
      continue;
    }
    const outcome = await changes.transaction((unit) =>
      changeOwners(changes, unit, {
        name,
        by,
        next: (present) => (present.length > 0 ? present : owners),
      }),
    );
    if (outcome !== "changed") continue;
    adopted += 1;
    if (others.length > 0) crowded.push({ ...name, others });
  }
  return { adopted, left, crowded };
}

/** The owners of a name, and the handles of those that it cannot take. */
function withLevels(found: readonly Owner[]) {
  const publishers = [...new Map(found.map((owner) => [owner.id, owner])).values()];
  const owners = publishers
    .slice(0, OWNERS_OF_NAME_MAX)
    .map((owner, index) => ({ ...owner, level: index === 0 ? "manage" : "publish" }) as const);
  return { owners, others: publishers.slice(OWNERS_OF_NAME_MAX).map(({ handle }) => handle) };
}

/** Leaves out names that were found at a package source. */
export async function* unownedNames(queries: Queries): AsyncGenerator<Unowned> {
  yield* pages("nuget", async (after) =>
    (await queries.all(NUGET, { after, limit: NAMES_AT_ONCE })).map((row) => ({
      ...row,
      publishers: row.publishers === null ? [] : textList(row.publishers),
    })),
  );
  yield* pages("npm", async (after) =>
    (await queries.all(NPM, { after, limit: NAMES_AT_ONCE })).map((row) => ({
      ...row,
      publishers: maintainersOf({ maintainers: row.publishers }).map(({ name }) => name),
    })),
  );
  yield* pages("oci", async (after) =>
    (await queries.all(OCI, { after, limit: NAMES_AT_ONCE })).map((row) => ({
      ...row,
      publishers: [],
    })),
  );
}

type Page = readonly {
  readonly id: number;
  readonly name: string;
  readonly publishers: readonly string[];
}[];

async function* pages(
  protocol: OwnableName["protocol"],
  read: (after: number) => Promise<Page>,
): AsyncGenerator<Unowned> {
  for (let after = 0; ;) {
    const rows = await read(after);
    for (const { name, publishers } of rows) yield { protocol, name, publishers };
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
