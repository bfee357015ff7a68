import { parsePackageVersion as parseNuGetVersion } from "@sealhouse/nuget-protocol";
import { isPackageId } from "@sealhouse/nuget-protocol";
import type { Origin } from "@sealhouse/nuget-protocol";
import { parseOldPackageName, parsePackageVersion } from "@sealhouse/npm-protocol";
import { SourceError } from "../source-error.ts";
import type { Fields } from "../wanted/parse-document.ts";
import { fieldsIn, isFields, listIn, textIn } from "../wanted/parse-document.ts";

/** Description of a NuGet package in a bundle. */
export type NuGetConfig = {
  readonly id: string;
  readonly version: string;
  readonly listed: boolean;
  readonly publishedAt: Date | undefined;
  readonly origin: Origin;
  readonly deprecation: Deprecation | undefined;
};

type Deprecation = {
  readonly reasons: readonly ("Legacy" | "CriticalBugs" | "Other")[];
  readonly message?: string;
  readonly alternatePackage?: { readonly id: string; readonly range: string };
};

/** Description of an npm version in a bundle. */
export type NpmConfig = {
  readonly name: string;
  readonly version: string;
  /** Manifest with `dist` and `deprecated`. */
  readonly manifest: Fields;
  readonly publishedAt: string | undefined;
  readonly tags: readonly string[];
  readonly maintainers: unknown;
  readonly readme: string | undefined;
  readonly readmeFilename: string | undefined;
  readonly provenance: string | undefined;
};

/** @throws {SourceError} */
export function parseNuGetConfig(bytes: Uint8Array, label: string): NuGetConfig {
  const fields = parse(bytes, label);
  const id = textIn(fields, "id") ?? "";
  const version = textIn(fields, "version") ?? "";
  if (!isPackageId(id) || !parseNuGetVersion(version)) throw nameless(label);
  const origin = ORIGINS.find((word) => word === fields["origin"]) ?? "Published";
  return {
    id,
    version,
    origin,
    listed: fields["listed"] !== false,
    publishedAt: dateIn(fields),
    deprecation: deprecationIn(fieldsIn(fields, "deprecation")),
  };
}

/** @throws {SourceError} */
export function parseNpmConfig(bytes: Uint8Array, label: string): NpmConfig {
  const fields = parse(bytes, label);
  const name = parseOldPackageName(textIn(fields, "name") ?? "");
  const version = parsePackageVersion(textIn(fields, "version") ?? "");
  if (!name || !version) throw nameless(label);
  const deprecated = textIn(fields, "deprecated");
  return {
    name,
    version,
    manifest: {
      ...parse(Buffer.from(textIn(fields, "manifest") ?? ""), label),
      dist: fieldsIn(fields, "dist"),
      ...(deprecated !== undefined && { deprecated }),
    },
    publishedAt: textIn(fields, "publishedAt"),
    tags: listIn(fields, "tags") ?? [],
    maintainers: fields["maintainers"],
    readme: textIn(fields, "readme"),
    readmeFilename: textIn(fields, "readmeFilename"),
    provenance: textIn(fields, "provenance"),
  };
}

const ORIGINS = ["Published", "Mirrored", "Cached"] as const;
const REASONS = ["Legacy", "CriticalBugs", "Other"] as const;

function deprecationIn(fields: Fields): Deprecation | undefined {
  const listed = listIn(fields, "reasons") ?? [];
  const reasons = REASONS.filter((reason) => listed.includes(reason));
  if (reasons.length === 0) return undefined;
  const message = textIn(fields, "message");
  const alternate = fieldsIn(fields, "alternatePackage");
  const [id, range] = [textIn(alternate, "id"), textIn(alternate, "range")];
  return {
    reasons,
    ...(message !== undefined && { message }),
    ...(id !== undefined && range !== undefined && { alternatePackage: { id, range } }),
  };
}

function dateIn(fields: Fields): Date | undefined {
  const date = new Date(textIn(fields, "publishedAt") ?? "");
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function parse(bytes: Uint8Array, label: string): Fields {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (isFields(value)) return value;
  } catch {
    // Reported below.
  }
  throw new SourceError(`The entry "${label}" is not a JSON object.`);
}

function nameless(label: string): SourceError {
  return new SourceError(`The entry "${label}" has no valid name and version.`);
}
