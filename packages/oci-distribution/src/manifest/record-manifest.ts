import type { Caller } from "@sealhouse/request-types";
import { OciError } from "../errors.ts";
import type { ImmutableTag, ManifestCatalog, NewManifest } from "../ports.ts";
import { MAX_INDEX_DEPTH } from "./manifest.ts";

/** Records a manifest however it came here; what the catalog refuses is thrown as an `OciError`. */
export async function recordManifest(
  manifests: Pick<ManifestCatalog, "record">,
  manifest: NewManifest,
  caller: Caller,
): Promise<"recorded" | "unchanged"> {
  const outcome = await manifests.record(manifest, caller);
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
    case "immutable":
      throw immutableTag(outcome, { status: 409, advice: "push it under another tag" });
  }
}

/** The message that a client shows when a rule forbids the change. */
export function immutableTag(
  { tag, rule }: ImmutableTag,
  { status, advice }: { readonly status: 403 | 409; readonly advice: string },
): OciError {
  const message = `the tag ${tag} is immutable by the rule ${JSON.stringify(rule)}: ${advice}`;
  return new OciError("DENIED", { status, message, details: [{ tag, rule }] });
}
