import { checkReachable } from "@sealhouse/http-responses/outgoing";
import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { KeyRing } from "@sealhouse/identity";
import type { Caller, Protocol } from "@sealhouse/request-types";
import type { NameOrigins, SourceStates } from "../mirror/ports.ts";
import { describeSource } from "./describe-source.ts";
import type { SourceDescription } from "./describe-source.ts";
import { findConflicts } from "./find-conflicts.ts";
import type { ConflictReport } from "./find-conflicts.ts";
import type { PackageSource } from "./package-source.ts";
import { probeSource } from "./probe-source.ts";
import type { ProbeReport } from "./probe-source.ts";
import { addSource, enableSource } from "./source-changes.ts";
import type { SourceChange } from "./source-changes.ts";
import type { SourceSurroundings } from "./source-problems.ts";
import type { SourceRows } from "./source-rows.ts";
import { openStoredSources } from "./stored-sources.ts";

/** A source with its state. */
export type ListedSource = {
  readonly source: PackageSource;
  readonly description: SourceDescription;
  /** The key ring cannot decrypt its credentials, so it must not be stored again without them. */
  readonly isUnreadable: boolean;
};

/** Changes of sources by an administrator. Each change and its event are one transaction. */
export interface SourceAdministration {
  /** Returns the sources of the database, then those of the configuration. */
  list(): Promise<readonly ListedSource[]>;
  put(
    source: PackageSource,
    options: { readonly isReplacing: boolean; readonly caller: Caller },
  ): Promise<SourceChange>;
  enable(name: string, isEnabled: boolean, caller: Caller): Promise<SourceChange>;
  remove(name: string, caller: Caller): Promise<"removed" | "absent">;
  /** Calls the source once. */
  test(source: PackageSource, signal: AbortSignal): Promise<ProbeReport>;
  /** Tells the names that were published here to the sources. */
  conflicts(protocol: Protocol, signal: AbortSignal): Promise<ConflictReport>;
}

/** Dependencies of `openSourceAdministration`. */
export type AdministrationParts = {
  readonly rows: SourceRows;
  readonly states: Pick<SourceStates, "all">;
  readonly origins: Pick<NameOrigins, "ownNames">;
  readonly keyRing: Pick<KeyRing, "protect" | "unprotect">;
  /** Sources of the configuration. */
  readonly configured: readonly PackageSource[];
  readonly surroundings: SourceSurroundings;
  readonly fetchOf: (source: PackageSource) => Fetch;
  readonly now: () => Date;
  /** Called after each change, so that this instance uses it at once. */
  readonly onChange: () => void;
};

/** Opens the changes of sources that commands make, too. */
export function openSourceAdministration(parts: AdministrationParts): SourceAdministration {
  const { rows, states, origins, keyRing, configured, surroundings, fetchOf, now } = parts;
  const stored = openStoredSources(rows, keyRing);
  const changed = <Outcome>(outcome: Outcome): Outcome => {
    parts.onChange();
    return outcome;
  };
  return {
    async list() {
      const unreadable = new Set<string>();
      const own = await openStoredSources(rows, keyRing, (name) => unreadable.add(name)).list();
      const known = await states.all();
      return [...own, ...configured].map((source) => ({
        source,
        isUnreadable: source.from === "database" && unreadable.has(source.name),
        description: describeSource(source, {
          state: known.get(source.name.toLowerCase()),
          now: now(),
          isReplaced: source.from === "configuration" && own.length > 0,
        }),
      }));
    },
    async put(source, options) {
      const reach = () => checkReachable(source.url, fetchOf(source), new AbortController().signal);
      return changed(await addSource(stored, source, { surroundings, ...options, reach }));
    },
    enable: async (name, isEnabled, caller) =>
      changed(await enableSource(stored, name, { isEnabled, surroundings, caller })),
    remove: async (name, caller) => changed(await rows.remove(name, caller)),
    test: (source, signal) =>
      probeSource(source, { fetch: fetchOf(source), signal, clock: () => performance.now() }),
    async conflicts(protocol, signal) {
      const own = await stored.list();
      const all = own.length > 0 ? own : configured;
      return findConflicts(protocol, {
        origins,
        sources: all.filter((source) => source.protocol === protocol),
        segments: surroundings.surfaces,
        fetchOf,
        signal,
      });
    },
  };
}
