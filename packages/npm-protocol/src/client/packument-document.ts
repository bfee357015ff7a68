import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { Maintainer } from "../owners/ports.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { RegistrySignature } from "../signatures/registry-signature.ts";

/** A package as another registry describes it. What it says otherwise than the protocol is left
 * out; nothing here has been checked against any bytes. */
export type RemotePackument = {
  readonly name: string;
  /** `_rev`, which changes of the package need. */
  readonly revision?: string;
  readonly modifiedAt?: Date;
  readonly distTags: ReadonlyMap<string, string>;
  /** By version, as far as the document has times; without `created` and `modified`. */
  readonly times: ReadonlyMap<string, Date>;
  /** `time.unpublished`. */
  readonly unpublished?: JsonObject;
  /** In the order of the document. */
  readonly versions: readonly RemoteVersion[];
  readonly maintainers: readonly Maintainer[];
  readonly readme?: string;
  readonly readmeFilename?: string;
  /** The complete document, unchanged. */
  readonly document: JsonObject;
};

export type RemoteVersion = {
  readonly version: string;
  readonly manifest: JsonObject;
  readonly dist: RemoteDist;
  readonly deprecated?: string;
  readonly publishedAt?: Date;
};

export type RemoteDist = {
  readonly tarball?: URL;
  /** SRI, one hash or several. */
  readonly integrity?: string;
  /** SHA-1, hex. */
  readonly shasum?: string;
  /** Text of `npm-signature`. */
  readonly npmSignature?: string;
  readonly signatures: readonly RegistrySignature[];
  readonly fileCount?: number;
  readonly unpackedSize?: number;
  /** There are statements about this version to be asked for. */
  readonly hasAttestations: boolean;
  /** Predicate type of the statement about its provenance. */
  readonly provenance?: string;
};

/** More than any package has. */
const VERSIONS_MAX = 100_000;

/** Undefined when it is not a packument of `name`, or has more than 100,000 versions. */
export function parsePackument(document: unknown, name: string): RemotePackument | undefined {
  if (!isObject(document) || document["name"] !== name) return undefined;
  const { versions = {}, readme, readmeFilename } = document;
  if (!isObject(versions) || Object.keys(versions).length > VERSIONS_MAX) return undefined;
  const time = isObject(document["time"]) ? document["time"] : {};
  const times = timesIn(time, versions);
  const revision = document["_rev"];
  const modifiedAt = dateOf(document["modified"] ?? time["modified"]);
  return {
    name,
    ...(typeof revision === "string" && { revision }),
    ...(modifiedAt && { modifiedAt }),
    distTags: textsIn(document["dist-tags"]),
    times,
    ...(isObject(time["unpublished"]) && { unpublished: time["unpublished"] }),
    versions: Object.entries(versions).flatMap(([version, manifest]) =>
      isObject(manifest) ? [remoteVersion(version, manifest, times.get(version))] : [],
    ),
    maintainers: maintainersIn(document["maintainers"]),
    ...(typeof readme === "string" && readme !== "" && { readme }),
    ...(typeof readmeFilename === "string" && readmeFilename !== "" && { readmeFilename }),
    document,
  };
}

export function remoteVersion(
  version: string,
  manifest: JsonObject,
  publishedAt?: Date,
): RemoteVersion {
  const { deprecated } = manifest;
  return {
    version,
    manifest,
    dist: distOf(manifest["dist"]),
    ...(typeof deprecated === "string" && deprecated !== "" && { deprecated }),
    ...(publishedAt && { publishedAt }),
  };
}

function distOf(value: unknown): RemoteDist {
  const dist = isObject(value) ? value : {};
  const { tarball, integrity, shasum, signatures, attestations } = dist;
  const provenance = provenanceIn(attestations);
  const url = typeof tarball === "string" ? URL.parse(tarball) : null;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  return {
    ...(url && isWeb && url.username === "" && url.password === "" && { tarball: url }),
    ...(typeof integrity === "string" && integrity !== "" && { integrity }),
    ...(typeof shasum === "string" && shasum !== "" && { shasum }),
    ...npmSignatureIn(dist),
    signatures: listOf(signatures).flatMap((signature) => {
      const { keyid, sig } = isObject(signature) ? signature : {};
      return typeof keyid === "string" && typeof sig === "string" ? [{ keyid, sig }] : [];
    }),
    ...countOf("fileCount", dist),
    ...countOf("unpackedSize", dist),
    hasAttestations: isObject(attestations),
    ...(provenance !== undefined && { provenance }),
  };
}

const NPM_SIGNATURE_LENGTH_MAX = 8_192;

function npmSignatureIn({ "npm-signature": text }: JsonObject): Pick<RemoteDist, "npmSignature"> {
  const isText = typeof text === "string" && text !== "";
  return isText && text.length <= NPM_SIGNATURE_LENGTH_MAX ? { npmSignature: text } : {};
}

function countOf<K extends string>(key: K, dist: JsonObject): { readonly [Key in K]?: number } {
  const value = dist[key];
  const isCount = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  return (isCount ? { [key]: value } : {}) as { readonly [Key in K]?: number };
}

function provenanceIn(attestations: unknown): string | undefined {
  const provenance = isObject(attestations) ? attestations["provenance"] : undefined;
  const type = isObject(provenance) ? provenance["predicateType"] : undefined;
  return typeof type === "string" ? type.slice(0, 255) : undefined;
}

function timesIn(time: JsonObject, versions: JsonObject): ReadonlyMap<string, Date> {
  return new Map(
    Object.entries(time).flatMap(([key, value]) => {
      const isVersion = Object.hasOwn(versions, key) || parsePackageVersion(key) !== undefined;
      const date = isVersion ? dateOf(value) : undefined;
      return date ? [[key, date] as const] : [];
    }),
  );
}

/** Databases know no years above 9999. */
const TIMES = { first: 0, last: Date.UTC(9999, 11, 31) };

export function dateOf(value: unknown): Date | undefined {
  const time = typeof value === "string" ? new Date(value) : undefined;
  const isKnown = time && time.getTime() >= TIMES.first && time.getTime() <= TIMES.last;
  return isKnown ? time : undefined;
}

function maintainersIn(value: unknown): readonly Maintainer[] {
  return listOf(value).flatMap((person) => {
    const { name, email } = isObject(person) ? person : {};
    if (typeof name !== "string" || name === "") return [];
    return [{ name, ...(typeof email === "string" && email !== "" && { email }) }];
  });
}

export function textsIn(value: unknown): ReadonlyMap<string, string> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return new Map(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
