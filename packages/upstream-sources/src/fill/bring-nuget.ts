import { lowerId } from "@sealhouse/nuget-protocol";
import type { NuGetUpstream, PackageLookup, ProvenanceLookup } from "@sealhouse/nuget-protocol";
import { fitsContentHash, OTHER_CONTENT_HASH } from "../wanted/stored-hashes.ts";
import type { WantedPackage } from "../wanted/wanted.ts";
import type { Brought } from "./brought.ts";
import { drain, FETCHED, missing, NOT_KEPT, PRESENT } from "./brought.ts";

/** The ports that bring NuGet packages. */
export type NuGetFillPorts = {
  /** The stored packages. */
  readonly stored: Pick<PackageLookup, "find">;
  readonly provenance: ProvenanceLookup;
  readonly upstream: Pick<NuGetUpstream, "package">;
};

/** Brings one version. The lists of its id stay as well: clients resolve it without the source. */
export async function bringNuGet(
  ports: NuGetFillPorts,
  { name, version, integrity }: WantedPackage,
): Promise<Brought> {
  const { stored, upstream } = ports;
  const key = [lowerId(name), version.toLowerCase()] as const;
  if (await stored.find(...key)) return checked(ports, key, { integrity, good: PRESENT });
  const arrived = await upstream.package(...key);
  if (!arrived) return missing("No source has this version.");
  if (arrived.status === "arriving") await drain(arrived.content.read());
  return checked(ports, key, { integrity, good: FETCHED });
}

async function checked(
  { stored, provenance }: NuGetFillPorts,
  key: readonly [id: string, version: string],
  { integrity, good }: { readonly integrity: string | undefined; readonly good: Brought },
): Promise<Brought> {
  const [found, facts] = await Promise.all([stored.find(...key), provenance.find(...key)]);
  if (!found) return missing(NOT_KEPT);
  if (found.blob.isDamaged) return missing("Its stored file is damaged.");
  return fitsContentHash(integrity, facts?.contentHash) ? good : missing(OTHER_CONTENT_HASH);
}
