import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import { deprecationText } from "../lifecycle/deprecation-text.ts";
import type { PackageName } from "../package-name.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { NpmPackage } from "../ports.ts";
import type { NpmVersion } from "../npm-version.ts";
import type { Call } from "./call.ts";
import { authorizeCall, authorizeNamed, json, notFound } from "./call.ts";
import { requirePackage, requireRevision, updateConflict } from "./revision.ts";

/** `PUT /{package}` with the whole packument: of all it says, only `deprecated` counts. */
export async function deprecateVersions(
  call: Call,
  name: PackageName,
  body: JsonObject,
): Promise<Response> {
  const caller = await authorizeNamed(call, { action: "write", name });
  const texts = deprecationsIn(body);
  requireKnownVersions(name, await call.ports.lookup.find(name), texts);
  const changed = await call.ports.lifecycle.deprecate(name, texts, caller);
  if (!changed) throw notFound();
  return json(call, { success: true });
}

/** A new version would be a publish, which has a tarball. */
function requireKnownVersions(
  name: PackageName,
  npmPackage: NpmPackage | undefined,
  texts: ReadonlyMap<string, unknown>,
): void {
  const knownVersions = new Set(npmPackage?.versions.map(({ version }) => version));
  const unknown = [...texts.keys()].find((version) => !knownVersions.has(version));
  if (unknown === undefined) return;
  throw new NpmError(
    "document-invalid",
    `The body describes ${name}@${unknown.slice(0, 100)}, which this registry does not have, and ` +
      "has no tarball of it in _attachments.",
  );
}

/** An empty or absent text removes a deprecation. */
function deprecationsIn(body: JsonObject): ReadonlyMap<string, string | undefined> {
  return new Map(
    manifestsIn(body).map(([version, manifest]) => [version, deprecationText(version, manifest)]),
  );
}

/** `PUT /{package}/-rev/{revision}` with the versions that shall stay. pnpm sends a star the same
 * way: then all of them stay, and nothing happens. */
export async function unpublishVersions(
  call: Call,
  name: PackageName,
  { body, revision }: { readonly body: JsonObject; readonly revision: string },
): Promise<Response> {
  const npmPackage = await requirePackage(call, name);
  const seen = requireRevision(npmPackage, revision);
  const keptVersions = new Set(manifestsIn(body).map(([version]) => version));
  const leaving = seen.versions.filter(({ version }) => !keptVersions.has(version));
  if (leaving.length > 0) {
    const knownCount = seen.versions.length - leaving.length;
    if (keptVersions.size > knownCount) {
      throw new NpmError(
        "document-invalid",
        `The body names versions that ${name} does not have; ask for the package again.`,
      );
    }
    await unpublish(call, npmPackage, leaving);
  }
  return json(call, { ok: true }, 201);
}

/** npm's second step, after the `PUT` of the versions that stay, with which the tarball went. */
export function isTarballDeletion(method: string, rawPath: string): boolean {
  return method === "DELETE" && /\.tgz\/-rev\/[^/]+$/.test(rawPath);
}

/**
 * Nothing is left to do, and nothing is looked up: for the registry of a scope npm writes the
 * registry's path twice or cuts the package's name, and would fail at a refusal.
 */
export async function acknowledgeDeletion(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "delete" });
  return json(call, { ok: true });
}

/** `DELETE /{package}/-rev/{revision}`. */
export async function deletePackage(
  call: Call,
  name: PackageName,
  rest: readonly string[],
): Promise<Response> {
  await authorizeNamed(call, { action: "delete", name });
  const [what, revision] = rest;
  if (what !== "-rev" || revision === undefined || rest.length > 2) {
    throw notFound(`There is nothing to delete here; use npm unpublish ${name}.`);
  }
  const npmPackage = await requirePackage(call, name);
  requireRevision(npmPackage, revision);
  await unpublish(call, npmPackage, npmPackage.versions);
  return json(call, { ok: true });
}

async function unpublish(
  call: Call,
  npmPackage: NpmPackage,
  leaving: readonly NpmVersion[],
): Promise<void> {
  const { name, revision } = npmPackage;
  const caller = await authorizeNamed(call, { action: "delete", name });
  await requireYoung(call, name, leaving);
  const isAll = leaving.length === npmPackage.versions.length;
  const versions = isAll ? "all" : leaving.map(({ version }) => version);
  const outcome = await call.ports.lifecycle.unpublish(name, { versions, revision }, caller);
  if (outcome === "changed") throw updateConflict();
  if (outcome === "absent") throw notFound();
}

/** Others build on what is published; after a while only an administrator takes it away. */
async function requireYoung(
  { c, ports, settings }: Call,
  name: string,
  leaving: readonly NpmVersion[],
): Promise<void> {
  const { now, unpublishWithinMs } = settings;
  const oldest = now().getTime() - unpublishWithinMs;
  const tooOld = leaving.find(({ publishedAt }) => publishedAt.getTime() < oldest);
  if (!tooOld) return;
  const verdict = await ports.authorize(c.req.raw, c.env, { action: "admin", name });
  if (verdict.status === "granted") return;
  const which = `${name}@${tooOld.version}`;
  throw new NpmError(
    "forbidden",
    `${which} was published ${tooOld.publishedAt.toISOString()}, which is too long ago to ` +
      `unpublish it: that takes a token with the scope admin. To warn people off it: npm ` +
      `deprecate ${which} "<why>".`,
  );
}

function manifestsIn(body: JsonObject): readonly (readonly [string, unknown])[] {
  const { versions } = body;
  return Object.entries(isObject(versions) ? versions : {}).map(([text, manifest]) => [
    parsePackageVersion(text) ?? text,
    manifest,
  ]);
}
