import type { Caller } from "@sealhouse/request-types";
import { OciError } from "../errors.ts";
import type { Digest } from "../digest.ts";
import type { ImmutableTag, ManifestCatalog, ManifestEdge, NewManifest } from "../ports.ts";
import { MAX_INDEX_DEPTH } from "./manifest.ts";

/** Records a manifest however it came here; what the catalog refuses is thrown as an `OciError`.
 * `isSparse`: an index may list manifests that are not here. */
export async function recordManifest(
  manifests: Pick<ManifestCatalog, "record">,
  manifest: NewManifest,
  caller: Caller,
  { isSparse = false }: { readonly isSparse?: boolean } = {},
): Promise<"recorded" | "unchanged"> {
  const first = await manifests.record(manifest, caller);
  const thinned =
    isSparse && first.status === "missing" ? withSparse(manifest, first.digests) : undefined;
  const outcome = thinned ? await manifests.record(thinned, caller) : first;
  switch (outcome.status) {
    case "recorded":
    case "unchanged":
      return outcome.status;
    case "missing":
      throw new OciError("MANIFEST_BLOB_UNKNOWN", {
        details: outcome.digests.map((digest) => ({ digest })),
      });
    case "size-mismatch":
      throw new OciError("MANIFEST_INVALID", {
        message: `manifest invalid: ${outcome.digest} has another size than its descriptor says`,
        details: [{ digest: outcome.digest }],
      });
    case "too-deep":
      throw new OciError("MANIFEST_INVALID", {
        message: `manifest invalid: its indexes nest more than ${MAX_INDEX_DEPTH} deep`,
      });
    case "tags-full":
      throw new OciError("DENIED", {
        message:
          `the repository ${manifest.repository} has ${manifest.tagsMax} tags, the most that it ` +
          "may have: delete some, or push to another repository",
      });
    case "immutable":
      throw immutableTag(outcome, { status: 409, advice: "push it under another tag" });
  }
}

/** Undefined if other content than children is missing. */
function withSparse(manifest: NewManifest, missing: readonly Digest[]): NewManifest | undefined {
  const absent = new Set(missing);
  const isChild = ({ digest, kind }: ManifestEdge) => kind === "child" || !absent.has(digest);
  if (!manifest.edges.every(isChild)) return undefined;
  const edges = manifest.edges.map((edge) => (absent.has(edge.digest) ? sparseEdge(edge) : edge));
  return { ...manifest, edges };
}

/** Returns the edges of a mirrored manifest, all of whose content may be absent. */
export function sparseEdges(edges: readonly ManifestEdge[]): readonly ManifestEdge[] {
  const sparse = edges.map(sparseEdge);
  // One digest may be both config and layer.
  return [...new Map(sparse.map((edge) => [`${edge.kind} ${edge.digest}`, edge])).values()];
}

function sparseEdge({ kind, ...edge }: ManifestEdge): ManifestEdge {
  return { ...edge, kind: kind === "child" || kind === "sparse" ? "sparse" : "foreign" };
}

/** The message that a client shows when a rule forbids the change. */
export function immutableTag(
  { tag, rule }: ImmutableTag,
  { status, advice }: { readonly status: 403 | 409; readonly advice: string },
): OciError {
  const message = `the tag ${tag} is immutable by the rule ${JSON.stringify(rule)}: ${advice}`;
  return new OciError("DENIED", { status, message, details: [{ tag, rule }] });
}
