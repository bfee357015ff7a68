import { isProvenance } from "@sealhouse/npm-protocol";
import { NpmClientError } from "@sealhouse/npm-protocol/client";
import type { NpmClient, RemoteVersion } from "@sealhouse/npm-protocol/client";
import { fromSource, sourceFailed } from "../candidate.ts";
import type { FoundNames, NpmSource, SourcePackage, SourceTarball } from "./npm-source.ts";

/** More than any registry of somebody's own has. */
const NAMES_MAX = 1_000_000;

/** Another registry. `scopes` (`@acme`) are what is to be found, where that is known. */
export function registrySource(client: NpmClient, scopes: readonly string[]): NpmSource {
  return {
    names: (signal) => namesIn(client, scopes, signal).catch(sourceFailed),
    open: (name, signal) => opened(client, name, signal).catch(sourceFailed),
  };
}

/** The list of all names, which Verdaccio has; else what its search finds. */
async function namesIn(
  client: NpmClient,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<FoundNames> {
  const listed = await client.names({ signal }).catch(noList);
  if (listed) return { names: [...new Set(listed)], remarks: [] };
  const names = new Set<string>();
  const texts = scopes.length > 0 ? scopes.map((scope) => `scope:${scope.slice(1)}`) : [""];
  for (const text of texts) {
    for await (const { name } of client.searchAll(text, { signal })) {
      if (names.size < NAMES_MAX) names.add(name);
    }
  }
  const remarks = [
    "The registry lists no names, so these are what its search finds; name others by --packages.",
  ];
  return { names: [...names], remarks };
}

/** Registries that have no such list answer as they like. */
function noList(error: unknown): undefined {
  if (!(error instanceof NpmClientError) || error.code === "unauthorized") throw error;
  if (error.code === "unreachable" && error.status === undefined) throw error;
}

async function opened(
  client: NpmClient,
  name: string,
  signal: AbortSignal,
): Promise<SourcePackage | undefined> {
  const found = await client.packument(name, { signal });
  if (found?.status !== "found") return undefined;
  return {
    packument: found.packument,
    isNear: false,
    tarball: (version, whenever) => tarball(client, version, whenever).catch(sourceFailed),
    provenance: (version, whenever) =>
      provenance(client, { name, version }, whenever).catch(sourceFailed),
  };
}

async function tarball(
  client: NpmClient,
  { dist }: RemoteVersion,
  signal: AbortSignal,
): Promise<SourceTarball | undefined> {
  const found = await client.tarball(dist, { signal });
  if (!found) return undefined;
  const dispose = () => found[Symbol.asyncDispose]();
  return { body: fromSource(found.body), [Symbol.asyncDispose]: dispose };
}

async function provenance(
  client: NpmClient,
  { name, version }: { readonly name: string; readonly version: RemoteVersion },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!version.dist.hasAttestations) return undefined;
  const statements = await client.attestations({ name, version: version.version }, { signal });
  return statements.find(isProvenance)?.bundle;
}
