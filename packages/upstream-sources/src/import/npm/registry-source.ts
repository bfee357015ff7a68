import { isCallError } from "@sealhouse/http-responses/outgoing";
import { isProvenance } from "@sealhouse/npm-protocol";
import type { NpmClient, RemoteVersion } from "@sealhouse/npm-protocol/client";
import { fromSource, throwSourceError } from "../../source-error.ts";
import type { PackageNames, NpmSource, SourcePackage, SourceTarball } from "./npm-source.ts";

/** Memory limit; larger than any known private registry. */
const NAMES_MAX = 1_000_000;

/** Returns another registry as a source. `scopes` (`@acme`) limit the search; empty: everything. */
export function openNpmRegistry(client: NpmClient, scopes: readonly string[]): NpmSource {
  return {
    names: (signal) => namesIn(client, scopes, signal).catch(throwSourceError),
    open: (name, signal) => openPackage(client, name, signal).catch(throwSourceError),
  };
}

/** Returns the list of all names, which Verdaccio has, or else the results of the search. */
async function namesIn(
  client: NpmClient,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<PackageNames> {
  const listed = await client.names({ signal }).catch(undefinedWithoutList);
  if (listed) return { names: [...new Set(listed)], remarks: [] };
  const names = new Set<string>();
  const texts = scopes.length > 0 ? scopes.map((scope) => `scope:${scope.slice(1)}`) : [""];
  for (const text of texts) {
    for await (const { name } of client.searchAll(text, { signal })) {
      if (names.size < NAMES_MAX) names.add(name);
    }
  }
  const remarks = [
    "The registry has no list of names, so only search results are imported. " +
      "Add others with --packages.",
  ];
  return { names: [...names], remarks };
}

/** Registries without the list return various errors. */
function undefinedWithoutList(error: unknown): undefined {
  if (!isCallError(error) || error.code === "unauthorized") throw error;
  if (error.code === "unreachable" && error.status === undefined) throw error;
}

async function openPackage(
  client: NpmClient,
  name: string,
  signal: AbortSignal,
): Promise<SourcePackage | undefined> {
  const foundPackument = await client.packument(name, { signal });
  if (foundPackument?.status !== "found") return undefined;
  return {
    packument: foundPackument.packument,
    isNear: false,
    tarball: (version, openSignal) =>
      openTarball(client, version, openSignal).catch(throwSourceError),
    provenance: (version, openSignal) =>
      readProvenance(client, { name, version }, openSignal).catch(throwSourceError),
  };
}

async function openTarball(
  client: NpmClient,
  { dist }: RemoteVersion,
  signal: AbortSignal,
): Promise<SourceTarball | undefined> {
  const tarballDownload = await client.tarball(dist, { signal });
  if (!tarballDownload) return undefined;
  const dispose = () => tarballDownload[Symbol.asyncDispose]();
  return { body: fromSource(tarballDownload.body), [Symbol.asyncDispose]: dispose };
}

async function readProvenance(
  client: NpmClient,
  { name, version }: { readonly name: string; readonly version: RemoteVersion },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!version.dist.hasAttestations) return undefined;
  const statements = await client.attestations({ name, version: version.version }, { signal });
  return statements.find(isProvenance)?.bundle;
}
