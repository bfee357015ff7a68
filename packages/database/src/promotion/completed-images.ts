import { createHash } from "node:crypto";
import type { CompletedImages } from "@sealhouse/promotion";
import type { PortContext } from "../port-context.ts";
import { ociParam } from "../oci/oci-param.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

const PLACE = { place: param.text(64) };
const MANIFEST = { ...PLACE, digest: ociParam.digest };

const FIND = defineStatement("completed-manifest-find", MANIFEST, (db, { place, digest }) =>
  db
    .selectFrom("completed_manifests")
    .where("place", "=", place)
    .where("digest", "=", digest)
    .select("digest"),
);
const ADD = defineStatement(
  "completed-manifest-add",
  { ...MANIFEST, completedAt: param.time },
  (_db, { place, digest, completedAt }, own) =>
    own.upsert("completed_manifests", { place, digest, completed_at: completedAt }, [
      "place",
      "digest",
    ]),
);
const DROP = defineStatement("completed-manifests-drop", PLACE, (db, { place }) =>
  db.deleteFrom("completed_manifests").where("place", "=", place),
);

/** Manifests that releases completed at an endpoint. */
export function createCompletedImages(
  { queries, changes }: Pick<PortContext, "queries" | "changes">,
  endpoint: string,
): CompletedImages {
  return {
    in(repository) {
      const place = createHash("sha256").update(`${endpoint} ${repository}`).digest("hex");
      return {
        has: async (digest) => (await queries.one(FIND, { place, digest })) !== undefined,
        async add(digest) {
          await queries.run(ADD, { place, digest, completedAt: changes.now() });
        },
        async drop() {
          await queries.run(DROP, { place });
        },
      };
    },
  };
}
