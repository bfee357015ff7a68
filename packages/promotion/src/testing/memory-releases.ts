import { createHash } from "node:crypto";
import type { ShownEvent } from "@sealhouse/events";
import type { Caller } from "@sealhouse/request-types";
import type { LentKeyRow, LentKeyRows, LentPlace } from "../lending/ports.ts";
import type {
  NewRelease,
  ReleaseControl,
  ReleaseLanes,
  ReleaseRows,
  ReleaseStep,
  StatementRows,
} from "../release/ports.ts";
import { END_STATES, PUBLISHED_STATES } from "../model/release.ts";
import { isResumable, resumedRelease } from "../release/resumed.ts";
import type { Release, StoredRelease } from "../model/release.ts";
import type { SignedStatement } from "../statement/release-statement.ts";

/** Releases in memory, with the events that were written with them. */
export type MemoryReleases = {
  readonly rows: ReleaseRows;
  readonly control: ReleaseControl;
  readonly statements: StatementRows;
  readonly lentKeys: LentKeyRows;
  readonly lanes: ReleaseLanes;
  readonly events: readonly ShownEvent[];
};

type Entry = {
  readonly key: string;
  readonly lane: string;
  release: StoredRelease;
  statement: SignedStatement | undefined;
  outcome?: SignedStatement;
};

/** Creates the ports of releases in memory. */
export function createMemoryReleases(now: () => Date): MemoryReleases {
  const entries: Entry[] = [];
  const events: ShownEvent[] = [];
  const lent = new Map<string, LentKeyRow>();
  const claims = new Map<string, string>();
  const entryOf = (id: string): Entry => {
    const entry = entries.find(({ release }) => release.id === id);
    if (!entry) throw new Error(`There is no release ${id}`);
    return entry;
  };
  const move = (id: string, step: ReleaseStep, items?: StoredRelease["items"]): void => {
    const entry = entryOf(id);
    const { from, statement, outcome, event, ...change } = step;
    if (entry.release.state !== from) return;
    const { nextAt: _, reason: __, ...rest } = entry.release;
    entry.release = { ...rest, ...withoutUndefined(change), ...(items && { items }) };
    if (statement) entry.statement = statement;
    if (outcome) entry.outcome = outcome;
    if (event) events.push(event);
    if (!END_STATES.has(step.state)) return;
    for (const key of lent.keys()) if (key.startsWith(`${id}/`)) lent.delete(key);
    for (const [place, holder] of claims) if (holder === id) claims.delete(place);
  };
  const rows: ReleaseRows = {
    open: async (release, caller) => {
      const repeated = entries.find(({ key }) => key === release.key);
      if (repeated) return { status: "repeated", release: withoutItems(repeated.release) };
      const ofGroup = entries.filter((entry) => isOfGroup(entry, release.group));
      const active = ofGroup.find((entry) => !END_STATES.has(entry.release.state));
      if (active && release.kind === "promotion") return { status: "busy", id: active.release.id };
      const opened = openedRelease(release, { caller, number: ofGroup.length + 1, at: now() });
      entries.push({
        key: release.key,
        lane: release.lane,
        release: { ...opened, items: release.items ?? [] },
        statement: undefined,
      });
      return { status: "opened", release: opened };
    },
    find: async (id) => entries.find(({ release }) => release.id === id)?.release,
    async list({ group, after, limit }) {
      const listed = entries
        .map(({ release }) => withoutItems(release))
        .filter((release) => group === undefined || isOfGroup({ release }, group))
        .toReversed();
      const from = after ? listed.findIndex(({ id }) => id === after.id) + 1 : 0;
      return listed.slice(from, from + limit);
    },
    due: async (at) =>
      entries
        .map(({ release }) => release)
        .filter((release) => isDue(release, at) && isFirst(entries, release))
        .map(({ id }) => id),
    freeze: async (id, items, step) => move(id, step, items),
    move: async (id, step) => move(id, step),
    saveItems: async (id, changed) => {
      const entry = entryOf(id);
      const saved = new Map(changed.map((item) => [item.id, item]));
      const items = entry.release.items.map((before) => saved.get(before.id) ?? before);
      entry.release = { ...entry.release, items };
    },
  };
  const control = controlOf(entries, { now, events });
  const lentKeys = lentKeysOf(lent, now);
  const lanes = lanesOf(claims);
  return { rows, control, statements: statementsOf(entries), lentKeys, lanes, events };
}

function controlOf(
  entries: readonly Entry[],
  { now, events }: { readonly now: () => Date; readonly events: ShownEvent[] },
): ReleaseControl {
  const changed = (
    { id, group }: Release,
    detail: { readonly change: string; readonly reason?: string },
    caller: Caller,
  ) =>
    void events.push({
      type: "release.changed",
      subject: `group/${group}`,
      caller,
      detail: { release: id, ...detail },
    });
  const find = (id: string) => entries.find(({ release }) => release.id === id);
  return {
    async resume(id, caller) {
      const entry = find(id);
      if (!entry) return "absent";
      const { endedAt: _, nextAt: __, reason: ___, ...release } = entry.release;
      const isEnded = END_STATES.has(release.state);
      if (isEnded && !isResumable(release)) return "ended";
      changed(release, { change: "resumed" }, caller);
      if (!isEnded) {
        entry.release = release;
        return "running";
      }
      entry.release = { ...release, ...resumedRelease(release), attemptsSince: now() };
      return "resumed";
    },
    async cancel(id, reason, caller) {
      const entry = find(id);
      if (!entry) return "absent";
      const { nextAt: _, ...release } = entry.release;
      if (END_STATES.has(release.state)) return "ended";
      if (release.pivotAt) return "forward";
      changed(release, { change: "cancelled", reason }, caller);
      entry.release = { ...release, state: "undoing", attemptsSince: now(), reason };
      return "cancelled";
    },
  };
}

function lanesOf(claims: Map<string, string>): ReleaseLanes {
  return {
    async claim(id, places) {
      const holders = places.map((place) => claims.get(place));
      const other = holders.find((holder) => holder !== undefined && holder !== id);
      if (other === undefined) for (const place of places) claims.set(place, id);
      return other;
    },
  };
}

function lentKeysOf(lent: Map<string, LentKeyRow>, now: () => Date): LentKeyRows {
  const keyOf = ({ release, target, name }: LentPlace) =>
    `${release}/${target.toLowerCase()}/${name}`;
  return {
    async find(place) {
      const row = lent.get(keyOf(place));
      return row && row.expiresAt > now() ? row : undefined;
    },
    put: async (place, row) => void lent.set(keyOf(place), row),
    drop: async (place) => void lent.delete(keyOf(place)),
  };
}

/** Names of groups differ without regard to letter case. */
function isOfGroup({ release }: { readonly release: Release }, group: string): boolean {
  return release.group.toLowerCase() === group.toLowerCase();
}

function isDue({ state, nextAt }: Release, at: Date): boolean {
  return !END_STATES.has(state) && (!nextAt || nextAt <= at);
}

/** Whether no earlier release of its lane runs. */
function isFirst(entries: readonly Entry[], { id }: Release): boolean {
  const lane = entries.find(({ release }) => release.id === id)?.lane;
  const running = entries.filter(
    (entry) => entry.lane === lane && !END_STATES.has(entry.release.state),
  );
  return running[0]?.release.id === id;
}

function statementsOf(entries: readonly Entry[]): StatementRows {
  return {
    async targetsOf({ protocol, name }) {
      const items = entries.flatMap(({ release }) => release.items);
      const published = items.filter(
        ({ member, state }) =>
          member.protocol === protocol &&
          member.name.toLowerCase() === name.toLowerCase() &&
          PUBLISHED_STATES.includes(state),
      );
      return [...new Set(published.map(({ target }) => target))].toSorted();
    },
    find: async (id) => entries.find(({ release }) => release.id === id)?.statement,
    outcome: async (id) => entries.find(({ release }) => release.id === id)?.outcome,
    newestDigest: async (group) => {
      const signed = entries.filter(
        (entry) => isOfGroup(entry, group) && entry.statement !== undefined,
      );
      const newest = signed.at(-1)?.statement;
      return newest && createHash("sha256").update(newest.statement).digest("hex");
    },
  };
}

function openedRelease(
  { id, group, kind, targets, items }: NewRelease,
  { caller, number, at }: { readonly caller: Caller; readonly number: number; readonly at: Date },
): Release {
  const { actor, tokenId } = caller;
  const token = tokenId === undefined ? {} : { tokenId };
  return {
    id,
    group,
    kind,
    targets,
    number,
    actor,
    ...token,
    state: items ? "frozen" : "open",
    createdAt: at,
    attemptsSince: at,
  };
}

function withoutItems(stored: StoredRelease): Release {
  const { items: _, ...release } = stored;
  return release;
}

type Change = Omit<ReleaseStep, "from" | "statement" | "outcome" | "event">;

function withoutUndefined(change: Change): Partial<Release> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
