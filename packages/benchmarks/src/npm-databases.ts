import { join } from "node:path";
import { openTestPlace, testableDatabases } from "@sealhouse/database/testing";
import type { TestPlace } from "@sealhouse/database/testing";
import { makeToken, openHost } from "./host-process.ts";
import { drive } from "./load.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { cpuSeconds, cpuSecondsOf } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

type Sizes = {
  readonly rounds: number;
  readonly seconds: number;
  /** Publishes of each side in each round. */
  readonly publishes: number;
};

/** CPU microseconds of the host and of the database server per request. */
type Cost = { readonly host: number; readonly server: number };

type Side = AsyncDisposable & {
  readonly type: "Sqlite" | "PostgreSQL" | "MySql";
  readonly cost: (seconds: number) => Promise<Cost>;
  /** Publishes new packages. */
  readonly publishCost: (count: number) => Promise<Cost>;
};

const SERVERS = { Sqlite: undefined, PostgreSQL: "postgres", MySql: "mariadbd" } as const;
/** Budgets in multiples of the host's CPU on SQLite. MariaDB has a lookup for each read. */
const BUDGETS = { PostgreSQL: 1.5, MySql: 6 } as const;
/** In multiples of a publish on SQLite. */
const PUBLISH_BUDGET = 2.5;
const ACCEPT = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

/** Reads of one packument with a token while nothing is written, on each database in turn. */
export async function measureNpmDatabases(
  folder: string,
  { rounds, seconds, publishes }: Sizes,
): Promise<readonly Result[]> {
  await using stack = new AsyncDisposableStack();
  const testable = testableDatabases();
  const types = (["Sqlite", "PostgreSQL", "MySql"] as const).filter((type) =>
    testable.includes(type),
  );
  const sides: Side[] = [];
  for (const type of types) sides.push(stack.use(await openSide(join(folder, type), type)));
  for (const side of sides) await side.cost(2);
  const costs: ReadonlyMap<string, Cost>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const costOf = new Map<string, Cost>();
    for (const { type, cost } of sides) costOf.set(type, await cost(seconds));
    costs.push(costOf);
  }
  const publishCosts: ReadonlyMap<string, Cost>[] = [];
  for (const side of sides) await side.publishCost(publishes);
  for (let round = 0; round < rounds; round += 1) {
    const costOf = new Map<string, Cost>();
    for (const { type, publishCost } of sides) costOf.set(type, await publishCost(publishes));
    publishCosts.push(costOf);
  }
  return types
    .filter((type) => type !== "Sqlite")
    .flatMap((type) => [resultOf(type, costs), publishResult(type, publishCosts)]);
}

function publishResult(
  type: "PostgreSQL" | "MySql",
  rounds: readonly ReadonlyMap<string, Cost>[],
): Result {
  const msOf = (of: string) =>
    rounds.map((round) => {
      const { host, server } = round.get(of) ?? { host: Number.NaN, server: 0 };
      return (host + server) / 1_000;
    });
  const sqlite = msOf("Sqlite");
  const own = msOf(type);
  return {
    what: `npm publish of a new 10 KB package on ${type}, host and server`,
    figure: median(own.map((ms, round) => ms / (sqlite[round] ?? Number.NaN))),
    unit: "times the CPU on SQLite",
    budget: PUBLISH_BUDGET,
    bound: "at most",
    remark: `${median(own).toFixed(1)} against ${median(sqlite).toFixed(1)} ms`,
  };
}

function resultOf(
  type: "PostgreSQL" | "MySql",
  rounds: readonly ReadonlyMap<string, Cost>[],
): Result {
  const all = (of: string, figure: keyof Cost) =>
    rounds.map((round) => round.get(of)?.[figure] ?? Number.NaN);
  const sqlite = all("Sqlite", "host");
  const host = all(type, "host");
  const us = (figures: readonly number[]) => median(figures).toFixed(0);
  return {
    what: `npm: packument with a token on ${type}, 16 connections`,
    figure: median(host.map((figure, round) => figure / (sqlite[round] ?? Number.NaN))),
    unit: "times the host's CPU on SQLite",
    budget: BUDGETS[type],
    bound: "at most",
    remark:
      `${us(host)} us of the host and ${us(all(type, "server"))} us of the server; ` +
      `SQLite ${us(sqlite)} us`,
  };
}

async function openSide(folder: string, type: Side["type"]): Promise<Side> {
  await using stack = new AsyncDisposableStack();
  const env = databaseSettings(stack.use(await openTestPlace(type)));
  const token = await makeToken(folder, env);
  const host = stack.use(await openHost(folder, { env }));
  const url = `${host.url}/npm`;
  await publishNpmVersion({ url, token }, { name: "bench-small", version: "1.0.0", bytes: 9_000 });
  const headers = { accept: ACCEPT, authorization: `Bearer ${token}` };
  const server = SERVERS[type];
  const serverSeconds = () => (server === undefined ? 0 : cpuSecondsOf(server));
  const opened = stack.move();
  const now = () => ({ host: cpuSeconds(host.pid), server: serverSeconds() });
  let published = 0;
  return {
    type,
    async publishCost(count) {
      const before = now();
      for (let index = 0; index < count; index += 1) {
        const name = `bench-${published++}`;
        await publishNpmVersion({ url, token }, { name, version: "1.0.0", bytes: 10_000 });
      }
      const after = now();
      const each = (used: number) => (used / count) * 1e6;
      return { host: each(after.host - before.host), server: each(after.server - before.server) };
    },
    async cost(seconds) {
      const before = now();
      const { requestsPerSecond } = await drive(`${url}/bench-small`, seconds, { headers });
      const each = (used: number) => (used / (requestsPerSecond * seconds)) * 1e6;
      return {
        host: each(cpuSeconds(host.pid) - before.host),
        server: each(serverSeconds() - before.server),
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The settings of a host for a database of tests. */
export function databaseSettings({ config }: TestPlace): Record<string, string> {
  if (config.type === "Sqlite") return {};
  if (config.type === "SqlServer") throw new TypeError("not measured on SQL Server");
  const { host, port, user, database } = config;
  const password = config.password === undefined ? "" : `;Password=${config.password}`;
  return {
    Database__Type: config.type,
    Database__ConnectionString:
      `Host=${host};Port=${port};Database=${database};Username=${user}` + password,
  };
}
