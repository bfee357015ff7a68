// Besides main.ts, only this file touches the process: arguments, environment, signals, output.
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { StopRequest } from "./stop-request.ts";
import type { Invocation } from "./settings-of.ts";

/** The exit code that shells report for a program that SIGPIPE ended. */
const PIPE_CLOSED = 141;
/** Folders and files are readable by their owner only. */
const UMASK = 0o077;

process.umask(UMASK);

cacheCompiledCode();
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    const request = new StopRequest(signal);
    if (stop.signal.aborted) process.exit(request.exitCode);
    stop.abort(request);
  });
}

const [commandWord = "serve"] = process.argv.slice(2).filter((word) => !word.startsWith("-"));
// A body that streams through leaves buffers behind which only a collection of the young generation
// frees. Kept at its first size, it is collected often enough that memory does not grow with the
// artifact: 500 MB pushed cost 25 MiB instead of 70, at no measurable loss of speed. A command
// would spend a tenth of its time on these collections.
// V8 also takes the buffers for growth of its heap, and would mark all of it for every 12 MiB that
// stream through. At twice the size a push of 50 MB takes a third less CPU time (decision 0007).
if (commandWord === "serve") {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=100");
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    // The reader of a command has gone (`sealhouse token list | head -1`): end at once. A host
    // whose log reader has gone finishes its requests first; its log is not on standard error.
    if (commandWord !== "serve") process.exit(PIPE_CLOSED);
    if (stream === process.stdout) stop.abort();
  });
}

const { args, env, workingFolder } = await invocation();
const { printableLines } = await import("@sealhouse/command-line/printable");
const code = await (
  await programOf()
)(args, {
  env,
  workingFolder,
  extensions: [],
  stop: stop.signal,
  stdout: (text) => void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`),
  stderr: (text) => void process.stderr.write(`${printableLines(text)}\n`),
});
process.exitCode = code;
// A key that is still being made would hold up a host that has closed everything.
if (stop.signal.aborted) process.exit();

/** The program of this machine, or that of commands for another registry. */
async function programOf() {
  const isForOther =
    args.some((word) => /^--remote(?:=|$)/.test(word)) ||
    (commandWord !== "serve" && (env["SEALHOUSE_REMOTE"] ?? "") !== "");
  if (isForOther) return (await import("./commands/run-remote.ts")).runRemote;
  return (await import("./commands/run.ts")).runCommandLine;
}

/** The command, with the settings of a running registry where `--settings-of` asks for them. */
async function invocation(): Promise<Invocation> {
  const own = { args: process.argv.slice(2), env: process.env, workingFolder: process.cwd() };
  if (!own.args.some((word) => word.startsWith("--settings-of"))) return own;
  const { withSettingsOf } = await import("./settings-of.ts");
  const outcome = withSettingsOf(own);
  if (typeof outcome === "string") {
    process.stderr.write(`${outcome}\n`);
    process.exit(1);
  }
  process.chdir(outcome.workingFolder);
  return outcome;
}

/** Halves the time to start. The folder belongs to the operator alone, unlike the one Node would
 * take; it is looked for before any setting is read, so only where people usually say it. */
function cacheCompiledCode(): void {
  const [, fromEnvironment] =
    Object.entries(process.env).find(([key]) => key.toLowerCase() === "host__datapath") ?? [];
  const dataPath = fromEnvironment ?? "./data";
  if (existsSync(dataPath)) enableCompileCache(join(dataPath, "cache", "compiled"));
}
