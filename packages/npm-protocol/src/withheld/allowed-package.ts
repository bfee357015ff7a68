import { createHash } from "node:crypto";
import { visiblePackage } from "../as-of/visible-package.ts";
import type { InstallablePackage } from "../documents/installable-package.ts";
import { NpmError } from "../errors.ts";
import type { NpmPackage } from "../ports.ts";

/**
 * Returns the variant of the documents of a package: undefined when nothing is withheld. It is a
 * part of the keys of stored documents, so that no document survives a change of the rules.
 */
export function variantOf({ withheld = [] }: Pick<NpmPackage, "withheld">): string | undefined {
  if (withheld.length === 0) return undefined;
  const texts = withheld.map(({ version, text }) => [version, text]);
  return createHash("sha256").update(JSON.stringify(texts)).digest("base64url").slice(0, 22);
}

/** Returns the key of a stored document in a variant. */
export function variantKey(key: string, variant: string | undefined): string {
  return variant === undefined ? key : `${key} ~${variant}`;
}

/**
 * Returns the package without withheld versions; `latest` moves to an older version. A client that
 * sends such a document back gets a conflict, so it cannot delete what it was not shown.
 *
 * @throws NpmError when there are no others
 */
export function allowedPackage(found: InstallablePackage): InstallablePackage {
  const times = new Map(found.versions.map(({ version, publishedAt }) => [version, publishedAt]));
  const withheld = found.withheld?.filter(({ version }) => times.has(version)) ?? [];
  const newest = withheld.at(-1);
  if (!newest) return found;
  const hidden = new Set(withheld.map(({ version }) => version));
  const shown = visiblePackage(found, (version) =>
    hidden.has(version.version) ? undefined : version,
  );
  if (!shown) throw new NpmError("forbidden", newest.text);
  const hiddenTimes = new Map([...times].filter(([version]) => hidden.has(version)));
  return { ...shown, withheld, hiddenTimes, omitted: [...found.omitted, ...hidden] };
}
