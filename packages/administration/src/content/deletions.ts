import { deleteVersion, lowerId } from "@sealhouse/nuget-protocol";
import { digestOfTag, isDigest, isRepositoryName, isTag } from "@sealhouse/oci-distribution";
import type { RepositoryName } from "@sealhouse/oci-distribution";
import type { Protocol } from "@sealhouse/request-types";
import type { Asked } from "../action.ts";
import { absent, conflict, RefusedActionError } from "../refusal.ts";
import type { Asker } from "./deprecations.ts";
import { nugetVersion, packageId } from "./deprecations.ts";
import type { ContentRows } from "./parts.ts";

type Named = { readonly protocol: Protocol; readonly name: string };
type Version = Named & { readonly version: string };

/**
 * Deletes a version, a tag or an image as its client does. Resolves to the deleted version.
 *
 * @throws RefusedActionError
 */
export async function deleteOne({ parts, caller }: Asker, wanted: Version, isDryRun: boolean) {
  const rows = await parts.content();
  const version = await findVersion(rows, wanted);
  if (isDryRun) return version;
  if (!(await deleteFound(rows, { ...wanted, version }, caller))) throw noVersion(wanted);
  return version;
}

function noVersion({ name, version }: Version): RefusedActionError {
  return absent(`There is no ${name} ${version}.`);
}

/** @throws RefusedActionError */
async function findVersion(rows: ContentRows, wanted: Version): Promise<string> {
  const { protocol, name } = wanted;
  const version = protocol === "nuget" ? nugetVersion(wanted).version : wanted.version;
  if (protocol === "oci") {
    const repository = repositoryIn(name);
    const isThere = isDigest(version)
      ? await rows.oci.manifests.find(repository, version)
      : isTag(version) && (await digestOfTag(rows.oci.tags, repository, version));
    if (!isThere) throw noVersion(wanted);
    return version;
  }
  const all = await versionsOf(rows, { protocol, name });
  if (all.some((one) => one.toLowerCase() === version.toLowerCase())) return version;
  throw noVersion(wanted);
}

/** @throws RefusedActionError when an image is protected, or another request changed the package */
async function deleteFound(
  rows: ContentRows,
  { protocol, name, version }: Version,
  caller: Asked<unknown>["caller"],
): Promise<boolean> {
  if (protocol === "nuget") {
    const names = { id: name, version };
    return (await deleteVersion(rows.nuget.lifecycle, names, caller)) === "deleted";
  }
  if (protocol === "npm") return unpublish(rows, { name, versions: [version] }, caller);
  const repository = repositoryIn(name);
  const outcome = isDigest(version)
    ? await rows.oci.manifests.deleteManifest(repository, version, caller)
    : await rows.oci.manifests.deleteTag(repository, version, caller);
  if (outcome === "held") throw conflict(`${name}@${version} is held: sealhouse oci hold list`);
  if (typeof outcome === "object") throw conflict(`A tag of ${name} ${version} is immutable.`);
  return outcome === "deleted";
}

async function unpublish(
  { npm }: ContentRows,
  { name, versions }: { readonly name: string; readonly versions: readonly string[] | "all" },
  caller: Asked<unknown>["caller"],
): Promise<boolean> {
  const found = await npm.lookup.find(name);
  if (!found) return false;
  const isAll = versions === "all" || found.versions.length <= versions.length;
  const removal = { versions: isAll ? ("all" as const) : versions, revision: found.revision };
  const outcome = await npm.lifecycle.unpublish(name, removal, caller);
  if (outcome === "changed") throw conflict(`Another request changed ${name}. Try again.`);
  return outcome === "deleted";
}

/** A name, and the number of what uses it. */
export type FoundName = {
  readonly name: string;
  /** Versions, or tags of a repository. */
  readonly versions: readonly string[];
  readonly dependents: { readonly count: number; readonly names: readonly string[] };
  /** Names of targets that a release published it to. */
  readonly targets: readonly string[];
};

/** @throws RefusedActionError */
export async function findName(
  parts: Asker["parts"],
  { protocol, name: typed }: Named,
): Promise<FoundName> {
  const rows = await parts.content();
  const name = protocol === "nuget" ? packageId(typed) : typed;
  const named = { protocol, name };
  const versions = await versionsOf(rows, named);
  if (versions.length === 0) throw absent(`There is no ${protocol} package or image ${typed}.`);
  const dependents = await dependentsOf(rows, named);
  return { name, versions, dependents, targets: await rows.promotion.statements.targetsOf(named) };
}

/**
 * Deletes all versions of a name. Resolves to those that something protects.
 *
 * @throws RefusedActionError
 */
export async function deleteName(
  { parts, caller, signal }: Pick<Asked<unknown>, "parts" | "caller" | "signal">,
  { protocol, name }: Named,
): Promise<{ readonly deleted: number; readonly kept: readonly string[] }> {
  const rows = await parts.content();
  const versions = await versionsOf(rows, { protocol, name });
  if (protocol === "npm") {
    const isDone = await unpublish(rows, { name, versions: "all" }, caller);
    return { deleted: isDone ? versions.length : 0, kept: [] };
  }
  const kept: string[] = [];
  let deleted = 0;
  for (const version of versions) {
    signal.throwIfAborted();
    try {
      if (await deleteFound(rows, { protocol, name, version }, caller)) deleted += 1;
    } catch (error) {
      if (!(error instanceof RefusedActionError)) throw error;
      kept.push(version);
    }
  }
  return { deleted, kept };
}

const TAGS_AT_ONCE = 1_000;

async function versionsOf(rows: ContentRows, { protocol, name }: Named) {
  if (protocol === "nuget") {
    const summaries = await rows.nuget.lookup.summaries(lowerId(name), { onlyNumbers: true });
    return summaries.map(({ version }) => version);
  }
  if (protocol === "npm") {
    return (await rows.npm.lookup.find(name))?.versions.map(({ version }) => version) ?? [];
  }
  const tags: string[] = [];
  for (let size = TAGS_AT_ONCE; size === TAGS_AT_ONCE;) {
    const after = tags.at(-1);
    const page = { limit: TAGS_AT_ONCE, ...(after !== undefined && { after }) };
    const some = (await rows.oci.manifests.tags(repositoryIn(name), page)) ?? [];
    tags.push(...some);
    size = some.length;
  }
  return tags;
}

const DEPENDENTS_SHOWN = 10;

async function dependentsOf({ nuget, npm }: ContentRows, { protocol, name }: Named) {
  if (protocol === "oci") return { count: 0, names: [] };
  if (protocol === "npm") {
    const page = { from: 0, size: DEPENDENTS_SHOWN };
    const { total: count, names } = await npm.dependents.dependents(name, page);
    return { count, names };
  }
  const page = { skip: 0, take: DEPENDENTS_SHOWN };
  const { totalHits: count, packages } = await nuget.search.dependents(name, page);
  return { count, names: packages.map(({ id }) => id) };
}

function repositoryIn(name: string): RepositoryName {
  if (isRepositoryName(name)) return name;
  throw new RefusedActionError(
    "invalid",
    `${JSON.stringify(name)} is not the name of a repository.`,
  );
}
