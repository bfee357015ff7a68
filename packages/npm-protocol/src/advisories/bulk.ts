import type { Severity } from "@sealhouse/advisories";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { NpmError } from "../errors.ts";
import { dictionary, isObject, stringListOf } from "../json.ts";
import { parseOldPackageName } from "../package-name.ts";
import type { Match } from "./matching.ts";
import { matchAdvisories } from "./matching.ts";
import type { NpmUpstream } from "../upstream/ports.ts";
import type { NpmAdvisories } from "./ports.ts";

/** Versions by name: what a client has installed or is about to install. */
export type Inventory = ReadonlyMap<string, ReadonlySet<string>>;

/** Where advisories come from. */
export type AuditPorts = {
  readonly advisories: NpmAdvisories;
  readonly upstream: Pick<NpmUpstream, "advisories">;
};

/** More than the largest lock file has, and little enough to be answered within 50 ms of CPU. */
export const INVENTORY_LIMITS = { packages: 10_000, versions: 25_000, versionsOfOne: 500 };
/** Packages looked at before other requests get their turn. */
const PACKAGES_AT_ONCE = 200;

export const SEVERITY_NAMES = ["low", "moderate", "high", "critical"] as const;

/**
 * Reads `{package: [version, …]}`. Ignores invalid names and versions, which have no advisories.
 * @throws {NpmError} for another form, or one above the limits
 */
export function readInventory(document: unknown): Inventory {
  if (!isObject(document)) {
    throw new NpmError(
      "document-invalid",
      "The body is not an object of package names and versions.",
    );
  }
  const add = inventory();
  for (const name of Object.keys(document)) {
    add.package(name);
    for (const version of stringListOf(document[name])) add.version(name, version);
  }
  return add.all;
}

/** Adds entries up to the limits. */
export function inventory() {
  const all = new Map<string, Set<string>>();
  let versions = 0;
  return {
    all,
    package(name: string): void {
      if (all.has(name) || parseOldPackageName(name) === undefined) return;
      if (all.size === INVENTORY_LIMITS.packages) throw tooMuch("packages");
      all.set(name, new Set());
    },
    version(name: string, version: string): void {
      const knownVersions = all.get(name);
      if (!knownVersions || knownVersions.has(version)) return;
      if (knownVersions.size === INVENTORY_LIMITS.versionsOfOne) throw tooMuch("versionsOfOne");
      if (versions === INVENTORY_LIMITS.versions) throw tooMuch("versions");
      knownVersions.add(version);
      versions += 1;
    },
  };
}

function tooMuch(what: keyof typeof INVENTORY_LIMITS): NpmError {
  const words = { packages: "packages", versions: "versions", versionsOfOne: "versions of one" };
  const limit = `${INVENTORY_LIMITS[what]} ${words[what]}`;
  return new NpmError("too-large", `An audit is answered for up to ${limit} at a time.`);
}

/** Known advisories on the versions of an inventory, by package, also those of package sources. */
export async function findMatches(
  { advisories, upstream }: AuditPorts,
  batch: Inventory,
): Promise<ReadonlyMap<string, readonly Match[]>> {
  const [own, others] = await Promise.all([
    advisories.of([...batch.keys()]),
    upstream.advisories(batch),
  ]);
  const allMatches = new Map<string, readonly Match[]>();
  let index = 0;
  for (const name of new Set([...own.keys(), ...others.keys()])) {
    if ((index += 1) % PACKAGES_AT_ONCE === 0) await yieldToEventLoop();
    const about = [...(own.get(name) ?? []), ...(others.get(name) ?? [])];
    const matches = matchAdvisories(name, about, batch.get(name) ?? []);
    if (matches.length > 0) allMatches.set(name, matches);
  }
  return allMatches;
}

/** The answer to `POST /-/npm/v1/security/advisories/bulk`. */
export function bulkAnswer(allMatches: ReadonlyMap<string, readonly Match[]>): object {
  return dictionary([...allMatches].map(([name, matches]) => [name, matches.map(bulkEntry)]));
}

function bulkEntry({ id, advisory }: Match): object {
  const { url, title, severity, versions, cwe, cvss } = advisory;
  return {
    id,
    url,
    title,
    severity: severityName(severity),
    vulnerable_versions: versions,
    cwe,
    cvss: cvss ?? { score: 0, vectorString: null },
  };
}

export function severityName(severity: Severity): (typeof SEVERITY_NAMES)[number] {
  return SEVERITY_NAMES[severity];
}
