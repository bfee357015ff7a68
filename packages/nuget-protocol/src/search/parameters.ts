import { parsePackageVersion } from "../notation/package-version.ts";
import { frameworkGroups } from "../notation/target-framework-support.ts";
import type { CompletionQuery, SearchFilter, SearchPage, SearchQuery } from "./ports.ts";
import { QUERY_LENGTH_MAX, parseQueryText } from "./query.ts";

/** The public gallery's numbers. What is beyond them is clamped, never refused. */
const SKIP_MAX = 3000;
const TAKE_DEFAULT = 20;
const TAKE_MAX = 1000;
const FRAMEWORKS_MAX = 16;

/** Reads the parameters of a search; unknown ones are for newer servers. */
export function parseSearchQuery(parameters: URLSearchParams): SearchQuery {
  const text = wildTextOf(parameters.get("q"));
  return {
    text,
    conditions: parseQueryText(text),
    ...parsePage(parameters),
    ...parseFilter(parameters),
  };
}

/** Reads the parameters of an autocompletion of ids. */
export function parseCompletionQuery(parameters: URLSearchParams): CompletionQuery {
  const prefix = wildTextOf(parameters.get("q"));
  return { prefix, ...parsePage(parameters), ...parseFilter(parameters) };
}

/**
 * Reads `skip` and `take`. Invalid values get their default; larger ones are cut to the maximum.
 */
export function parsePage(parameters: URLSearchParams): SearchPage {
  return {
    skip: numberOf(parameters.get("skip"), { fallback: 0, max: SKIP_MAX }),
    take: numberOf(parameters.get("take"), { fallback: TAKE_DEFAULT, max: TAKE_MAX }),
  };
}

/** Clients before NuGet 7.9 name the package type differently. */
function parseFilter(parameters: URLSearchParams): SearchFilter {
  const packageType = textOf(parameters.get("packageType") ?? parameters.get("packageTypeFilter"));
  const frameworks = parseFrameworks(parameters);
  return {
    prerelease: parameters.get("prerelease")?.toLowerCase() === "true",
    semVer2: isSemVer2Level(parameters.get("semVerLevel")),
    ...(packageType !== "" && { packageType }),
    ...(frameworks.length > 0 && { frameworks }),
  };
}

/** `framework`, several of which must all be served unless `frameworkFilterMode` is `any`; and
 * `supportedFramework`, with which a client names each of its projects. */
function parseFrameworks(parameters: URLSearchParams): readonly (readonly string[])[] {
  const mode = parameters.get("frameworkFilterMode")?.toLowerCase() === "any" ? "any" : "all";
  return [
    ...frameworkGroups(namesOf(parameters.getAll("framework")), mode),
    ...frameworkGroups(namesOf(parameters.getAll("supportedFramework")), "any"),
  ];
}

/** A comma separates, except before the version or profile of a long name. */
function namesOf(values: readonly string[]): readonly string[] {
  const names = values.flatMap((value) => value.split(/[,|;](?!\s*(?:version|profile)\s*=)/i));
  return names.map(textOf).filter(Boolean).slice(0, FRAMEWORKS_MAX);
}

/** Control characters mean nothing to a search, and some databases refuse them. */
function textOf(text: string | null): string {
  const printable = (text ?? "").replace(/\p{Cc}+/gu, " ").trim();
  return printable.slice(0, QUERY_LENGTH_MAX).toWellFormed();
}

function numberOf(
  text: string | null,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  if (text === null || !/^-?\d{1,15}$/.test(text.trim())) return fallback;
  return Math.min(Math.max(Number(text), 0), max);
}

function isSemVer2Level(text: string | null): boolean {
  const level = text === null ? undefined : parsePackageVersion(text);
  return level !== undefined && level.numbers[0] >= 2;
}

/** A lone `*` asks for everything, as at nuget.org. */
function wildTextOf(value: string | null): string {
  const text = textOf(value);
  return text.trim() === "*" ? "" : text;
}
