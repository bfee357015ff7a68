import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { RefusedActionError } from "@sealhouse/administration";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandError } from "../command.ts";
import { hostSocketOf, listenForCommands, runAtHost } from "./index.ts";
import type { HostActions, HostCall } from "./index.ts";

const SAME = { version: "1.0.0", settings: "s1" };

let opened = new AsyncDisposableStack();
let dataPath = "";
let socket = "";
beforeEach(async () => {
  opened = new AsyncDisposableStack();
  dataPath = await mkdtemp(join(tmpdir(), "sealhouse-running-"));
  opened.defer(() => rm(dataPath, { recursive: true }));
  socket = hostSocketOf(dataPath) ?? "";
});
afterEach(() => opened.disposeAsync());

/** A host that answers with `answer`. */
async function openHost(answer: HostActions["do"], introduction = SAME) {
  const calls: HostCall[] = [];
  const failures: unknown[] = [];
  const host = await listenForCommands(socket, introduction, {
    do(call, signal, report) {
      calls.push(call);
      return answer(call, signal, report);
    },
    failed: (error) => failures.push(error),
  });
  opened.use(host);
  return { calls, failures, stop: () => host[Symbol.asyncDispose]() };
}

async function run(words: readonly string[], { stop = new AbortController().signal } = {}) {
  const printed: string[] = [];
  const lines: string[] = [];
  const context = {
    env: {},
    workingFolder: dataPath,
    stop,
    stdout: (text: string) => printed.push(text),
    stderr: (text: string) => lines.push(text),
  };
  const code = await runAtHost(words, context, { ...SAME, dataPath }).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    lines.push(error.message);
    return 1;
  });
  return { code, printed: printed.join("\n"), stderr: lines.join("\n") };
}

const NOTHING = { code: undefined, printed: "", stderr: "" };

test("a command is done by the host, with its remarks", async () => {
  const { calls } = await openHost(async (_call, _signal, report) => {
    report("half of it");
    return { items: [{ name: "x".repeat(3_000_000) }] };
  });
  const { code, printed, stderr } = await run(["team", "list", "--json"]);
  expect([code, stderr, JSON.parse(printed)]).toEqual([
    0,
    "half of it",
    [{ name: "x".repeat(3_000_000) }],
  ]);
  expect(calls).toEqual([
    {
      action: "teams.list",
      input: {},
      isDryRun: false,
      actor: expect.stringMatching(/^command line \(.+\)$/),
    },
  ]);
});

test("refusals name the option, and other errors keep their code", async () => {
  const errors: Error[] = [
    new RefusedActionError("invalid", "name is long.", [{ field: "name", words: "is long." }]),
    new RefusedActionError("busy", "It runs already."),
    Object.assign(new Error("The database is away."), { code: "database-unreachable" }),
    new Error("a bug"),
  ];
  const { failures } = await openHost(async () => {
    throw errors.shift() ?? new Error("no more");
  });
  const words = ["team", "add", "web", "--name", "Web"];
  expect(await run(words)).toEqual({ code: 1, printed: "", stderr: "--name is long." });
  expect(await run(words)).toEqual({ code: 5, printed: "", stderr: "It runs already." });
  await expect(run(words)).rejects.toMatchObject({ code: "database-unreachable" });
  expect(failures).toEqual([]);
  expect((await run(words)).stderr).toContain("The log of the host has more.");
  expect(failures).toHaveLength(1);
});

test("words that are wrong, or of no action, do not reach the host", async () => {
  const { calls } = await openHost(async () => ({ items: [] }));
  expect((await run(["team", "add"])).code).toBe(2);
  expect((await run(["team", "list", "--unknown"])).code).toBe(2);
  expect(await run(["team"])).toEqual(NOTHING);
  expect(await run(["migrate"])).toEqual(NOTHING);
  expect(await run(["toString"])).toEqual(NOTHING);
  expect(await run([])).toEqual(NOTHING);
  expect(calls).toEqual([]);
});

test("a host with other settings or another version does nothing", async () => {
  const other = await openHost(async () => ({}), { ...SAME, settings: "s2" });
  expect(await run(["team", "list"])).toEqual(NOTHING);
  await other.stop();
  await openHost(async () => ({}), { ...SAME, version: "2.0.0" });
  expect(await run(["team", "list"])).toEqual({
    ...NOTHING,
    stderr:
      "The host that runs has version 2.0.0, and this command 1.0.0: it works without that host.",
  });
  expect(other.calls).toEqual([]);
});

test("one host at a time has the commands, and replaces the socket of a killed one", async () => {
  const first = await openHost(async () => ({ items: [{ by: "first" }] }));
  await openHost(async () => ({ items: [{ by: "second" }] }));
  expect((await run(["team", "list", "--json"])).printed).toContain("first");
  await first.stop();
  expect(await run(["team", "list"])).toEqual(NOTHING);
  // As SIGKILL leaves it: the socket is there, and no process listens.
  const killed = createServer().listen(socket);
  await once(killed, "listening");
  await rename(socket, `${socket}.kept`);
  killed.close();
  await once(killed, "close");
  await rename(`${socket}.kept`, socket);
  expect(await run(["team", "list"])).toEqual(NOTHING);
  await openHost(async () => ({ items: [{ by: "third" }] }));
  expect((await run(["team", "list", "--json"])).printed).toContain("third");
});

test("a host that does not answer, or has other words, does nothing", async () => {
  await mkdir(dirname(socket));
  const silent = createServer((client) => void client.on("error", () => undefined)).listen(socket);
  await once(silent, "listening");
  opened.defer(() => void silent.close());
  expect(await run(["team", "list"])).toEqual(NOTHING);
  silent
    .removeAllListeners("connection")
    .on("connection", (client) => client.end("HTTP/1.1 400\n"));
  expect(await run(["team", "list"])).toEqual(NOTHING);
});

test("only the user of the host opens the socket, whatever the umask", async () => {
  const before = process.umask(0);
  try {
    await mkdir(dirname(socket));
    await chmod(dirname(socket), 0o777);
    await openHost(async () => ({}));
  } finally {
    process.umask(before);
  }
  expect((await stat(dirname(socket))).mode & 0o777).toBe(0o700);
});

test("a command that stops gets the output until then", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  await openHost(async (_call, signal) => {
    asked.resolve(signal);
    await once(signal, "abort");
    return { items: [{ name: "half" }] };
  });
  const stop = new AbortController();
  const running = run(["team", "list", "--json"], { stop: stop.signal });
  expect((await asked.promise).aborted).toBe(false);
  stop.abort();
  expect((await running).printed).toContain("half");
});

test("a host that stops in the middle ends the command with a sentence", async () => {
  const asked = Promise.withResolvers<void>();
  const { stop } = await openHost(async () => {
    asked.resolve();
    return new Promise(() => {});
  });
  const running = run(["team", "list"]);
  await asked.promise;
  await stop();
  expect(await running).toEqual({
    code: 1,
    printed: "",
    stderr: expect.stringContaining("The host ended before the command did."),
  });
});

test.each([
  ["nothing that is JSON", "GET / HTTP/1.1\n"],
  ["other JSON", "null\n[]\n1\n"],
  ["a call before the introduction", `${JSON.stringify({ action: "teams.list", input: {} })}\n`],
  ["a long line", "x".repeat(2 * 1024 * 1024)],
  ["calls without their fields", `${JSON.stringify(SAME)}\n{}\nnull\n{"action":{"toString":1}}\n`],
])("a program that sends %s does not harm the host", async (_name, text) => {
  const { calls } = await openHost(async ({ action }) => {
    if (action !== "teams.list") throw new Error("unknown");
    return { items: [] };
  });
  const closed = Promise.withResolvers<void>();
  const client = connect(socket).on("error", () => undefined);
  client
    .on("close", () => closed.resolve())
    .resume()
    .end(text);
  await closed.promise;
  expect(calls.filter(({ action }) => action === "teams.list")).toEqual([]);
  expect((await run(["team", "list"])).code).toBe(0);
});
