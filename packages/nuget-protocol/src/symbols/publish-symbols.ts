import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type { Caller } from "@sealhouse/request-types";
import { limitedBody } from "../push/limited-body.ts";
import { lowerId } from "../notation/package-id.ts";
import type { NuGetPorts, StagedPackage } from "../ports.ts";
import type { NamedBlob } from "../stored-package.ts";
import type { StagedPdb } from "./stage-pdbs.ts";
import { stagePdbs } from "./stage-pdbs.ts";
import { validateSymbolPackage } from "./validate-symbol-package.ts";

export type PublishSymbolsPorts = Pick<NuGetPorts, "files" | "lookup" | "symbols">;

export type SymbolUpload = {
  readonly body: AsyncIterable<Uint8Array>;
  readonly caller: Caller;
  /** Asked once id and version are known, before anything else is looked at; throws to refuse. */
  readonly allow: (id: string, version: string) => Promise<void>;
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type PublishSymbolsOutcome =
  | { readonly status: "published" | "absent"; readonly id: string; readonly version: string }
  | { readonly status: "invalid"; readonly problems: readonly string[] };

type DiscardableBlob = NamedBlob & { discard(): Promise<void> };

/**
 * Takes the symbols of a version that is in the feed: stage, validate, unpack the PDBs, keep the
 * bytes, and only then name them. A later symbol package of the version replaces the earlier one.
 * @throws {NuGetError} `too-large`, or what `allow` throws
 */
export async function publishSymbols(
  ports: PublishSymbolsPorts,
  upload: SymbolUpload,
): Promise<PublishSymbolsOutcome> {
  const { signal } = upload;
  await using owned = new AsyncDisposableStack();
  const body = limitedBody(upload.body, upload.maxBytes);
  const staged = owned.use(
    await ports.files.stage(body, { hashes: ["sha256"], ...(signal && { signal }) }),
  );
  const verdict = await validateSymbolPackage(staged);
  if (verdict.status === "invalid") return verdict;
  const { id, version, pdbs: entries } = verdict.package;
  await upload.allow(id, version);

  const identity = { id: lowerId(id), version: version.toLowerCase() };
  // Saves the unpacking; that the version went in the meantime is what the catalog finds out.
  if (!(await ports.lookup.find(identity.id, identity.version)))
    return { status: "absent", id, version };

  const unpacked = await stagePdbs(ports.files, { source: staged, entries, signal }, owned);
  if (unpacked.status === "invalid") return unpacked;
  const status = await keepAndName(
    ports,
    { ...identity, staged, pdbs: unpacked.pdbs },
    upload.caller,
  );
  return { status, id, version };
}

async function keepAndName(
  { symbols }: PublishSymbolsPorts,
  what: {
    readonly id: string;
    readonly version: string;
    readonly staged: StagedPackage;
    readonly pdbs: readonly StagedPdb[];
  },
  caller: Caller,
): Promise<"published" | "absent"> {
  const { id, version, staged, pdbs } = what;
  const savedBlobs: DiscardableBlob[] = [];
  const keep = async (stagedPackage: StagedPackage): Promise<NamedBlob> => {
    const blob = await stagedPackage.keep();
    savedBlobs.push(blob);
    return { key: blob.key, size: blob.size, sha256: blob.sha256 };
  };
  const blob = await keep(staged);
  const files = [];
  for (const { staged: pdb, fileName, symbolKey, checksum } of pdbs) {
    files.push({ fileName, symbolKey, checksum, blob: await keep(pdb) });
  }
  // An error here may hide a commit that went through, so the bytes stay; without a name they
  // are swept up later.
  const recorded = await symbols.record({ id, version, blob, files }, caller);
  const duplicateKeys = recorded.status === "recorded" ? new Set(recorded.duplicates) : undefined;
  for (const savedBlob of savedBlobs)
    if (duplicateKeys?.has(savedBlob.key) ?? true) await savedBlob.discard();
  return recorded.status === "recorded" ? "published" : "absent";
}
