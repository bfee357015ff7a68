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
      const bytes = Buffer.from(JSON.stringify(found.packument.document));
      remember(bytes, found.packument);
      return { status: "found", bytes, etag: found.etag };
    },
  };
}

/** Small packuments that were read last. Each is needed several times in a row. */
const recent = new BoundedCache<Uint8Array, RemotePackument>({ entries: 64 });
const SMALL_BYTES = 64 * 1024;

function remember(bytes: Uint8Array, packument: RemotePackument): void {
  if (bytes.length <= SMALL_BYTES) recent.set(bytes, packument);
}

/** Reads a kept packument. */
export function readPackument(bytes: Uint8Array, name: string): RemotePackument {
  const known = recent.get(bytes);
  if (known?.name === name) return known;
  const packument = parsePackument(JSON.parse(Buffer.from(bytes).toString()), name);
  if (!packument) throw new Error(`the kept packument of ${name} cannot be read`);
  remember(bytes, packument);
  return packument;
}
