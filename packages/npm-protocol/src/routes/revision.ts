import { installablePackage } from "../documents/installable-package.ts";
import { revisionOf } from "../documents/packument.ts";
import { NpmError } from "../errors.ts";
import type { PackageName } from "../package-name.ts";
import type { NpmPackage } from "../ports.ts";
import type { Call } from "./call.ts";
import { authorizeNamed, notFound } from "./call.ts";

/** The package a change is about. `action` is asked for first where the caller is not in yet. */
export async function requirePackage(
  call: Call,
  name: PackageName,
  action?: "read" | "write" | "delete",
): Promise<NpmPackage> {
  if (action) await authorizeNamed(call, { action, name });
  const npmPackage = await call.ports.lookup.find(name);
  if (!npmPackage) throw notFound();
  return npmPackage;
}

/**
 * Returns the package as the document of this revision shows it, with or without damaged versions.
 * A change that was made from an older document would undo what happened since.
 */
export function requireRevision(found: NpmPackage, revision: string): NpmPackage {
  if (revision === revisionOf(found)) return found;
  const installable = installablePackage(found);
  if (revision === revisionOf(installable)) return installable;
  throw updateConflict();
}

/** The very words of the public registry. */
export function updateConflict(): NpmError {
  return new NpmError("revision-conflict", "Document update conflict.");
}
