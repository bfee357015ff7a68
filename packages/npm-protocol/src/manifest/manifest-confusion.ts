import { posix } from "node:path";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { InspectedTarball } from "../tarball/inspect-tarball.ts";
import type { InstallFields } from "./install-fields.ts";
import { binWithin } from "./command-map.ts";
import { installFieldsOf } from "./install-fields.ts";

const GYP_INSTALL = "node-gyp rebuild";

/**
 * Fields in which the manifest of a publish differs from the package.json inside the tarball.
 * People and scanners read the manifest, clients install the tarball, so the two must agree. Known
 * changes by npm, pnpm, yarn and bun count as equal.
 */
export function differingFields(
  sent: JsonObject,
  packed: PackedHere,
): readonly (keyof InstallFields)[] {
  const inside = installFieldsOf(packed.packageJson);
  const claimed = withoutAdditions(sent, inside, packed);
  return FIELDS.filter((field) => !isSame(claimed[field], inside[field]));
}

/**
 * The differing fields in which the tarball is another package, or installs or runs more than its
 * manifest declares. Scanners that read the manifest would miss that.
 */
export function undeclaredFields(
  sent: JsonObject,
  packed: PackedHere,
): readonly (keyof InstallFields)[] {
  const inside = installFieldsOf(packed.packageJson);
  const claimed = withoutAdditions(sent, inside, packed);
  return differingFields(sent, packed).filter((field) => {
    if (!isMapField(field)) return !RESTRICTIONS.has(field);
    return Object.entries(inside[field]).some(([name, value]) => claimed[field][name] !== value);
  });
}

/** Fields whose entries install or run something. */
const MAP_FIELDS = [
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "bin",
  "scripts",
] as const;
/** Fields that only restrict a package to platforms. */
const RESTRICTIONS: ReadonlySet<keyof InstallFields> = new Set(["engines", "os", "cpu", "libc"]);

function isMapField(field: keyof InstallFields): field is (typeof MAP_FIELDS)[number] {
  return MAP_FIELDS.some((known) => known === field);
}

function isSame(value: unknown, other: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(other);
}

/** npm adds an install script where a package has something to build and no script for it. */
export function isGypScriptAdded(sent: JsonObject, packed: PackedHere): boolean {
  return packed.hasGyp && claimsGypScript(sent, packed);
}

/** npm adds the script for a file in the folder, whether the file is packed or not. */
function claimsGypScript(sent: JsonObject, { packageJson }: PackedHere): boolean {
  const inside = installFieldsOf(packageJson).scripts;
  return (
    packageJson["gypfile"] !== false &&
    inside["install"] === undefined &&
    inside["preinstall"] === undefined &&
    installFieldsOf(sent).scripts["install"] === GYP_INSTALL
  );
}

/** npm lists the files of `directories.bin` where a package names no `bin`. */
export function isBinListed(sent: JsonObject, packageJson: JsonObject): boolean {
  const { directories } = packageJson;
  const folder = isObject(directories) ? directories["bin"] : undefined;
  if (packageJson["bin"] !== undefined || typeof folder !== "string") return false;
  const top = `${posix.join("/", folder)}/`;
  const files = Object.values(installFieldsOf(sent).bin);
  return files.length > 0 && files.every((file) => posix.join("/", file).startsWith(top));
}

export type PackedHere = Pick<InspectedTarball, "packageJson" | "hasGyp">;

const FIELDS: readonly (keyof InstallFields)[] = [
  "name",
  "version",
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "bundleDependencies",
  "bin",
  "scripts",
  "engines",
  "os",
  "cpu",
  "libc",
];

function withoutAdditions(
  sent: JsonObject,
  inside: InstallFields,
  packed: PackedHere,
): InstallFields {
  const claimed = installFieldsOf(sent);
  const { install: _, ...otherScripts } = claimed.scripts;
  const isBinCut = isSame(claimed.bin, binWithin(packed.packageJson));
  return {
    ...claimed,
    ...(claimsGypScript(sent, packed) && { scripts: otherScripts }),
    ...((isBinCut || isBinListed(sent, packed.packageJson)) && { bin: inside.bin }),
  };
}
