import type { Caller, Protocol } from "@sealhouse/request-types";
import { parseProtocols } from "@sealhouse/identity";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { HISTORY_KINDS } from "./history-kinds.ts";
import type { HistoryKind } from "./history-kinds.ts";
import { countErasable, eraseContent } from "./erase-content.ts";
import type { DeletedContent } from "./erase-content.ts";
import { dropOutlived } from "./kept-content.ts";
import { OPEN_END } from "./follow-changes.ts";

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
   * Forgets deleted content whose time for views is over; the next sweep deletes its bytes. Ends
   * early when the signal aborts. Returns the number of versions.
   */
  dropOutlived(signal?: AbortSignal): Promise<number>;
  /** Removes deleted content from views at once. Returns the number of versions and images. */
  erase(content: DeletedContent, caller: Caller): Promise<number>;
  /** Returns the number of versions and images that `erase` would remove. */
  erasable(content: DeletedContent): Promise<number>;
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

export function createHistory({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): History {
  return {
    dropOutlived: (signal) => dropOutlived(changes, signal),
    erase: (content, caller) => eraseContent(changes, content, caller),
    erasable: (content) => countErasable(queries, content),
    async of(name, { protocols, at, limit }) {
      // NuGet compares ids without regard to letter case.
      const names = [...new Set([name, name.toLowerCase()])];
      const times = { begun: at ?? OPEN_END, unended: at ?? new Date(0) };
      return (await queries.all(OF_NAME, { protocols, names, ...times, limit })).map(entryOf);
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
