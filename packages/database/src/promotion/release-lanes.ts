import type { ReleaseLanes } from "@sealhouse/promotion";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const RELEASE = { release: param.text(36) };
const PLACES = { places: param.texts };

const HOLDERS = defineStatement("release-lane-holders", PLACES, (db, { places }, own) =>
  db
    .selectFrom("release_lanes")
    .where("place", "in", own.textsIn(places))
    .select(["place", "release_id"]),
);
const TAKE = defineStatement(
  "release-lane-take",
  { ...RELEASE, place: param.text(64) },
  (db, { place, release }) => db.insertInto("release_lanes").values({ place, release_id: release }),
);
/** Frees the places of a release that ends. */
export const FREE_LANES = defineStatement("release-lanes-free", RELEASE, (db, { release }) =>
  db.deleteFrom("release_lanes").where("release_id", "=", release),
);

export function createReleaseLanes({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): ReleaseLanes {
  return {
    async claim(id, places) {
      if (places.length === 0) return undefined;
      // Mostly it has them already.
      const known = missing(id, places, await queries.all(HOLDERS, { places }));
      if (known.other !== undefined || known.free.length === 0) return known.other;
      return changes.transaction(async (unit) => {
        const { other, free } = missing(id, places, await unit.queries.all(HOLDERS, { places }));
        if (other !== undefined) return other;
        for (const place of free) await unit.queries.run(TAKE, { place, release: id });
        return undefined;
      });
    },
  };
}

/** Another release that has one of the places, and the places that no release has. */
function missing(id: string, places: readonly string[], rows: readonly RowOf<typeof HOLDERS>[]) {
  const other = rows.find(({ release_id: holder }) => holder !== id)?.release_id;
  const taken = new Set(rows.map(({ place }) => place));
  // In one order, so that two releases never wait for each other.
  return { other, free: places.filter((place) => !taken.has(place)).toSorted() };
}
