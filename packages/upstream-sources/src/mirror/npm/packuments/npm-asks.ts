import { BoundedCache } from "@sealhouse/bounded-cache";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import { parsePackument } from "@sealhouse/npm-protocol/client";
import type { RemotePackument } from "@sealhouse/npm-protocol/client";
import type { PackageSource } from "../../../sources/package-source.ts";
import { openNpmSource } from "../../../sources/source-clients.ts";
import type { DocumentAsk } from "../../documents/document-ask.ts";
import type { Mirror } from "../../mirror.ts";
import { PATIENCE } from "../../calls/patience.ts";

/** Opens a client of a source. It needs no closing. */
export function npmClientOf(source: PackageSource, mirror: Pick<Mirror, "fetchOf">): NpmClient {
  return openNpmSource(source, { fetch: mirror.fetchOf(source), patience: PATIENCE });
}

/** The question for the packument of a package. `version`: it must be listed. */
export function packumentAsk(
  client: NpmClient,
  {
    source,
    name,
    version,
  }: {
    readonly source: PackageSource;
    readonly name: string;
    readonly version?: string;
  },
): DocumentAsk {
  return {
    source,
    kind: "packument",
    name,
    part: "",
    staleGroups: [`npm/${name}`],
    ...(version !== undefined && {
      isEnough: (bytes) =>
        readPackument(bytes, name).versions.some((listed) => listed.version === version),
    }),
    async fetch({ etag }, signal) {
      const found = await client.packument(name, { etag, signal });
      if (!found) return { status: "absent" };
      if (found.status === "unchanged") return { status: "unchanged" };
      recent.set(found.received.bytes, found.packument);
      return { status: "found", ...found.received, etag: found.etag };
    },
  };
}

/** Packuments by their bytes. Each is needed several times in a row. */
const recent = new BoundedCache<Uint8Array, RemotePackument>({
  entries: 64,
  weight: { max: 4 * 1024 * 1024, entryMax: 1024 * 1024, of: (_, { length }) => length },
});

/** Reads a kept packument. */
export function readPackument(bytes: Uint8Array, name: string): RemotePackument {
  const known = recent.get(bytes);
  if (known?.name === name) return known;
  // Skips a byte order mark.
  const packument = parsePackument(JSON.parse(new TextDecoder().decode(bytes)), name);
  if (!packument) throw new Error(`the kept packument of ${name} cannot be read`);
  recent.set(bytes, packument);
  return packument;
}
