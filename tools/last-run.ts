// What the last run of the whole suite left: vitest's report, and the processes that tests started.
import { basename } from "node:path";
import { reportPath } from "./test-results.ts";

/** Where the whole suite leaves the report of vitest. */
export const REPORT = reportPath("", "test-all");

/** A line of JSON for each test file. */
export const PROCESSES = ".test-results/processes.jsonl";

/** Kinds of processes that tests start and wait for. */
export type Waiting = "host" | "client" | "browser" | "database" | "server" | "script";

export type FileProcesses = {
  readonly file: string;
  /** Seconds of a processor, of the worker and of the processes that the file started. */
  readonly cpuSeconds?: number;
  /** Number of processes of each kind that the file started, and the seconds that they lived. */
  readonly started: Partial<Record<Waiting, { readonly count: number; readonly seconds: number }>>;
};

const PROGRAMS: Readonly<Record<string, Waiting>> = {
  chromium: "browser",
  "firefox-esr": "browser",
  firefox: "browser",
  initdb: "database",
  postgres: "database",
  mariadbd: "database",
  nginx: "server",
  "docker-registry": "server",
  containerd: "server",
  radosgw: "server",
  "ceph-mon": "server",
  "ceph-osd": "server",
};
const SHELLS = new Set(["sh", "bash", "dash", "script", "env", "flock"]);

/** Tells a started process by its program and its words; the host is Node with `main.js serve`. */
export function kindOfProcess(program: string, words: readonly string[]): Waiting {
  const name = basename(program).replace(/\.exe$/, "");
  const known = PROGRAMS[name];
  if (known !== undefined) return known;
  if (SHELLS.has(name)) return "script";
  if (name !== "node") return "client";
  if (words.includes("serve")) return "host";
  return words.some((word) => /\/(?:npm|pnpm|yarn|bun|verdaccio)\b/.test(word))
    ? "client"
    : "script";
}
