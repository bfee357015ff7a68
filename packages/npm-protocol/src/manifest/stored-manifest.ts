import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject, stringListOf, stringMapOf } from "../json.ts";
import type { PackageName } from "../package-name.ts";
import type { PackageVersion } from "../package-version.ts";
import type { InspectedTarball } from "../tarball/inspect-tarball.ts";
import { publisherOf } from "../trust/publisher-actor.ts";
import { installFieldsOf } from "./install-fields.ts";
import { isBinListed, isGypScriptAdded } from "./manifest-confusion.ts";

/** A manifest as a version keeps it: final JSON texts, to which only `dist` and `deprecated` are
 * added when a document is rendered. */
export type StoredManifest = {
  readonly manifest: string;
  readonly abbreviated: string;
  readonly description: string;
  readonly keywords: readonly string[];
};

const MANIFEST_BYTES_MAX = 1024 * 1024;

/**
 * Fields that only the registry sets, or that do not concern it: values of clients are dropped.
 * `deprecated` is stored separately.
 * Fields that begin with `_` are dropped as well.
 */
const DROPPED = new Set([
  "dist",
  "deprecated",
  "maintainers",
  "users",
  "time",
  "versions",
  "dist-tags",
  "readme",
  "readmeFilename",
  "integrity",
  "shasum",
  "hasInstallScript",
  "hasShrinkwrap",
  "bundledDependencies",
]);
const KEPT_PRIVATE = ["_nodeVersion", "_npmVersion"];

/**
 * Builds the stored manifest of a version: descriptive fields from the publish, fields that control
 * installation from the tarball, and fields that only the server knows.
 * @throws NpmError when the manifest is larger than 1 MiB
 */
export function buildStoredManifest(release: {
  readonly name: PackageName;
  readonly version: PackageVersion;
  readonly sent: JsonObject;
  readonly packed: InspectedTarball;
  readonly publisher: string;
}): StoredManifest {
  const { name, version, sent, packed, publisher } = release;
  const manifest: JsonObject = {
    name,
    version,
    ...descriptionOf(sent),
    ...installPartOf(sent, packed),
    _id: `${name}@${version}`,
    _npmUser: publisherOf(publisher),
    // npm shows an email address unasked, and would show "undefined".
    maintainers: [{ name: publisher, email: "" }],
    _hasShrinkwrap: packed.hasShrinkwrap,
    ...(runsWhenInstalled(packed) && { hasInstallScript: true }),
  };
  const text = JSON.stringify(manifest);
  if (Buffer.byteLength(text) > MANIFEST_BYTES_MAX) {
    throw new NpmError("too-large", "The manifest is larger than 1 MiB; shorten package.json.");
  }
  const { description, keywords } = manifest;
  return {
    manifest: text,
    abbreviated: JSON.stringify(abbreviatedOf(manifest, packed)),
    description: typeof description === "string" ? description : "",
    keywords: stringListOf(keywords),
  };
}

/** Descriptive fields, which the client may set. */
function descriptionOf(sent: JsonObject): JsonObject {
  const entries = Object.entries(sent).filter(
    ([key]) => !DROPPED.has(key) && !key.startsWith("_") && key !== "name" && key !== "version",
  );
  const tools = KEPT_PRIVATE.filter((key) => typeof sent[key] === "string").map((key) => [
    key,
    String(sent[key]).slice(0, 64),
  ]);
  return Object.fromEntries([...entries, ...tools]);
}

/** Fields from the tarball, never from the manifest of the publish. */
function installPartOf(sent: JsonObject, packed: InspectedTarball): JsonObject {
  const { packageJson } = packed;
  const fields = installFieldsOf(packageJson);
  const bin = isBinListed(sent, packageJson) ? installFieldsOf(sent).bin : fields.bin;
  const scripts = {
    ...stringMapOf(packageJson["scripts"]),
    ...(isGypScriptAdded(sent, packed) && { install: "node-gyp rebuild" }),
  };
  // npm also adds this flag for a file that is not packed.
  const isGypUnpacked = !packed.hasGyp && packageJson["gypfile"] === undefined;
  const all = { ...fields, bin, scripts };
  const { name: _, version: _version, ...part } = all;
  const entries = Object.entries(part).map(([key, value]): [string, unknown] => [
    key,
    isEmpty(value) ? undefined : value,
  ]);
  return Object.fromEntries(isGypUnpacked ? [...entries, ["gypfile", undefined]] : entries);
}

function runsWhenInstalled({ packageJson, hasBindingGyp }: InspectedTarball): boolean {
  const { scripts } = installFieldsOf(packageJson);
  const runs = ["preinstall", "install", "postinstall"].some((name) => scripts[name] !== undefined);
  return runs || (hasBindingGyp && packageJson["gypfile"] !== false);
}

function abbreviatedOf(manifest: JsonObject, { hasShrinkwrap }: InspectedTarball): JsonObject {
  return {
    ...Object.fromEntries(ABBREVIATED.map((key) => [key, manifest[key]])),
    ...(hasShrinkwrap && { _hasShrinkwrap: true }),
  };
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Fields of a version in the abbreviated document. */
export const ABBREVIATED = [
  "name",
  "version",
  "dependencies",
  "acceptDependencies",
  "optionalDependencies",
  "devDependencies",
  "bundleDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "bin",
  "directories",
  "engines",
  "hasInstallScript",
  "funding",
  "cpu",
  "os",
  "libc",
];

const SCRIPTS = ["preinstall", "install", "postinstall"];

/**
 * Returns the texts for a version that another registry describes: unchanged except for `dist` and
 * `deprecated`, which renderings add. Each text is written when it is read, because a document
 * needs one of them.
 */
export function foreignManifest(
  manifest: JsonObject,
): Pick<StoredManifest, "manifest" | "abbreviated"> {
  return {
    get manifest() {
      const { dist: _, deprecated: _deprecated, ...kept } = manifest;
      return JSON.stringify(kept);
    },
    get abbreviated() {
      return abbreviatedManifest(manifest);
    },
  };
}

function abbreviatedManifest(manifest: JsonObject): string {
  const scripts = stringMapOf(manifest["scripts"]);
  const runs = SCRIPTS.some((name) => Object.hasOwn(scripts, name));
  const abbreviated = {
    ...Object.fromEntries(ABBREVIATED.map((key) => [key, manifest[key]])),
    ...(runs && { hasInstallScript: true }),
    ...(manifest["_hasShrinkwrap"] === true && { _hasShrinkwrap: true }),
  };
  return JSON.stringify(abbreviated);
}
