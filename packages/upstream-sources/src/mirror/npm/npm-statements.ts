import type { AnnouncedKey, Attestation } from "@sealhouse/npm-protocol";
import type { NpmClient, RemotePackument } from "@sealhouse/npm-protocol/client";
import type { PackageSource } from "../../sources/package-source.ts";
import type { DocumentAsk } from "../documents/document-ask.ts";
import { isSourceFailure } from "../documents/document-reader.ts";
import type { Mirror } from "../mirror.ts";
import { isUnreadableAnswer } from "../../unreadable-answer.ts";

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

/**
 * Returns a function that keeps the keys of a packument's signatures: clients need them when the
 * source is away. Works in the background; a failure is repeated with the next packument.
 */
export function createKeyKeeper(mirror: Mirror, clientOf: ClientOf) {
  const known = new Map<string, ReadonlySet<string>>();
  return (source: PackageSource, { versions }: Pick<RemotePackument, "versions">): void => {
    const keyIds = new Set(
      versions.flatMap(({ dist }) => dist.signatures.map(({ keyid }) => keyid)),
    );
    const knownIds = known.get(source.name) ?? new Set();
    if (keyIds.isSubsetOf(knownIds)) return;
    const keep = async () => {
      await keysOf(mirror, source, clientOf, keyIds);
      if (mirror.isForEveryone()) known.set(source.name, knownIds.union(keyIds));
    };
    keep().catch(() => undefined);
  };
}

/** `keyIds`: without these, the source is asked again. */
async function keysOf(
  mirror: Mirror,
  source: PackageSource,
  clientOf: ClientOf,
  keyIds?: ReadonlySet<string>,
): Promise<readonly AnnouncedKey[]> {
  const ask: DocumentAsk = {
    source,
    kind: "keys",
    name: "",
    part: "",
    ...(keyIds && {
      isEnough: (bytes) => keyIds.isSubsetOf(new Set(keysIn(bytes).map(({ keyId }) => keyId))),
    }),
    async fetch(_, signal, before) {
      const listed = (await clientOf(source).keys({ signal }).catch(noKeys)) ?? [];
      const known = await before();
      return jsonDocument(withFormerKeys(listed, known ? savedKeysIn(known) : []));
    },
  };
  const answer = await mirror.documents.read(ask);
  return answer.status === "absent" ? [] : keysIn(await answer.bytes());
}

type KeptKey = Omit<AnnouncedKey, "expiresAt"> & {
  readonly type: string;
  readonly expiresAt?: string;
};

const FORMER_KEYS_MAX = 1_000;

/** Adds the keys that the source lists no longer: versions that are kept here may need them. */
function withFormerKeys<Key extends { readonly keyId: string }>(
  listed: readonly Key[],
  before: readonly KeptKey[],
): readonly (Key | KeptKey)[] {
  const ids = new Set(listed.map(({ keyId }) => keyId));
  return [...listed, ...before.filter(({ keyId }) => !ids.has(keyId)).slice(0, FORMER_KEYS_MAX)];
}

function savedKeysIn(bytes: Uint8Array): readonly KeptKey[] {
  return JSON.parse(Buffer.from(bytes).toString()) as readonly KeptKey[];
}

function keysIn(bytes: Uint8Array): readonly AnnouncedKey[] {
  return savedKeysIn(bytes)
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

/** Some registries answer 400 to the question for keys that they do not have. */
function noKeys(error: unknown): undefined {
  if (!isUnreadableAnswer(error)) throw error;
}

function emptyOnFailure(error: unknown): readonly AnnouncedKey[] {
  if (isSourceFailure(error)) return [];
  throw error;
}
