import { join } from "node:path";
import {
  fillNpmCatalog,
  madeUpNpmWords,
  npmPackages,
  openTestPlace,
  testableDatabases,
} from "@sealhouse/database/testing";
import { expectStatus } from "./expect-status.ts";
import { openHost } from "./host-process.ts";
import type { HostProcess } from "./host-process.ts";
import { databaseSettings } from "./npm-databases.ts";
import { cpuSeconds, cpuSecondsOf, untilIdle } from "./process-figures.ts";
import type { Result } from "./result.ts";

type Type = "Sqlite" | "PostgreSQL" | "MySql";

const SERVERS = { Sqlite: undefined, PostgreSQL: "postgres", MySql: "mariadbd" } as const;

/** CPU milliseconds of one question of each kind. */
type Costs = Readonly<Record<string, { readonly host: number; readonly server: number }>>;

/**
 * Questions about npm packages that never came before, one after the other, in a small and in a
 * large catalog where one name in a hundred is hidden from the caller.
 */
export async function measureNpmSearch(
  folder: string,
  { names, questions }: { readonly names: readonly [number, number]; readonly questions: number },
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const testable = testableDatabases();
  for (const type of (["Sqlite", "PostgreSQL", "MySql"] as const).filter((one) =>
    testable.includes(one),
  )) {
    const [small, large] = names;
    const before = await costsOf(join(folder, `${type}-small`), type, { names: small, questions });
    const after = await costsOf(join(folder, `${type}-large`), type, { names: large, questions });
    const total = (costs: Costs) =>
      Object.values(costs).reduce((sum, { host, server }) => sum + host + server, 0) /
      Object.keys(costs).length;
    results.push(
      {
        what: `npm search of ${small} names, ${type}: CPU of a new question`,
        figure: total(before),
        unit: "ms",
        budget: 3,
        bound: "at most",
        remark: shown(before),
      },
      {
        what: `the same of ${large} names`,
        figure: total(after) / total(before),
        unit: "times",
        budget: 1.3,
        bound: "at most",
        remark: shown(after),
      },
    );
  }
  return results;
}

function shown(costs: Costs): string {
  return Object.entries(costs)
    .map(([kind, { host, server }]) => {
      const ofServer = server === 0 ? "" : ` + ${server.toFixed(1)}`;
      return `${kind} ${host.toFixed(1)}${ofServer}`;
    })
    .join(", ");
}

async function costsOf(
  folder: string,
  type: Type,
  { names, questions }: { readonly names: number; readonly questions: number },
): Promise<Costs> {
  await using place = await openTestPlace(type);
  await fillNpmCatalog(place.config, names);
  const env =
    place.config.type === "Sqlite"
      ? { Database__ConnectionString: `Data Source=${place.config.path}` }
      : databaseSettings(place);
  await using host = await openHost(folder, { env });
  const kinds = questionsOf(questions * 2, names);
  // Jobs that run after a start look at all packages.
  await untilIdle(host.pid);
  // Compiles the code.
  for (const paths of Object.values(kinds)) await ask(host, paths.slice(questions));
  const costs: Record<string, Costs[string]> = {};
  for (const [kind, paths] of Object.entries(kinds)) {
    costs[kind] = await costOf(host, type, paths.slice(0, questions));
  }
  return costs;
}

async function costOf(host: HostProcess, type: Type, paths: readonly string[]) {
  const program = SERVERS[type];
  const now = () => ({
    host: cpuSeconds(host.pid),
    server: program === undefined ? 0 : cpuSecondsOf(program),
  });
  const before = now();
  await ask(host, paths);
  const after = now();
  const each = (seconds: number) => (seconds * 1_000) / paths.length;
  return { host: each(after.host - before.host), server: each(after.server - before.server) };
}

async function ask({ url }: HostProcess, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const response = await fetch(`${url}${path}`);
    await expectStatus(response, path.startsWith("/npm-packages/") ? 404 : 200);
  }
}

/** Distinct questions of each kind; words are frequent and rare ones in turn. */
function questionsOf(count: number, names: number): Readonly<Record<string, readonly string[]>> {
  const words = madeUpNpmWords();
  const word = (index: number) => words[(index ** 2 * 7) % words.length] ?? "";
  const present = npmPackages(Math.min(names, count * 10)).toArray();
  const name = (index: number) => present[index * 7]?.name ?? "";
  const kind = (textOf: (index: number) => string, more = "") =>
    Array.from(
      { length: count },
      (_, index) => `/npm/-/v1/search?text=${encodeURIComponent(textOf(index))}&size=20${more}`,
    );
  return {
    "a frequent word": kind((index) => words[index] ?? ""),
    "a word": kind((index) => word(index + count)),
    "a part of a word": kind((index) => word(index + 3 * count).slice(1, 4)),
    "two words": kind((index) => `${words[index]} ${word(index + 1)}`),
    "a name": kind(name),
    "no hit": kind((index) => `nothing${index}`),
    "a keyword": kind((index) => `keywords:${words[index * 3]}`),
    "a scope": kind((index) => `scope:${words[index]} ${words[index + 1]?.slice(0, 2)}`),
    "not deprecated": kind((index) => `not:deprecated ${words[index]}`),
    "all, a later page": kind(() => "", "").map((path, index) => `${path}&from=${index}`),
    "the page of an absent name": Array.from(
      { length: count },
      (_, index) => `/npm-packages/${words[index]}-absent${index}`,
    ),
  };
}
