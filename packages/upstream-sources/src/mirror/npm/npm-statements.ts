import type { AnnouncedKey, Attestation } from "@sealhouse/npm-protocol";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import type { PackageSource } from "../../sources/package-source.ts";
import type { DocumentAsk } from "../document-reader.ts";
import { isSourceFailure } from "../document-reader.ts";
import type { Mirror } from "../mirror.ts";

type ClientOf = (source: PackageSource) => NpmClient;

/** Returns the statements that a source has on a version. They are kept, because clients check them
 * even while the source is away. */
export async function keptAttestations(
  mirror: Mirror,
  clientOf: ClientOf,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<readonly Attestation[]> {
  const located = await mirror.locate({ protocol: "npm", name });
  if (located.status !== "sources") return [];
  for (const source of located.sources) {
    const answer = await mirror.documents.read({
      source,
      kind: "attestations",
      name,
      part: version,
      fetch: async (_, signal) =>
        jsonDocument(await clientOf(source).attestations({ name, version }, { signal })),
    });
    if (answer.status === "absent") continue;
    const statements = JSON.parse(Buffer.from(await answer.bytes()).toString()) as Attestation[];
    if (statements.length > 0) return statements;
  }
  return [];
}

/** Returns the keys of all sources. A source that fails and has no kept keys is left out: the keys
 * of others stay usable. */
export async function keptKeys(
  mirror: Mirror,
  clientOf: ClientOf,
): Promise<readonly AnnouncedKey[]> {
  const sources = await mirror.upstreams("npm");
  const lists = await Promise.all(
    sources.map((source) => keysOf(mirror, source, clientOf).catch(emptyOnFailure)),
  );
  return [...new Map(lists.flat().map((key) => [key.keyId, key])).values()];
}

async function keysOf(
  mirror: Mirror,
  source: PackageSource,
  clientOf: ClientOf,
): Promise<readonly AnnouncedKey[]> {
  const ask: DocumentAsk = {
    source,
    kind: "keys",
    name: "",
    part: "",
    fetch: async (_, signal) => jsonDocument((await clientOf(source).keys({ signal })) ?? []),
  };
  const answer = await mirror.documents.read(ask);
  if (answer.status === "absent") return [];
  const keys = JSON.parse(Buffer.from(await answer.bytes()).toString()) as readonly (Omit<
    AnnouncedKey,
    "expiresAt"
  > & { readonly type: string; readonly expiresAt?: string })[];
  return keys
    .filter(({ type }) => type === "ecdsa-sha2-nistp256")
    .map(({ keyId, publicKey, expiresAt }) => ({
      keyId,
      publicKey,
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    }));
}

function jsonDocument(value: unknown) {
  return { status: "found", bytes: Buffer.from(JSON.stringify(value)) } as const;
}

function emptyOnFailure(error: unknown): readonly AnnouncedKey[] {
  if (isSourceFailure(error)) return [];
  throw error;
}
