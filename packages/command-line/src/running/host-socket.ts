import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RefusedActionError } from "@sealhouse/administration";
import { errorCodeOf } from "@sealhouse/http-responses";
import { connected } from "./host-connection.ts";
import { onLines, parsedLine, writeLine } from "./lines.ts";
import type { HostCall, HostReply, Introduction, Welcome } from "./lines.ts";

/** The actions of a host, for commands of its user. */
export type HostActions = {
  /**
   * Does an action. `report` takes lines for the person who waits.
   *
   * @throws RefusedActionError
   */
  do(call: HostCall, signal: AbortSignal, report: (line: string) => void): Promise<unknown>;
  /** Takes an error that is neither a refusal nor known by its code. */
  failed(error: unknown): void;
};

const OWNER_ONLY = 0o700;
/** Commands that run when the host stops have this long to end. */
const END_MS = 1_000;

/**
 * Answers commands at a socket until disposal. Only the user of the host can open its folder. Does
 * nothing while another host answers there.
 */
export async function listenForCommands(
  path: string,
  introduction: Introduction,
  actions: HostActions,
): Promise<AsyncDisposable> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  await chmod(folder, OWNER_ONLY);
  const other = await connected(path);
  other?.destroy();
  if (other) return { [Symbol.asyncDispose]: async () => undefined };
  // A host that was killed leaves its socket behind.
  await rm(path, { force: true });
  const sockets = new Map<Socket, () => Promise<void>>();
  const stopping = new AbortController();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.set(socket, answer(socket, { introduction, actions, stop: stopping.signal }));
    socket.once("close", () => sockets.delete(socket));
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject).listen(path, listening.resolve);
  await listening.promise;
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      stopping.abort();
      const running = Promise.all([...sockets.values()].map((ended) => ended()));
      await Promise.race([running, delay(END_MS, undefined, { ref: false })]);
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

type Answering = {
  readonly introduction: Introduction;
  readonly actions: HostActions;
  readonly stop: AbortSignal;
};

/** Answers a command, one call after the other. The result resolves when the last one has ended. */
function answer(socket: Socket, { introduction, actions, stop }: Answering): () => Promise<void> {
  const left = new AbortController();
  const signal = AbortSignal.any([stop, left.signal]);
  const report = (line: string) => writeLine(socket, { report: line });
  let isSame = false;
  let running = Promise.resolve();
  onLines(socket, (line) => {
    if (!isSame) {
      const welcome = welcomeOf(introduction, parsedLine<Introduction>(line));
      isSame = welcome.welcome === "same";
      writeLine(socket, welcome);
      return;
    }
    running = running
      .then(() => replyTo(parsedLine<HostCall>(line), actions, { signal, report }))
      .then((reply) => writeLine(socket, reply));
  });
  // A command that is asked to stop ends its side, and waits for what was done until then.
  socket.once("end", () => {
    left.abort();
    void running.then(() => socket.end());
  });
  socket.once("close", () => left.abort());
  socket.on("error", () => socket.destroy());
  return () => running;
}

function welcomeOf(own: Introduction, { version, settings }: Partial<Introduction>): Welcome {
  const isSame = settings === own.settings;
  const welcome = version !== own.version ? "other-version" : isSame ? "same" : "other-settings";
  return { welcome, version: own.version };
}

async function replyTo(
  { action = "", input = {}, isDryRun, actor = "" }: Partial<HostCall>,
  actions: HostActions,
  { signal, report }: { readonly signal: AbortSignal; readonly report: (line: string) => void },
): Promise<HostReply> {
  try {
    const call = { action, input, isDryRun, actor };
    return { output: (await actions.do(call, signal, report)) ?? null };
  } catch (failure) {
    const isRefused = failure instanceof RefusedActionError;
    if (isRefused && failure.cause === undefined) {
      const { reason, message, problems } = failure;
      return { refused: reason, message, problems };
    }
    const error: unknown = isRefused ? failure.cause : failure;
    const code = errorCodeOf(error);
    if (code === undefined) actions.failed(error);
    return { failed: error instanceof Error ? error.message : String(error), code };
  }
}
