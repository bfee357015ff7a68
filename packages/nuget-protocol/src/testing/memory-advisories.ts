import { distinctAdvisories } from "../advisories/distinct.ts";
import type {
  Advisory,
  AdvisoryLookup,
  AdvisoryPage,
  AdvisoryRecorder,
  AdvisorySource,
  NewAdvisory,
} from "../advisories/ports.ts";
import {
  advisoryKey,
  collectAdvisories,
  planReplacement,
  timeAfter,
} from "../advisories/replacement.ts";
import { VULNERABILITY_GROUP } from "../advisories/vulnerability-documents.ts";
import { documentGroup } from "../document-key.ts";
import type { MemoryDocuments } from "./memory-documents.ts";

type StoredAdvisory = NewAdvisory & { readonly source: string; readonly page: AdvisoryPage };
type Source = AdvisorySource & { readonly baseAt: Date };

/** Advisories in a list. */
export function createMemoryAdvisories(
  documents: Pick<MemoryDocuments, "stale">,
): AdvisoryLookup & AdvisoryRecorder {
  let rows: readonly StoredAdvisory[] = [];
  let sources: readonly Source[] = [];

  const stale = (ids: Iterable<string>) => {
    for (const id of ids) documents.stale(documentGroup(id));
    documents.stale(VULNERABILITY_GROUP);
  };
  const changeTime = () =>
    timeAfter(
      sources.flatMap(({ baseAt, updatedAt }) => [baseAt, updatedAt]),
      new Date(),
    );
  const rebase = (time: Date) => {
    rows = rows.map((row) => ({ ...row, page: "base" }));
    sources = sources.map((source) => ({ ...source, baseAt: time }));
  };
  const put = (source: Source) => {
    sources = [...sources.filter(({ name }) => name !== source.name), source];
  };

  return {
    of: async (ids, from) =>
      byId(rows.filter(({ id, source }) => ids.includes(id) && (from?.includes(source) ?? true))),
    async state() {
      const telling = sources.filter(({ name }) => rows.some(({ source }) => source === name));
      const [first] = telling;
      return first && { baseAt: first.baseAt, updatedAt: last(telling) };
    },
    variant: () => undefined,
    page: async (page) => byId(rows.filter((row) => row.page === page)),
    async replace(name, advisories, state) {
      const newAdvisories = await collectAdvisories(name, advisories);
      const own = rows.filter(({ source }) => source === name);
      const keptAdvisories = new Map(own.map((row) => [advisoryKey(row), row]));
      const onUpdatePage = rows.filter(({ page }) => page === "update").length;
      const plan = planReplacement(keptAdvisories, newAdvisories, onUpdatePage);
      const knownSource = sources.find((source) => source.name === name);
      const isChanged = !knownSource || plan.ids.length > 0;
      const time = isChanged ? changeTime() : knownSource.updatedAt;
      rows = rows.filter((row) => row.source !== name || newAdvisories.has(advisoryKey(row)));
      rows = [
        ...rows,
        ...plan.added.map((advisory) => ({ ...advisory, source: name, page: plan.page })),
      ];
      put({
        name,
        baseAt: sources[0]?.baseAt ?? time,
        updatedAt: time,
        checkedAt: new Date(),
        ...(state !== undefined && { state }),
      });
      if (isChanged) {
        if (plan.page === "base") rebase(time);
        stale(plan.ids);
      }
      return { added: plan.added.length, removed: plan.removed.length, total: newAdvisories.size };
    },
    async checked(name) {
      const knownSource = sources.find((source) => source.name === name);
      if (knownSource) put({ ...knownSource, checkedAt: new Date() });
    },
    async remove(name) {
      if (!sources.some((source) => source.name === name)) return;
      const time = changeTime();
      const ids = rows.filter(({ source }) => source === name).map(({ id }) => id);
      rows = rows.filter(({ source }) => source !== name);
      sources = sources.filter((source) => source.name !== name);
      rebase(time);
      stale(new Set(ids));
    },
    async sources() {
      const sorted = sources.toSorted((source, other) => (source.name < other.name ? -1 : 1));
      return sorted.map(({ baseAt: _baseAt, ...source }) => source);
    },
  };
}

function byId(rows: readonly StoredAdvisory[]): ReadonlyMap<string, readonly Advisory[]> {
  const grouped = Map.groupBy(rows, ({ id }) => id);
  return new Map(
    [...grouped].map(([id, keptAdvisories]) => [
      id,
      distinctAdvisories(keptAdvisories.map(advisoryOf)),
    ]),
  );
}

function advisoryOf({ severity, url, versions, advisoryId }: StoredAdvisory): Advisory {
  return { severity, url, versions, ...(advisoryId !== undefined && { advisoryId }) };
}

function last(sources: readonly Source[]): Date {
  const times = sources.flatMap(({ baseAt, updatedAt }) => [baseAt, updatedAt]);
  return new Date(Math.max(...times.map(Number)));
}
