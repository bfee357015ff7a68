import { isPackageId, lowerId, lowerVersion, parseDeprecation } from "@sealhouse/nuget-protocol";
import type { Asked } from "../action.ts";
import { absent, RefusedActionError } from "../refusal.ts";

/** A caller, and the rows. */
export type Asker = Pick<Asked<unknown>, "parts" | "caller">;

type Versions = { readonly name: string; readonly versions?: readonly string[] | undefined };

/** @throws RefusedActionError */
export async function deprecateNuget(
  { parts, caller }: Asker,
  does: "sets" | "lifts",
  { name, versions = [], ...fields }: Versions & Readonly<Record<string, unknown>>,
) {
  const id = packageId(name);
  const named = versions.length > 0 ? versions : undefined;
  const read = parseDeprecation({ ...fields, versions: named }, does);
  if (read.status === "invalid") throw invalid(read.problems.join("\n"));
  const { versions: wanted, deprecation } = read.request;
  const { lifecycle } = (await parts.content()).nuget;
  const changed = await lifecycle.deprecate(id, wanted, deprecation, caller);
  if (!changed) throw absent(`There is no ${[name, ...versions].join(" ")}.`);
  return { name: id, changed: [...changed] };
}

/**
 * Deprecates versions of an npm package; without a message, lifts it.
 *
 * @throws RefusedActionError
 */
export async function deprecateNpm(
  { parts, caller }: Asker,
  { name, versions = [], message }: Versions & { readonly message?: string },
) {
  const { npm } = await parts.content();
  const known = (await npm.lookup.find(name))?.versions.map(({ version }) => version);
  const unknown = versions.find((version) => !known?.includes(version));
  if (!known || unknown !== undefined) {
    throw absent(`There is no ${[name, unknown].join(" ").trim()}.`);
  }
  const wanted = versions.length > 0 ? versions : known;
  const texts = new Map(wanted.map((version) => [version, message]));
  const changed = await npm.lifecycle.deprecate(name, texts, caller);
  return { name, changed: [...(changed ?? [])] };
}

/** The package to use instead: `Id`, or `Id@range`. */
export function alternateOf(text: string): { readonly id: string; readonly range?: string } {
  const index = text.indexOf("@");
  return index === -1 ? { id: text } : { id: text.slice(0, index), range: text.slice(index + 1) };
}

/** @throws RefusedActionError */
export function nugetVersion(named: { readonly name: string; readonly version: string }) {
  const version = lowerVersion(named.version);
  if (version === undefined) throw invalid(`"${named.version}" is not a version.`);
  return { id: packageId(named.name), version };
}

/** @throws RefusedActionError */
export function packageId(name: string): string {
  if (!isPackageId(name)) throw invalid(`"${name}" is not a package id.`);
  return lowerId(name);
}

function invalid(message: string): RefusedActionError {
  return new RefusedActionError("invalid", message);
}
