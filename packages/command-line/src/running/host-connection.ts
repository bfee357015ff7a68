import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { RefusedActionError } from "@sealhouse/administration";
import type { DoAction } from "../actions/call-action.ts";
import { CommandError } from "../command.ts";
import { operator } from "../operator.ts";
import { onLines, parsedLine, writeLine } from "./lines.ts";
import type { HostReply, Introduction, Welcome } from "./lines.ts";

/** A host that does not introduce itself within this time cannot help a command. */
const WELCOME_MS = 2_000;

/** A host that does the actions of a command. Disposal leaves it. */
export type HostConnection = AsyncDisposable & { readonly doAction: DoAction };

/** Connects to a socket; undefined when no process listens there that this user may call. */
export async function connected(path: string): Promise<Socket | undefined> {
  const socket = connect({ path, allowHalfOpen: true });
  try {
    await once(socket, "connect");
    return socket;
  } catch {
    socket.destroy();
    return undefined;
  }
}

/**
 * Connects to the host at a socket. Returns its version when it has another one, and undefined when
 * there is no host with the same settings.
 */
export async function connectToHost(
  path: string,
  introduction: Introduction,
  stop: AbortSignal,
): Promise<HostConnection | string | undefined> {
  const socket = await connected(path);
  if (!socket) return undefined;
  const lines = linesOf(socket);
  writeLine(socket, introduction);
  const first = await Promise.race([lines.next(), delay(WELCOME_MS, undefined, { ref: false })]);
  const { welcome, version } = parsedLine<Welcome>(first ?? "");
  if (welcome !== "same") {
    socket.destroy();
    return welcome === "other-version" ? version : undefined;
  }
  const leave = () => void socket.end();
  stop.addEventListener("abort", leave, { once: true });
  return {
    async doAction({ action: { id: action }, input, isDryRun }, report) {
      writeLine(socket, { action, input, isDryRun, actor: operator().actor });
      for (;;) {
        const line = await lines.next();
        if (line === undefined) throw new CommandError(ENDED);
        const reply = JSON.parse(line) as HostReply;
        if ("output" in reply) return reply.output;
        if ("report" in reply) report(reply.report);
        else throw errorOf(reply);
      }
    },
    async [Symbol.asyncDispose]() {
      stop.removeEventListener("abort", leave);
      socket.destroy();
    },
  };
}

const ENDED =
  "The host ended before the command did. Look at what the command changed, and run it again.";

function errorOf(reply: Exclude<HostReply, { output: unknown } | { report: string }>): Error {
  if ("refused" in reply) {
    return new RefusedActionError(reply.refused, reply.message, reply.problems);
  }
  const { failed, code } = reply;
  if (code !== undefined) return Object.assign(new Error(failed), { code });
  return new CommandError(`${failed}\nThe log of the host has more.`);
}

/** The lines of a socket; undefined after the last. */
function linesOf(socket: Socket): { next(): Promise<string | undefined> } {
  const waiting: string[] = [];
  let wake = () => {};
  onLines(
    socket,
    (line) => {
      waiting.push(line);
      wake();
    },
    Number.POSITIVE_INFINITY,
  );
  socket.on("error", () => socket.destroy());
  for (const event of ["end", "close"]) socket.once(event, () => wake());
  return {
    async next() {
      while (waiting.length === 0 && !socket.readableEnded && !socket.destroyed) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return waiting.shift();
    },
  };
}
