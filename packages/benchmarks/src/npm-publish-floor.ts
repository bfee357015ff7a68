import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { compareByTurns } from "./by-turns.ts";
import { freePort } from "./host-process.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import type { NpmFeed } from "./npm-packages.ts";
import type { Result } from "./result.ts";

const FLOOR = new URL("./bare-publish.ts", import.meta.url).pathname;
const SMALL = 10_000;
/** Tokens, rules, events, history, search and the log take the rest. */
const BUDGET = 4;

export type FloorSizes = { readonly packages: number; readonly rounds: number };

type Side = NpmFeed & { readonly pid: number };

/** Small publishes compared with a bare handler that does only what cannot be left out. */
export async function compareWithFloor(
  own: Side,
  { folder, packages, rounds }: FloorSizes & { readonly folder: string },
): Promise<Result> {
  await using floor = await openFloor(folder);
  return await compareByTurns<Side>(
    { own, other: floor, named: "a bare handler" },
    {
      what: "npm publish of a 10 KB package, compared with its floor",
      count: packages,
      rounds,
      budget: BUDGET,
      run: (side, { round, index }) =>
        publishNpmVersion(side, {
          name: `floor-${round}-${index}`,
          version: "1.0.0",
          bytes: SMALL,
        }),
    },
  );
}

async function openFloor(folder: string): Promise<Side & AsyncDisposable> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const file = join(folder, "floor.db");
  const child = spawn(process.execPath, [FLOOR, String(port), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    url: `http://127.0.0.1:${port}`,
    token: "",
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    },
  };
}
