import { sql } from "#kysely";
import { membersOf } from "@sealhouse/promotion";
import type { HeldContents, ReleaseItem, ReleaseMember } from "@sealhouse/promotion";
import { digestOfSha256 } from "../blobs/digest.ts";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { keptVersionOf, wholeVersion } from "../npm/kept-versions.ts";
import { keptPackageOf, wholePackage } from "../nuget/statements/kept-packages.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

const RELEASE = { release: param.text(36) };
const ITEM = { protocol: param.text(16), name: param.text(255), item: param.text(256) };

const LOCK = defineStatement("held-blob-lock", { id: param.whole }, (db, { id }, own) =>
  own.forUpdate(db.selectFrom("blobs").where("id", "=", id).select("id")),
);
const HOLD = defineStatement(
  "held-content-insert",
  { ...RELEASE, ...ITEM, content: param.longText, blobId: param.whole },
  (db, { release, blobId, ...columns }) =>
    db.insertInto("held_contents").values({ ...columns, release_id: release, blob_id: blobId }),
);
const HELD_BY = defineStatement("held-contents-of-release", RELEASE, (db, { release }) =>
  db
    .selectFrom("held_contents")
    .where("release_id", "=", release)
    .select(["protocol", "blob_id"])
    .orderBy("id"),
);
const FREE = defineStatement("held-contents-free", RELEASE, (db, { release }) =>
  db.deleteFrom("held_contents").where("release_id", "=", release),
);
const FIND = defineStatement(
  "held-content-find",
  { ...ITEM, digest: param.text(135) },
  (db, { protocol, name, item, digest }) =>
    db
      .selectFrom("held_contents as k")
      .innerJoin("blobs as b", "b.id", "k.blob_id")
      .where("k.protocol", "=", protocol)
      .where("k.name", "=", name)
      .where("k.item", "=", item)
      .where("b.digest", "=", digest)
      .select(["k.item", "k.content", "b.storage_key", "b.size", "b.digest", "b.damaged_at"])
      .orderBy("k.id")
      .limit(sql.lit(1)),
);

/** Keeps the packages of a release until it ends, with the data that their versions have now. */
export async function holdPackages(
  unit: Unit,
  release: string,
  items: readonly ReleaseItem[],
): Promise<void> {
  const contents: Content[] = [];
  for (const member of membersOf(items)) {
    const content = await contentOf(unit, member);
    if (content) contents.push(content);
  }
  // In one order everywhere, so that two changes never wait for each other.
  for (const content of contents.toSorted((left, right) => left.blobId - right.blobId)) {
    // A version that is deleted now is not held: the release finds it withdrawn.
    if (!(await unit.queries.one(LOCK, { id: content.blobId }))) continue;
    await unit.queries.run(HOLD, { ...content, release });
  }
}

/** Ends the holds of a release. What nothing else names is deleted by the next sweep. */
export async function freePackages(unit: Unit, release: string): Promise<void> {
  const rows = await unit.queries.all(HELD_BY, { release });
  await unit.queries.run(FREE, { release });
  for (const protocol of ["nuget", "npm"] as const) {
    const own = rows.filter((row) => row.protocol === protocol);
    await releaseBlobs(
      unit,
      own.map((row) => row.blob_id),
      protocol,
    );
  }
}

type Content = NonNullable<Awaited<ReturnType<typeof contentOf>>>;

async function contentOf({ queries }: Unit, { protocol, name, version, received }: ReleaseMember) {
  if (protocol === "oci") return undefined;
  const named = keyOf(protocol, name, version);
  const found =
    protocol === "nuget" ? await wholePackage(queries, named) : await wholeVersion(queries, named);
  if (found?.digest !== digestOfSha256(received.sha256)) return undefined;
  const { content, blobId } = found;
  return { protocol, ...named, content: JSON.stringify(content), blobId };
}

/** As in the history. */
function keyOf(protocol: "nuget" | "npm", name: string, version: string) {
  if (protocol === "npm") return { name, item: version };
  return { name: name.toLowerCase(), item: version.toLowerCase() };
}

export function createHeldContents({ queries }: Pick<PortContext, "queries">): HeldContents {
  const find = (protocol: "nuget" | "npm", { name, version, received }: ReleaseMember) => {
    const digest = digestOfSha256(received.sha256);
    return queries.one(FIND, { protocol, ...keyOf(protocol, name, version), digest });
  };
  return {
    async nuget(member) {
      const row = await find("nuget", member);
      return row && keptPackageOf(row).stored;
    },
    async npm(member) {
      const row = await find("npm", member);
      return row && keptVersionOf(row);
    },
  };
}
