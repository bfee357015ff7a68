import type { StoredManifest } from "@sealhouse/oci-distribution";
import { parseManifest } from "@sealhouse/oci-distribution";
import type { ManifestEdge } from "@sealhouse/oci-distribution";
import type { Platforms } from "../wanted/join-wanted.ts";

/** Names of Node for what images name differently. */
const OS: Readonly<Record<string, string>> = { win32: "windows" };
const ARCHITECTURE: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
/** Attestations belong to images of all platforms. */
const UNKNOWN = "unknown";

type Entry = {
  readonly digest?: unknown;
  readonly platform?: { readonly os?: unknown; readonly architecture?: unknown } | null;
};

/** Returns the children of an index that are for none of the platforms. */
export function otherPlatforms(
  { bytes, mediaType }: Pick<StoredManifest, "bytes" | "mediaType">,
  { os, cpu }: Platforms,
): readonly ManifestEdge[] {
  if (!os && !cpu) return [];
  const systems = os?.map((name) => OS[name] ?? name);
  const architectures = cpu?.map((name) => ARCHITECTURE[name] ?? name);
  // The manifest was checked when it was stored.
  const index = JSON.parse(Buffer.from(bytes).toString()) as {
    readonly manifests?: readonly Entry[] | null;
  };
  const kept = (index.manifests ?? []).filter(
    ({ platform }) =>
      isKept(platform?.os, systems) && isKept(platform?.architecture, architectures),
  );
  const digests = new Set(kept.map(({ digest }) => digest));
  const { edges } = parseManifest(bytes, mediaType);
  return edges.filter(({ kind, digest }) => kind === "child" && !digests.has(digest));
}

function isKept(name: unknown, names: readonly string[] | undefined): boolean {
  if (!names || typeof name !== "string" || name === "" || name === UNKNOWN) return true;
  return names.includes(name.toLowerCase());
}
