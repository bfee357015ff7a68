import type { Protocol } from "@sealhouse/request-types";
import { isRepositoryName } from "@sealhouse/oci-distribution";
import { isCallError } from "@sealhouse/http-responses/outgoing";
import type { Fetch } from "@sealhouse/http-responses/outgoing";
import { forEachConcurrent } from "../import/for-each-concurrent.ts";
import { nameAt, wantedImage } from "../mirror/oci/image-locator.ts";
import type { WantedImage } from "../mirror/oci/image-locator.ts";
import type { NameOrigins } from "../mirror/ports.ts";
import type { PackageSource } from "./package-source.ts";
import { openSourceClient } from "./source-clients.ts";
import type { SourceClient } from "./source-clients.ts";
import { sourcesFor } from "./sources-for.ts";
import type { WantedName } from "./sources-for.ts";

/** Dependencies of `findConflicts`. */
export type ConflictParts = {
  readonly origins: Pick<NameOrigins, "ownNames">;
  readonly sources: readonly PackageSource[];
  /** OCI segments. */
  readonly segments: readonly string[];
  readonly fetchOf: (source: PackageSource) => Fetch;
  readonly signal: AbortSignal;
};

/** An own name that a source has, too. */
export type NameConflict = { readonly name: string; readonly source: string };

/** Result of `findConflicts`. */
export type ConflictReport = {
  readonly names: number;
  readonly conflicts: readonly NameConflict[];
  /** By name of the source; it was not asked for further names. */
  readonly failures: ReadonlyMap<string, string>;
};

const PAGE = 500;
const CALLS_AT_ONCE = 8;

/**
 * Asks the sources of a protocol for all names that are published here. This tells the names to the
 * sources, so only an operator starts it.
 */
export async function findConflicts(
  protocol: Protocol,
  parts: ConflictParts,
): Promise<ConflictReport> {
  const { origins, sources, segments, fetchOf, signal } = parts;
  const clients = new Map(
    sources.map((source) => [source.name, openSourceClient(source, fetchOf(source))]),
  );
  const conflicts: NameConflict[] = [];
  const failures = new Map<string, string>();
  const ask = async (wantedName: WantedName | WantedImage, source: PackageSource) => {
    const opened = clients.get(source.name);
    if (!opened || failures.has(source.name)) return;
    try {
      const { name } = wantedName;
      const there = "nameAtSource" in wantedName ? nameAt(source, wantedName as WantedImage) : name;
      if (await hasName(opened, there, signal)) conflicts.push({ name, source: source.name });
    } catch (error) {
      if (!isCallError(error)) throw error;
      failures.set(source.name, error.message);
    }
  };
  let names = 0;
  await forEachConcurrent(everyOwnName(origins, protocol), CALLS_AT_ONCE, async (name) => {
    signal.throwIfAborted();
    names += 1;
    const wantedName =
      protocol === "oci" && isRepositoryName(name)
        ? wantedImage(name, { segments, sources })
        : { protocol, name };
    for (const source of sourcesFor(sources, wantedName)) await ask(wantedName, source);
  });
  const sorted = conflicts.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { names, conflicts: sorted, failures };
}

async function* everyOwnName(
  origins: Pick<NameOrigins, "ownNames">,
  protocol: Protocol,
): AsyncGenerator<string, void, undefined> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: readonly string[] = await origins.ownNames(protocol, { after, limit: PAGE });
    yield* page;
    after = page.length === PAGE ? page.at(-1) : undefined;
  }
}

async function hasName(opened: SourceClient, name: string, signal: AbortSignal): Promise<boolean> {
  switch (opened.protocol) {
    case "nuget":
      return ((await opened.client.versions(name, { signal })) ?? []).length > 0;
    case "npm":
      return (await opened.client.packument(name, { form: "abbreviated", signal })) !== undefined;
    case "oci": {
      const tags = opened.client.repository(name).tags({ signal });
      try {
        const first = await tags.next();
        return first.done !== true;
      } finally {
        await tags.return();
      }
    }
  }
}
