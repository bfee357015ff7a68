import { createHash } from "node:crypto";
import type { NewEvent } from "@sealhouse/events";
import type { Caller } from "@sealhouse/request-types";
import { isDigest } from "@sealhouse/oci-distribution";
import { END_STATES, isResumable, resumedRelease } from "@sealhouse/promotion";
import type {
  NewRelease,
  OpenedRelease,
  Release,
  ReleaseControl,
  ReleaseItem,
  ReleaseRows,
  ReleaseStep,
  SignedStatement,
  StatementRows,
  StoredRelease,
} from "@sealhouse/promotion";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { HOLD_OPEN, HOLDS_RELEASE } from "../oci/gc/holds.ts";
import type { PortContext } from "../port-context.ts";
import { containing } from "../raw/like.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { freePackages, holdPackages } from "./held-contents.ts";
import { DROP_LENT } from "./lent-key-rows.ts";
import { FREE_LANES } from "./release-lanes.ts";
import { itemOf, itemValues, newItemValues, releaseOf } from "./release-record.ts";
import {
  ACTIVE,
  DROP_ITEMS,
  DUE,
  FIND,
  FIND_BY_REQUEST,
  FIND_OUTCOME,
  FIND_STATEMENT,
  INSERT,
  INSERT_ITEM,
  ITEMS,
  LIST,
  LIST_OF_GROUP,
  LOCK,
  MOVE,
  NEWEST_NUMBER,
  NEWEST_STATEMENT,
  SAVE_ITEM,
  SET_OUTCOME,
  SET_STATEMENT,
  TARGETS_OF,
} from "./release-statements.ts";
import { keepSuccess } from "./target-rows.ts";

type Context = Pick<PortContext, "queries" | "changes">;

/** Releases that are looked at in one round. */
const DUE_MAX = 100;
/** Later than any release. */
const END_OF_TIME = new Date("9999-12-31T00:00:00Z");

export function createReleaseRows({ queries, changes }: Context): ReleaseRows {
  return {
    open: (release, caller) => open({ queries, changes }, release, caller),
    find: (id) => find(queries, id),
    async list({ group, after, limit }) {
      const { createdAt: before = END_OF_TIME, id = "" } = after ?? {};
      const page = { before, id, limit };
      const rows =
        group === undefined
          ? await queries.all(LIST, page)
          : await queries.all(LIST_OF_GROUP, { ...page, groupKey: group.toLowerCase() });
      return rows.map(releaseOf);
    },
    async due(now) {
      const rows = await queries.all(DUE, { now, limit: DUE_MAX });
      return rows.map(({ id }) => id);
    },
    freeze: (id, items, step) =>
      changes.transaction(async (unit) => {
        if ((await lock(unit, id))?.state !== step.from) return;
        await unit.queries.run(DROP_ITEMS, { id });
        await insertItems(unit, id, items);
        await move(changes, unit, { id, step });
      }),
    move: (id, step) => changes.transaction((unit) => move(changes, unit, { id, step })),
    saveItems: (_, items) => changes.transaction((unit) => saveItems(unit, items)),
  };
}

export function createReleaseControl({ changes }: Context): ReleaseControl {
  return {
    resume: (id, caller) =>
      changes.transaction(async (unit) => {
        await lock(unit, id);
        const release = await find(unit.queries, id);
        if (!release) return "absent";
        const isEnded = END_STATES.has(release.state);
        if (isEnded && !isResumable(release)) return "ended";
        const { state, items } = isEnded ? resumedRelease(release) : release;
        const attemptsSince = changes.now();
        const detail = { release: id, change: "resumed" };
        const step = { from: release.state, state, attemptsSince, endedAt: undefined };
        if (isEnded) {
          await saveItems(unit, items);
          await holdContents(unit, id, items);
        }
        await move(changes, unit, { id, step });
        await changes.event(unit, changedBy(release, detail, caller));
        return isEnded ? "resumed" : "running";
      }),
    cancel: (id, reason, caller) =>
      changes.transaction(async (unit) => {
        const release = await lock(unit, id);
        if (!release) return "absent";
        if (END_STATES.has(release.state)) return "ended";
        if (release.pivotAt) return "forward";
        const attemptsSince = changes.now();
        const detail = { release: id, change: "cancelled", reason };
        const { state: from } = release;
        const step = { from, state: "undoing", attemptsSince, reason } as const;
        await move(changes, unit, { id, step });
        await changes.event(unit, changedBy(release, detail, caller));
        return "cancelled";
      }),
  };
}

export function createStatementRows({ queries }: Pick<Context, "queries">): StatementRows {
  return {
    async targetsOf({ protocol, name }) {
      // The fields of the JSON of a member.
      const patterns = {
        protocol: containing(`"protocol":${JSON.stringify(protocol)}`),
        name: containing(`"name":${JSON.stringify(name.toLowerCase())}`),
      };
      return (await queries.all(TARGETS_OF, patterns)).map(({ target }) => target);
    },
    async find(id) {
      const { statement } = (await queries.one(FIND_STATEMENT, { id })) ?? {};
      return typeof statement === "string" ? (JSON.parse(statement) as SignedStatement) : undefined;
    },
    async outcome(id) {
      const { outcome } = (await queries.one(FIND_OUTCOME, { id })) ?? {};
      return typeof outcome === "string" ? (JSON.parse(outcome) as SignedStatement) : undefined;
    },
    async newestDigest(group) {
      const row = await queries.one(NEWEST_STATEMENT, { groupKey: group.toLowerCase() });
      return row?.statement_digest ?? undefined;
    },
  };
}

async function open(context: Context, release: NewRelease, caller: Caller): Promise<OpenedRelease> {
  const { queries } = context;
  const activeKey = activeKeyOf(release);
  try {
    return await openNew(context, { release, activeKey }, caller);
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
  }
  // Another caller was first.
  const repeated = await queries.one(FIND_BY_REQUEST, { requestKey: release.key });
  if (repeated) return { status: "repeated", release: releaseOf(repeated) };
  const active = await queries.one(ACTIVE, { activeKey });
  return { status: "busy", id: active?.id ?? "" };
}

function openNew(
  { changes }: Context,
  { release, activeKey }: { readonly release: NewRelease; readonly activeKey: string },
  caller: Caller,
): Promise<OpenedRelease> {
  const { id, group, kind, targets, lane, key: requestKey, items } = release;
  const state = items ? "frozen" : "open";
  const groupKey = group.toLowerCase();
  return changes.transaction(async (unit): Promise<OpenedRelease> => {
    const repeated = await unit.queries.one(FIND_BY_REQUEST, { requestKey });
    if (repeated) return { status: "repeated", release: releaseOf(repeated) };
    const active = await unit.queries.one(ACTIVE, { activeKey });
    if (active) return { status: "busy", id: active.id };
    const newest = await unit.queries.one(NEWEST_NUMBER, { groupKey });
    const number = (newest?.number ?? 0) + 1;
    const { actor, tokenId } = caller;
    const createdAt = changes.now();
    await unit.queries.run(INSERT, {
      id,
      number,
      groupKey,
      groupName: group,
      kind,
      state,
      requestKey,
      activeKey,
      lane,
      targets: JSON.stringify(targets),
      actor,
      tokenId,
      createdAt,
    });
    if (items) await insertItems(unit, id, items);
    const token = tokenId === undefined ? {} : { tokenId };
    const opened: Release = {
      id,
      number,
      group,
      kind,
      targets,
      actor,
      ...token,
      state,
      createdAt,
      attemptsSince: createdAt,
    };
    return { status: "opened", release: opened };
  });
}

/** One release of a group runs at a time; syndications of a lane wait for each other instead. */
function activeKeyOf({ id, kind, group }: Pick<Release, "id" | "kind" | "group">): string {
  return kind === "promotion" ? `group/${group.toLowerCase()}` : `release/${id}`;
}

async function find(queries: Context["queries"], id: string): Promise<StoredRelease | undefined> {
  const row = await queries.one(FIND, { id });
  if (!row) return undefined;
  return { ...releaseOf(row), items: (await queries.all(ITEMS, { id })).map(itemOf) };
}

function changedBy(
  { group }: Pick<Release, "group">,
  detail: NonNullable<NewEvent["detail"]>,
  caller: Caller,
): NewEvent {
  return { type: "release.changed", subject: `group/${group}`, caller, detail };
}

/** The release, which nothing else changes until the transaction ends. */
async function lock(unit: Unit, id: string): Promise<Release | undefined> {
  await unit.queries.run(LOCK, { id });
  const row = await unit.queries.one(FIND, { id });
  return row && releaseOf(row);
}

async function move(
  changes: Changes,
  unit: Unit,
  { id, step }: { readonly id: string; readonly step: ReleaseStep },
): Promise<void> {
  const before = await lock(unit, id);
  if (before?.state !== step.from) return;
  const isEnd = END_STATES.has(step.state);
  const { state, endedAt, nextAt, reason, statement } = step;
  await unit.queries.run(MOVE, {
    id,
    state,
    activeKey: isEnd ? `ended/${id}` : activeKeyOf(before),
    frozenAt: step.frozenAt ?? before.frozenAt,
    pivotAt: step.pivotAt ?? before.pivotAt,
    attemptsSince: step.attemptsSince ?? before.attemptsSince,
    endedAt,
    nextAt,
    reason,
  });
  if (statement) {
    const digest = createHash("sha256").update(statement.statement).digest("hex");
    const text = JSON.stringify(statement);
    await unit.queries.run(SET_STATEMENT, { id, statement: text, digest });
  }
  if (step.outcome) {
    await unit.queries.run(SET_OUTCOME, { id, outcome: JSON.stringify(step.outcome) });
  }
  if (state === "released") {
    await keepSuccess(unit, { targets: before.targets, at: endedAt ?? changes.now() });
  }
  if (isEnd) {
    await unit.queries.run(HOLDS_RELEASE, { holder: holderOf(id) });
    await freePackages(unit, id);
    await unit.queries.run(DROP_LENT, { release: id });
    await unit.queries.run(FREE_LANES, { release: id });
  }
  if (step.event) await changes.shown(unit, step.event);
}

async function saveItems(unit: Unit, items: readonly ReleaseItem[]): Promise<void> {
  for (const item of items) await unit.queries.run(SAVE_ITEM, itemValues(item));
}

async function insertItems(unit: Unit, id: string, items: readonly ReleaseItem[]): Promise<void> {
  for (const [position, item] of items.entries()) {
    await unit.queries.run(INSERT_ITEM, newItemValues(id, item, position));
  }
  await holdContents(unit, id, items);
}

/** Until the release ends, the collector keeps its images, and sweeps keep its packages. */
async function holdContents(unit: Unit, id: string, items: readonly ReleaseItem[]): Promise<void> {
  await holdPackages(unit, id, items);
  const holder = holderOf(id);
  await unit.queries.run(HOLDS_RELEASE, { holder });
  const digests = new Set(items.map(({ member }) => member.version).filter(isDigest));
  for (const digest of [...digests].toSorted()) {
    await unit.queries.run(HOLD_OPEN, { digest, holder, until: undefined });
  }
}

function holderOf(id: string): string {
  return `release/${id}`.slice(0, NAME_LENGTH.actor);
}
