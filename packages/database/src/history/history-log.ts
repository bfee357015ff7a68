import type { Caller, Protocol } from "@sealhouse/request-types";
import { parseProtocols } from "@sealhouse/identity";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";
import { HISTORY_KINDS } from "./current-state.ts";
import type { HistoryKind } from "./current-state.ts";
import { eraseContent } from "./erase-content.ts";
import type { DeletedContent } from "./erase-content.ts";
import { dropOutlived } from "./kept-content.ts";
import { followChanges, OPEN_END } from "./follow-changes.ts";

/** A fact about a name and the time in which it held. */
export type HistoryEntry = {
  readonly protocol: Protocol;
  /** Lower-case package id, npm package name or repository. */
  readonly name: string;
  readonly kind: HistoryKind;
  /** Version or tag; empty for facts of the whole name. */
  readonly item: string;
  /**
   * Digest or integrity of a version, target of a tag, JSON of owners or of a NuGet deprecation,
   * message of an npm deprecation, `unlisted`, or npm's access.
   */
  readonly value: string;
  readonly from: Date;
  /** The first moment at which it no longer held; undefined while it holds. */
  readonly until?: Date;
};

/** The entries to read. */
export type HistoryQuery = {
  readonly protocols: readonly Protocol[];
  /** Only what held at this time. */
  readonly at?: Date;
  /** Maximum number of entries. */
  readonly limit: number;
};

/** The history of names: which facts held when. */
export interface History {
  /** Returns the newest entries of a name, newest first. */
  of(name: string, query: HistoryQuery): Promise<readonly HistoryEntry[]>;
  /**
   * Brings the intervals of all names of a protocol up to date, for states that an older release
   * or another program has written. Ends early when the signal aborts. Returns the number of
   * intervals that changed.
   */
  reconcile(protocol: Protocol, signal?: AbortSignal): Promise<number>;
  /**
   * Forgets deleted content whose time for views is over; the next sweep deletes its bytes. Ends
   * early when the signal aborts. Returns the number of versions.
   */
  dropOutlived(signal?: AbortSignal): Promise<number>;
  /** Removes deleted content from views at once. Returns the number of versions and images. */
  erase(content: DeletedContent, caller: Caller): Promise<number>;
}

const OF_NAME = defineStatement(
  "history-of-name",
  {
    protocols: param.texts,
    names: param.texts,
    begun: param.time,
    unended: param.time,
    limit: param.whole,
  },
  (db, { protocols, names, begun, unended, limit }, own) =>
    own.limit(
      db
        .selectFrom("history")
        .select(["protocol", "name", "kind", "item", "value", "valid_from", "valid_to"])
        .where("protocol", "in", own.textsIn(protocols))
        .where("name", "in", own.textsIn(names))
        .where("valid_from", "<=", begun)
        .where("valid_to", ">", unended)
        .orderBy("valid_from", "desc")
        .orderBy("id", "desc"),
      limit,
    ),
);

/** Names in one transaction. */
const NAMES_AT_ONCE = 100;

const PAGE = { after: param.text(255), limit: param.whole };
const NAMES_OF = {
  nuget: defineStatement("history-names-nuget", PAGE, (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_packages")
        .select("lower_id as name")
        .where("lower_id", ">", after)
        .orderBy("lower_id"),
      limit,
    ),
  ),
  npm: defineStatement("history-names-npm", PAGE, (db, { after, limit }, own) =>
    own.limit(
      db.selectFrom("npm_packages").select("name").where("name", ">", after).orderBy("name"),
      limit,
    ),
  ),
  oci: defineStatement("history-names-oci", PAGE, (db, { after, limit }, own) =>
    own.limit(
      db.selectFrom("oci_repositories").select("name").where("name", ">", after).orderBy("name"),
      limit,
    ),
  ),
} as const;

/** Names with open intervals: their packages may be gone. */
const OPEN_NAMES = defineStatement(
  "history-open-names",
  { ...PAGE, protocol: param.text(16), open: param.time },
  (db, { after, limit, protocol, open }, own) =>
    own.limit(
      db
        .selectFrom("history")
        .select("name")
        .distinct()
        .where("protocol", "=", protocol)
        .where("valid_to", "=", open)
        .where("name", ">", after)
        .orderBy("name"),
      limit,
    ),
);

export function createHistory({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): History {
  const pageOf = (protocol: Protocol) => (after: string) =>
    queries.all(NAMES_OF[protocol], { after, limit: NAMES_AT_ONCE });
  const openPageOf = (protocol: Protocol) => (after: string) =>
    queries.all(OPEN_NAMES, { protocol, open: OPEN_END, after, limit: NAMES_AT_ONCE });
  return {
    dropOutlived: (signal) => dropOutlived(changes, signal),
    erase: (content, caller) => eraseContent(changes, content, caller),
    async of(name, { protocols, at, limit }) {
      // NuGet compares ids without regard to letter case.
      const names = [...new Set([name, name.toLowerCase()])];
      const times = { begun: at ?? OPEN_END, unended: at ?? new Date(0) };
      return (await queries.all(OF_NAME, { protocols, names, ...times, limit })).map(entryOf);
    },
    async reconcile(protocol, signal) {
      let changed = 0;
      for (const page of [pageOf(protocol), openPageOf(protocol)]) {
        for (let after: string | undefined = ""; after !== undefined;) {
          if (signal?.aborted) return changed;
          const names: readonly string[] = (await page(after)).map((row) => row.name);
          if (names.length > 0) {
            changed += await changes.transaction((unit) =>
              followChanges(unit.queries, { protocol, names }, changes.now()),
            );
          }
          after = names.length < NAMES_AT_ONCE ? undefined : names.at(-1);
        }
      }
      return changed;
    },
  };
}

function entryOf(row: RowOf<typeof OF_NAME>): HistoryEntry {
  const [protocol] = parseProtocols(row.protocol);
  const kind = HISTORY_KINDS.find((historyKind) => historyKind === row.kind);
  if (!protocol || !kind) throw new Error(`the history of ${row.name} has an unknown kind`);
  const { name, item, value, valid_from: from, valid_to: until } = row;
  const isOpen = until.getTime() === OPEN_END.getTime();
  return { protocol, name, kind, item, value, from, ...(!isOpen && { until }) };
}
