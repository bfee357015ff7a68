import { allEnded, createLimit } from "@sealhouse/http-responses/outgoing";
import { lowerId, lowerVersion } from "@sealhouse/nuget-protocol";
import type { NuGetClient, RegisteredVersion, Revised } from "@sealhouse/nuget-protocol/client";
import { parseNuspec } from "@sealhouse/nuget-protocol/package";
import type { Nuspec } from "@sealhouse/nuget-protocol/package";
import { isUnreadableAnswer } from "../../../unreadable-answer.ts";

/** Question for all versions of a package at its source. */
export type RegisteredRead = {
  readonly etag: string | undefined;
  readonly signal: AbortSignal;
  /** Returns the kept versions of the package. */
  readonly before: () => Promise<readonly RegisteredVersion[]>;
  /** Receives the reason why the registration was not used. */
  readonly onUnreadable: (reason: string) => void;
};

type SourceClient = Pick<NuGetClient, "resource" | "revisedRegistration" | "versions" | "nuspec">;

/** Manifests read in one comparison, of the newest versions whose details are not known. */
const NUSPECS_MAX = 16;
const NUSPECS_AT_ONCE = 4;

/**
 * Reads the registration of a package. Where the source has none, or answers something else, the
 * list of versions tells the numbers, and manifests tell the details.
 * @throws {CallError} during an outage, and when the list cannot be read either
 */
export async function readRegistered(
  client: SourceClient,
  id: string,
  read: RegisteredRead,
): Promise<Revised<readonly RegisteredVersion[]> | undefined> {
  const { signal } = read;
  const found = await readRegistration(client, id, read);
  if (found?.status === "unchanged" || (found?.value.length ?? 0) > 0) return found;
  const numbers = (await client.versions(id, { signal })) ?? [];
  if (numbers.length === 0) return undefined;
  const known = new Map((await read.before()).map((kept) => [lowerVersion(kept.version), kept]));
  const versions = numbers.map((version) => known.get(version) ?? { id, version, ...UNKNOWN });
  return { status: "found", value: await withManifests(client, versions, signal) };
}

async function readRegistration(
  client: SourceClient,
  id: string,
  { etag, signal, onUnreadable }: RegisteredRead,
): ReturnType<NuGetClient["revisedRegistration"]> {
  if ((await client.resource("registration", { signal })) === undefined) return undefined;
  try {
    return await client.revisedRegistration(id, { etag, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!isUnreadableAnswer(error)) throw error;
    onUnreadable(error.message);
    return undefined;
  }
}

const UNKNOWN: Omit<RegisteredVersion, "id" | "version"> = {
  listed: true,
  vulnerabilities: [],
  authors: "",
  description: "",
  tags: [],
  texts: {},
  requireLicenseAcceptance: false,
  packageTypes: [],
  dependencyGroups: [],
};

/** Adds the details of the newest versions. Lists of versions are in ascending order. */
async function withManifests(
  client: SourceClient,
  versions: readonly RegisteredVersion[],
  signal: AbortSignal,
): Promise<readonly RegisteredVersion[]> {
  const missing = versions.filter(hasNoDetails).slice(-NUSPECS_MAX);
  const limit = createLimit(NUSPECS_AT_ONCE);
  const found = await allEnded(
    missing.map((version) => limit(() => detailsOf(client, version, signal))),
  );
  const details = new Map(missing.map(({ version }, index) => [version, found[index]]));
  return versions.map((version) => ({ ...version, ...details.get(version.version) }));
}

/** Manifests always have authors and a description. */
function hasNoDetails({ authors, description }: RegisteredVersion): boolean {
  return authors === "" && description === "";
}

/** Undefined when the source does not have the manifest, or not a usable one. */
async function detailsOf(
  client: SourceClient,
  { id, version }: RegisteredVersion,
  signal: AbortSignal,
): Promise<Partial<RegisteredVersion> | undefined> {
  const bytes = await client.nuspec({ id, version }, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (isUnreadableAnswer(error)) return undefined;
    throw error;
  });
  const outcome = bytes && parseNuspec(bytes, { isForeign: true });
  if (outcome?.status !== "valid") return undefined;
  const { nuspec } = outcome;
  const isSame =
    lowerId(nuspec.id) === lowerId(id) && lowerVersion(nuspec.version) === lowerVersion(version);
  return isSame ? describedIn(nuspec) : undefined;
}

function describedIn(nuspec: Nuspec): Partial<RegisteredVersion> {
  const { title, summary, language, projectUrl, iconUrl, licenseUrl, minClientVersion } = nuspec;
  const { license } = nuspec;
  const licenseExpression = license?.type === "expression" ? license.text : undefined;
  const texts = { title, summary, language, projectUrl, iconUrl, licenseUrl, minClientVersion };
  return {
    id: nuspec.id,
    version: nuspec.version,
    authors: nuspec.authors,
    description: nuspec.description,
    tags: nuspec.tags,
    texts: onlyTexts({ ...texts, licenseExpression }),
    requireLicenseAcceptance: nuspec.requireLicenseAcceptance,
    packageTypes: nuspec.packageTypes.map(({ name }) => name),
    dependencyGroups: nuspec.dependencyGroups,
  };
}

function onlyTexts(
  texts: Readonly<Record<string, string | undefined>>,
): RegisteredVersion["texts"] {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
}
