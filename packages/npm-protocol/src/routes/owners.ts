import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { Maintainer } from "../owners/ports.ts";
import type { PackageName } from "../package-name.ts";
import type { Call } from "./call.ts";
import { authorizeNamed, json, notFound } from "./call.ts";
import { requirePackage, requireRevision, updateConflict } from "./revision.ts";

const MAINTAINERS_MAX = 100;
const LENGTH_MAX = 255;

/** `PUT /{package}/-rev/{revision}` with the new list of maintainers. */
export async function changeOwners(
  call: Call,
  name: PackageName,
  { body, revision }: { readonly body: JsonObject; readonly revision: string },
): Promise<Response> {
  const caller = await authorizeNamed(call, { action: "manage", name });
  const maintainers = maintainersIn(body, name);
  const npmPackage = await requirePackage(call, name);
  requireRevision(npmPackage, revision);
  await requireKnown(call, maintainers, npmPackage.maintainers);
  const change = { maintainers, revision: npmPackage.revision };
  const outcome = await call.ports.owners.setMaintainers(name, change, caller);
  if (outcome === "changed") throw updateConflict();
  if (outcome === "absent") throw notFound();
  if (outcome === "last") throw ownerRequired(name);
  if (outcome === "full") throw tooManyOwners(name);
  if (outcome === "stranger") {
    throw invalid(`${name} belongs to users and teams, and one of the names is neither.`);
  }
  return json(call, { ok: true }, 201);
}

/** An added owner must have an account; existing owners may have lost theirs. */
async function requireKnown(
  { ports }: Call,
  maintainers: readonly Maintainer[],
  present: readonly Maintainer[] = [],
): Promise<void> {
  const knownNames = new Set(present.map(({ name }) => name));
  for (const { name } of maintainers) {
    if (knownNames.has(name) || (await ports.accounts.user(name))) continue;
    throw invalid(
      `There is no account ${JSON.stringify(name)} here. Owners are accounts with a token.`,
    );
  }
}

function maintainersIn({ maintainers }: JsonObject, name: string): readonly Maintainer[] {
  const entries: readonly unknown[] = Array.isArray(maintainers) ? maintainers : [];
  if (entries.length === 0) {
    throw ownerRequired(name);
  }
  if (entries.length > MAINTAINERS_MAX) {
    throw tooManyOwners(name);
  }
  const byName = new Map(
    entries.map(maintainerOf).map((maintainer) => [maintainer.name, maintainer]),
  );
  return [...byName.values()];
}

export function ownerRequired(name: string): NpmError {
  const text = `${name} must keep an owner: add another one before you remove the last.`;
  return new NpmError("owner-required", text);
}

export function tooManyOwners(name: string): NpmError {
  return invalid(
    `${name} would have more than ${MAINTAINERS_MAX} owners, the most for one package: remove ` +
      "some, or make a team an owner.",
  );
}

function maintainerOf(value: unknown): Maintainer {
  const { name, email } = isObject(value) ? value : {};
  if (!isShort(name) || name.trim() === "") throw invalid("Each owner needs a name.");
  return { name, ...(isShort(email) && email !== "" && { email }) };
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length <= LENGTH_MAX;
}

function invalid(text: string): NpmError {
  return new NpmError("document-invalid", text);
}
