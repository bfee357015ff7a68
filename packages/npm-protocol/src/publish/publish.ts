import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type { Caller } from "@sealhouse/request-types";
import { NpmError } from "../errors.ts";
import { integrityOf } from "../integrity.ts";
import type { JsonObject } from "../json.ts";
import { deprecationText } from "../lifecycle/deprecation-text.ts";
import { dependencyNamesOf } from "../manifest/install-fields.ts";
import { differingFields, undeclaredFields } from "../manifest/manifest-confusion.ts";
import { requireShortLists } from "../manifest/list-limits.ts";
import { buildStoredManifest } from "../manifest/stored-manifest.ts";
import type { PackageName } from "../package-name.ts";
import { parseNewPackageName } from "../package-name.ts";
import type { PackageVersion } from "../package-version.ts";
import type { NpmPorts, StagedTarball } from "../ports.ts";
import type { SavedBlob, NewNpmVersion } from "../npm-version.ts";
import { readProvenance, refused } from "../provenance/read-provenance.ts";
import type { InspectedTarball } from "../tarball/inspect-tarball.ts";
import { inspectTarball } from "../tarball/inspect-tarball.ts";
import { nameMirrored } from "../upstream/name-mirrored.ts";
import type { DocumentLimits } from "./document-scanner.ts";
import { readPublishDocument } from "./publish-document.ts";
import type { PutOperation } from "./put-operation.ts";
import { putOperationOf } from "./put-operation.ts";
import type { Release } from "./release.ts";
import { checkTarball, parseRelease } from "./release.ts";

/** Result of `publish`. */
export type PublishOutcome =
  | {
      readonly status: "published" | "replayed" | "exists" | "deleted";
      readonly version: PackageVersion;
      /** For `published` and `replayed`: hints for the publisher. */
      readonly notices?: readonly string[];
      /** For `exists`: the same bytes were published a moment ago, with other tags. */
      readonly differs?: "tags";
    }
  | { readonly status: "reserved"; readonly until: Date }
  | { readonly status: "tags-full" }
  | { readonly status: "mirrored"; readonly source: string }
  /** The body was not a publish; nothing was done. */
  | {
      readonly status: "other";
      readonly operation: Exclude<PutOperation, "publish">;
      readonly body: JsonObject;
    };

/** A publish request: the document and its circumstances. */
export type PublishUpload = {
  readonly name: PackageName;
  /** The JSON text, unpacked if it came packed. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly onRevision: boolean;
  readonly caller: Caller;
  readonly publishedAt: Date;
  /** Size of the tarball in bytes. */
  readonly tarballBytesMax: number;
  readonly limits?: DocumentLimits;
};

export type ReceivePorts = Pick<NpmPorts, "files" | "lookup" | "upstream" | "verifyBundle">;

/**
 * Takes in what `npm publish` sends: bytes first, then the name. Until the recorder has named the
 * version nothing is visible, and a refusal leaves nothing behind. Throws `NpmError` for what the
 * protocol or the tarball rules forbid.
 */
export async function publish(
  ports: ReceivePorts & Pick<NpmPorts, "recorder" | "count">,
  upload: PublishUpload,
): Promise<PublishOutcome> {
  return receive(ports, upload, (received) => record(ports, upload, received));
}

/** A version that may be kept: it agrees with itself, with its tarball and with its statement. */
export type Received = {
  readonly release: Release;
  readonly staged: StagedTarball;
  /** Everything but its place. */
  readonly version: Omit<NewNpmVersion, "blob">;
  /** Hints for the publisher that are not a reason to refuse. */
  readonly notices: readonly string[];
};

/** Reads and checks a publish document, and hands what it was about to `keep`; the bytes are gone
 * afterwards, unless that kept them. */
export async function receive<T>(
  ports: ReceivePorts,
  upload: PublishUpload,
  keep: (received: Received) => Promise<T>,
): Promise<T | Extract<PublishOutcome, { readonly status: "other" }>> {
  return receiveDocument(ports, { ...upload, nameOf: async () => upload.name }, keep);
}

/** The same for a document that names its package itself. */
export async function receiveDocument<T>(
  ports: ReceivePorts,
  upload: Omit<PublishUpload, "name"> & {
    /** Asked once the document is read, and before its tarball is looked at. */
    readonly nameOf: (document: JsonObject) => Promise<PackageName>;
  },
  keep: (received: Received) => Promise<T>,
): Promise<T | Extract<PublishOutcome, { readonly status: "other" }>> {
  await using resources = new AsyncDisposableStack();
  let staged: StagedTarball | undefined;
  const onTarball = async (bytes: AsyncIterable<Uint8Array>) => {
    const body = limited(bytes, upload.tarballBytesMax);
    staged = resources.use(await ports.files.stage(body, { hashes: ["sha1", "sha256", "sha512"] }));
  };
  const document = await readPublishDocument(upload.body, onTarball, upload.limits);
  const operation = putOperationOf(document, upload.onRevision);
  if (operation !== "publish") return { status: "other", operation, body: document };
  const name = await upload.nameOf(document);
  const release = parseRelease(document, name);
  if (!staged) throw new NpmError("document-invalid", "The body holds no tarball.");
  await checkName(ports, name);
  const source = await ports.upstream.shadowed(name);
  if (source !== undefined) throw nameMirrored(name, source);
  const { publishedAt, caller } = upload;
  const shown = { publisher: caller.actor, publishedAt };
  const { version, notices } = await checkRelease(release, staged, shown);
  const attestations = await checkProvenance(ports, release, staged);
  return keep({ release, staged, version: { ...version, ...attestations }, notices });
}

/** Gives the bytes of a version their place, and keeps it there only if they are needed after they
 * were named. If naming them fails without an answer they may be all the same, so the bytes stay,
 * and the sweep of unnamed blobs decides. */
export async function keepBytes<T>(
  staged: StagedTarball,
  name: (blob: SavedBlob) => Promise<T>,
  isNeeded: (outcome: T) => boolean,
): Promise<T> {
  const savedBlob = await staged.keep();
  const outcome = await name(savedBlob);
  if (!isNeeded(outcome)) await savedBlob.discard();
  return outcome;
}

/**
 * The checked version: the tarball compared with the document. `publisher` becomes its publisher.
 */
export async function checkRelease(
  release: Release,
  staged: StagedTarball,
  { publisher, publishedAt }: { readonly publisher: string; readonly publishedAt: Date },
): Promise<Pick<Received, "version" | "notices">> {
  requireShortLists(release.sent);
  const onPacked = ({ packageJson }: InspectedTarball) => requireShortLists(packageJson);
  const shown = { publisher, publishedAt, onPacked };
  const { undeclared, ...checked } = await checkStaged(release, staged, shown);
  requireDeclared(release, undeclared);
  const deprecated = deprecationText(release.version, release.sent);
  const version = { ...checked.version, ...(deprecated !== undefined && { deprecated }) };
  const notices = [
    ...checked.notices,
    ...differenceNotices(checked.differing),
    ...deprecationNotices(release.sent),
  ];
  return { version, notices };
}

function deprecationNotices({ deprecated = "" }: JsonObject): readonly string[] {
  if (typeof deprecated === "string" || deprecated === false || deprecated === null) return [];
  return ["deprecated in package.json is not a text, so the version is not deprecated."];
}

/** Notices about fields in which the tarball differs from the manifest of its publish. */
export function differenceNotices(fields: readonly string[]): readonly string[] {
  if (fields.length === 0) return [];
  return [
    `The manifest differs from the package.json in the tarball in: ${fields.join(", ")}. The ` +
      "registry serves these fields of the tarball.",
  ];
}

/**
 * The same, where the document may differ from the tarball. `differing` has the names of all fields
 * that differ, `undeclared` of those that `publish` refuses. `onPacked` may refuse the contents.
 */
export async function checkStaged(
  release: Release,
  staged: StagedTarball,
  {
    publisher,
    publishedAt,
    onPacked,
  }: {
    readonly publisher: string;
    readonly publishedAt: Date;
    readonly onPacked?: (packed: InspectedTarball) => void;
  },
): Promise<Pick<Received, "version" | "notices"> & Differences> {
  const { sha1, sha512 } = staged.digests;
  if (sha1 === undefined || sha512 === undefined) {
    throw new Error("the file port staged a tarball without the digests it was asked for");
  }
  checkTarball(release, { size: staged.size, digests: { sha1, sha512 } });
  const packed = await inspectTarball(staged.read(), staged.size);
  onPacked?.(packed);
  const { name, version, tags, sent, access, readme, readmeFilename } = release;
  const { fileCount, unpackedSize } = packed;
  const checked = {
    name,
    version,
    tags,
    ...buildStoredManifest({ name, version, sent, packed, publisher }),
    integrity: integrityOf({ sha512 }),
    shasum: sha1,
    fileCount,
    unpackedSize,
    publishedAt,
    dependencyNames: dependencyNamesOf(packed.packageJson),
    ...(access && { access }),
    ...(readme !== undefined && { readme }),
    ...(readmeFilename !== undefined && { readmeFilename }),
  };
  return {
    version: checked,
    notices: noticesOf(packed.caseTwins),
    differing: differingFields(release.sent, packed),
    undeclared: undeclaredFields(release.sent, packed),
  };
}

type Differences = {
  readonly differing: readonly string[];
  readonly undeclared: readonly string[];
};

function noticesOf(caseTwins: readonly string[]): readonly string[] {
  return caseTwins.map(
    (path) =>
      `${JSON.stringify(path.slice(0, 100))} and another file differ in letter case only: file ` +
      "systems on Windows and macOS keep one of them.",
  );
}

/** The statement must match the received bytes, and its signature must match the statement. */
export async function checkProvenance(
  { verifyBundle }: Pick<NpmPorts, "verifyBundle">,
  { name, version, provenance }: Release,
  { digests: { sha512 = "" } }: StagedTarball,
): Promise<Pick<NewNpmVersion, "attestations">> {
  if (provenance === undefined) return {};
  const attestation = readProvenance(provenance, { name, version, sha512 });
  const verdict = await verifyBundle(attestation.bundle);
  if (verdict.status === "refused") throw refused(`cannot be verified: ${verdict.reason}`);
  return { attestations: [attestation] };
}

/** The one step that makes anything visible. */
async function record(
  { recorder, count }: Pick<NpmPorts, "recorder" | "count">,
  { caller }: PublishUpload,
  { release, staged, version, notices }: Received,
): Promise<PublishOutcome> {
  const outcome = await keepBytes(
    staged,
    (blob) => recorder.publish({ ...version, blob }, caller),
    (recorded) => recorded.status === "published" && !recorded.isDuplicate,
  );
  if (outcome.status === "published") count("push");
  if (outcome.status === "reserved" || outcome.status === "mirrored") return outcome;
  if (outcome.status === "tags-full") return outcome;
  const differs = outcome.status === "exists" && outcome.differs && { differs: outcome.differs };
  const isRestored = outcome.status === "replayed" && outcome.isRestored;
  const shown = isRestored ? [...notices, restoredNotice(release)] : notices;
  const noticed = shown.length > 0 && { notices: shown };
  return { status: outcome.status, version: release.version, ...differs, ...noticed };
}

function restoredNotice({ name, version }: Release): string {
  return `Restored the lost tarball of ${name}@${version}; its dist-tags are as before.`;
}

/** New names follow the current rules; an existing package keeps its name. */
async function checkName({ lookup }: Pick<NpmPorts, "lookup">, name: PackageName): Promise<void> {
  if (parseNewPackageName(name) || (await lookup.find(name))) return;
  throw new NpmError(
    "name-invalid",
    `${name} cannot be the name of a new package: names are lower-case, at most 214 characters ` +
      "long, free of ~'!()* and not those of Node's own modules.",
  );
}

/** Throws `NpmError` `manifest-differs` unless there are no such fields. */
export function requireDeclared({ name, version }: Release, fields: readonly string[]): void {
  if (fields.length === 0) return;
  throw new NpmError(
    "manifest-differs",
    `The manifest sent for ${name}@${version} differs from the package.json in its tarball in: ` +
      `${fields.join(", ")}. Run npm pack, and publish the file that it creates: ` +
      "npm publish FILE.tgz.",
  );
}

export async function* limited(
  bytes: AsyncIterable<Uint8Array>,
  max: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > max) throw tarballTooLarge(max);
    yield chunk;
  }
}

export function tarballTooLarge(max: number): NpmError {
  return new NpmError(
    "too-large",
    `The tarball is larger than the ${Math.floor(max / 2 ** 20)} MiB this registry takes. Leave ` +
      "out what is not needed (npm pack --dry-run shows it), or ask the operator to allow more.",
  );
}
