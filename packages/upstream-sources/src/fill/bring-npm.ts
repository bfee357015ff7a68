import type { NpmLookup, NpmUpstream } from "@sealhouse/npm-protocol";
import { fitsStoredVersion, OTHER_INTEGRITY } from "../wanted/stored-hashes.ts";
import type { WantedPackage } from "../wanted/wanted.ts";
import type { Brought } from "./brought.ts";
import { drain, FETCHED, missing, NOT_KEPT, PRESENT } from "./brought.ts";

/** The ports that bring npm packages. */
export type NpmFillPorts = {
  /** The stored packages. */
  readonly stored: Pick<NpmLookup, "find" | "tarball">;
  readonly mirrored: {
    readonly lookup: Pick<NpmLookup, "find">;
    readonly upstream: Pick<NpmUpstream, "tarball" | "attestations">;
  };
};

/** Brings one version with its statements. The document of the package and the keys of its
 * signatures stay as well: clients resolve versions and verify them without the source. */
export async function bringNpm(ports: NpmFillPorts, wanted: WantedPackage): Promise<Brought> {
  const { name, version } = wanted;
  const { lookup, upstream } = ports.mirrored;
  if (await ports.stored.tarball(name, version)) return checked(ports, wanted, PRESENT);
  const found = await lookup.find(name);
  if (!found) return missing("No source has this package.");
  const listed = found.versions.find((candidate) => candidate.version === version);
  // First, because a version whose tarball is here is not asked for again.
  if (listed?.provenance !== undefined) await upstream.attestations(name, version);
  const arrived = await upstream.tarball(name, version);
  if (!arrived) return missing("No source has this version.");
  if (arrived.status === "arriving") await drain(arrived.content.read());
  return checked(ports, wanted, FETCHED);
}

async function checked(
  { stored }: NpmFillPorts,
  { name, version, integrity }: WantedPackage,
  good: Brought,
): Promise<Brought> {
  const [tarball, found] = await Promise.all([stored.tarball(name, version), stored.find(name)]);
  const listed = found?.versions.find((candidate) => candidate.version === version);
  if (!tarball || !listed) return missing(NOT_KEPT);
  if (tarball.isDamaged || listed.isDamaged) return missing("Its stored tarball is damaged.");
  return fitsStoredVersion(integrity, listed) ? good : missing(OTHER_INTEGRITY);
}
