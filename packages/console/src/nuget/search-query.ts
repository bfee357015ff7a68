import type { PackageQuery } from "./model.ts";
import { SKIP_MAX, TEXT_LENGTH_MAX } from "../kit/forms/search-fields.ts";

const TAKE = 20;
const FILTER_LENGTH_MAX = 100;

/** Parses the query parameters of the search. The default includes prereleases. */
export function parsePackageQuery(parameters: URLSearchParams): PackageQuery {
  const text = (name: string, max: number) => (parameters.get(name) ?? "").trim().slice(0, max);
  const skip = text("skip", 10);
  return {
    text: text("q", TEXT_LENGTH_MAX).toWellFormed(),
    prerelease: parameters.get("prerelease")?.toLowerCase() !== "false",
    packageType: text("packageType", FILTER_LENGTH_MAX).toWellFormed(),
    framework: text("framework", FILTER_LENGTH_MAX).toWellFormed(),
    skip: /^\d+$/.test(skip) ? Math.min(Number(skip), SKIP_MAX) : 0,
    take: TAKE,
  };
}

/** Returns the query parameters of a search, without default values. */
export function parametersOf(query: PackageQuery): URLSearchParams {
  const { text, prerelease, packageType, framework, skip } = query;
  return new URLSearchParams({
    ...(text !== "" && { q: text }),
    ...(!prerelease && { prerelease: "false" }),
    ...(packageType !== "" && { packageType }),
    ...(framework !== "" && { framework }),
    ...(skip > 0 && { skip: String(skip) }),
  });
}
