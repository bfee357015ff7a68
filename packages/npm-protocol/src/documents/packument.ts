import { createHash } from "node:crypto";
import type { JsonObject } from "../json.ts";
import type { Maintainer } from "../owners/ports.ts";
import type { NpmPackage } from "../ports.ts";
import type { NpmVersion } from "../npm-version.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { InstallablePackage } from "./installable-package.ts";

/** Fields of the `latest` version that a full packument repeats at its top. */
const HOISTED = [
  "description",
  "homepage",
  "keywords",
  "repository",
  "author",
  "contributors",
  "bugs",
  "license",
  "maintainers",
];

/** The full packument. The versions' stored texts are joined, not parsed: publishing version 5,001
 * must not cost more than version 50. `base` is the registry's address without trailing slash. */
export function renderPackument(npmPackage: NpmPackage, base: string): string {
  const { name, distTags, maintainers, readme, readmeFilename } = npmPackage;
  const head = { _id: name, _rev: revisionOf(npmPackage), name, "dist-tags": distTags };
  const tail = {
    time: timeOf(npmPackage),
    ...hoistedOf(npmPackage),
    ...(maintainers && { maintainers: maintainers.map(shownMaintainer) }),
    ...(readme !== undefined && { readme }),
    ...(readmeFilename !== undefined && { readmeFilename }),
    ...restrictionsOf(npmPackage),
  };
  return joined(head, versionsText(npmPackage, base, "manifest"), tail);
}

/**
 * The document for installers. `time` is our addition: pnpm 12 and yarn 4 hold back versions
 * younger than a day, and would otherwise request the full packument for it.
 */
export function renderAbbreviatedPackument(npmPackage: NpmPackage, base: string): string {
  const { name, distTags, modifiedAt } = npmPackage;
  const head = { name, modified: modifiedAt.toISOString(), "dist-tags": distTags };
  const tail = { time: timeOf(npmPackage), ...restrictionsOf(npmPackage) };
  return joined(head, versionsText(npmPackage, base, "abbreviated"), tail);
}

/** The manifest of one version, by version or tag; undefined when there is none. */
export function renderVersion(
  npmPackage: NpmPackage,
  versionOrTag: string,
  base: string,
): string | undefined {
  const tagged =
    Object.hasOwn(npmPackage.distTags, versionOrTag) && npmPackage.distTags[versionOrTag];
  const wantedVersion = tagged || parsePackageVersion(versionOrTag);
  const version = npmPackage.versions.find((candidate) => candidate.version === wantedVersion);
  return version && manifestText(version, version.manifest, addressesOf(npmPackage.name, base));
}

/** The dist-tags of a package as JSON text: `{"latest": "1.0.0"}`. */
export function renderDistTags({ distTags }: NpmPackage): string {
  return JSON.stringify(distTags);
}

/** Where the tarball of a version is, as clients compute it too. */
export function tarballAddress(name: string, version: string, base: string): string {
  return `${tarballPrefix(name, base)}${version}.tgz`;
}

/**
 * Opaque to clients, but of the form that they know: `<number>-<32 hexadecimal digits>`. It depends
 * on the omitted versions, so that a client which sends the document back does not delete them.
 */
export function revisionOf({
  name,
  revision,
  omitted = [],
}: Pick<InstallablePackage, "name" | "revision"> &
  Partial<Pick<InstallablePackage, "omitted">>): string {
  const text = [name, revision, ...omitted].join("\n");
  const digest = createHash("sha256").update(text).digest("hex");
  return `${revision}-${digest.slice(0, 32)}`;
}

/** npm shows an email address unasked, and would show "undefined". */
function shownMaintainer({ name, email = "" }: Maintainer): Required<Maintainer> {
  return { name, email };
}

function versionsText(
  { name, versions }: NpmPackage,
  base: string,
  form: "manifest" | "abbreviated",
): string {
  const addresses = addressesOf(name, base);
  const entries = versions.map(
    (version) =>
      `${JSON.stringify(version.version)}:${manifestText(version, version[form], addresses)}`,
  );
  return `"versions":{${entries.join(",")}}`;
}

/** `text` is the JSON of a non-empty object. */
function manifestText(version: NpmVersion, text: string, addresses: Addresses): string {
  const { shasum, integrity, fileCount, unpackedSize, deprecated, signatures } = version;
  const { npmSignature } = version;
  const tarball = `${addresses.tarball}${version.version}.tgz`;
  const attestations = version.provenance !== undefined && {
    url: `${addresses.attestations}${version.version}`,
    provenance: { predicateType: version.provenance },
  };
  const added = {
    dist: {
      tarball,
      ...(shasum !== "" && { shasum }),
      ...(integrity !== "" && { integrity }),
      fileCount,
      unpackedSize,
      ...(npmSignature !== undefined && { "npm-signature": npmSignature }),
      signatures,
      ...(attestations && { attestations }),
    },
    ...(deprecated !== undefined && deprecated !== "" && { deprecated }),
  };
  return `${text.slice(0, -1)},${JSON.stringify(added).slice(1)}`;
}

/** The part of the document before a version. */
type Addresses = { readonly tarball: string; readonly attestations: string };

/** npm takes the path of the attestations' address, and asks the registry it knows for it. */
function addressesOf(name: string, base: string): Addresses {
  const escaped = name.replace("/", "%2f");
  return {
    tarball: tarballPrefix(name, base),
    attestations: `${base}/-/npm/v1/attestations/${escaped}@`,
  };
}

function tarballPrefix(name: string, base: string): string {
  return `${base}/${name}/-/${name.slice(name.indexOf("/") + 1)}-`;
}

/** Clients compute their own least age from it, so hidden versions are included. */
function timeOf({
  createdAt,
  modifiedAt,
  versions,
  hiddenTimes = new Map(),
  removedTimes = new Map(),
  unpublished,
}: NpmPackage): JsonObject {
  const times = [
    ...versions.map((each) => [each.version, each.publishedAt] as const),
    ...hiddenTimes,
    ...removedTimes,
  ];
  return {
    created: createdAt.toISOString(),
    modified: modifiedAt.toISOString(),
    ...Object.fromEntries(times.map(([version, time]) => [version, time.toISOString()])),
    ...(unpublished && { unpublished }),
  };
}

const RESTRICTIONS_SHOWN = 5;

/** npm shows the message when only a withheld version matches; other clients ignore the field. */
function restrictionsOf({ name, withheld = [], hiddenTimes }: NpmPackage): JsonObject {
  if (!hiddenTimes || withheld.length === 0) return {};
  const message = withheld
    .slice(-RESTRICTIONS_SHOWN)
    .map(({ text }) => text)
    .join(" ");
  const versions = withheld.map(({ version }) => [version, { name, version }]);
  return { policyRestrictions: { message, versions: Object.fromEntries(versions) } };
}

function hoistedOf({ distTags, versions }: NpmPackage): JsonObject {
  const latest =
    versions.find((version) => version.version === distTags["latest"]) ?? versions.at(-1);
  const manifest = JSON.parse(latest?.manifest ?? "{}") as JsonObject;
  return Object.fromEntries(HOISTED.map((key) => [key, manifest[key]]));
}

/** Two objects with a text of the same rank between them. Neither object is empty. */
function joined(head: object, text: string, tail: object): string {
  return `${JSON.stringify(head).slice(0, -1)},${text},${JSON.stringify(tail).slice(1)}`;
}
