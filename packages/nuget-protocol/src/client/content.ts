import { parsePackageVersion } from "../notation/package-version.ts";
import { field, items, text } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";

const VERSIONS_MAX = 100_000;

/** Lower-cased normal forms, as the flat container lists them. Leaves out texts that are not
 * versions: no client can ask for them. */
export function parseVersions(document: JsonNode): readonly string[] {
  return items(field(document, "versions"), VERSIONS_MAX).flatMap((node) => {
    const version = parsePackageVersion(text(node));
    return version ? [version.normalized.toLowerCase()] : [];
  });
}
