import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { Maintainer } from "../owners/ports.ts";
import type { PackageName } from "../package-name.ts";
import type { Call } from "./call.ts";
import { authorizeCall, json, notFound } from "./call.ts";
import { requirePackage, requireRevision, updateConflict } from "./revision.ts";

const MAINTAINERS_MAX = 100;
const LENGTH_MAX = 255;

/** `PUT /{package}/-rev/{revision}` with the new list of maintainers. */
export async function changeOwners(
  call: Call,
  name: PackageName,
  { body, revision }: { readonly body: JsonObject; readonly revision: string },
): Promise<Response> {
  const caller = await authorizeCall(call, { action: "manage", name });
  const maintainers = maintainersIn(body, name);
  const found = await requirePackage(call, name);
  requireRevision(found, revision);
  await requireKnown(call, maintainers, found.maintainers);
  const wanted = { maintainers, revision: found.revision };
  const outcome = await call.ports.owners.setMaintainers(name, wanted, caller);
  if (outcome === "changed") throw updateConflict();
  if (outcome === "absent") throw notFound();
  return json(call, { ok: true }, 201);
}

/** An added owner must have an account; existing owners may have lost theirs. */
async function requireKnown(
  { ports }: Call,
  maintainers: readonly Maintainer[],
  present: readonly Maintainer[] = [],
): Promise<void> {
  const known = new Set(present.map(({ name }) => name));
  for (const { name } of maintainers) {
    if (known.has(name) || (await ports.accounts.user(name))) continue;
    throw invalid(
      `There is no account ${JSON.stringify(name)} here. Owners are accounts with a token.`,
    );
  }
}

function maintainersIn({ maintainers }: JsonObject, name: string): readonly Maintainer[] {
  const given: readonly unknown[] = Array.isArray(maintainers) ? maintainers : [];
  if (given.length === 0) {
    const text = `${name} must keep an owner: add another one before you remove the last.`;
    throw new NpmError("owner-required", text);
  }
  if (given.length > MAINTAINERS_MAX) {
    throw invalid(`A package has at most ${MAINTAINERS_MAX} owners.`);
  }
  const byName = new Map(given.map(maintainerOf).map((one) => [one.name, one]));
  return [...byName.values()];
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
