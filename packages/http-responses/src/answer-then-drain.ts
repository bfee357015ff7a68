import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import type { BodyPace } from "./body-pace.ts";
import { alreadySent, nodeOf } from "./node-context.ts";

/** Limits in bytes and milliseconds of the request body that the server reads after its answer. */
export type DrainLimits = {
  /** Default 64 MiB. */
  readonly maxBytes?: number;
  /** Default 10 s. */
  readonly timeoutMs?: number;
  /** Replaces `timeoutMs` by the minimum rate of the environment (`bodyPace`), if it has one. */
  readonly isAtBodyPace?: boolean;
};

/**
 * Sends an early response (401, 413) at once, then reads the request body and discards it. Without
 * the reading, a client that is still writing reports a broken pipe instead of the response. The
 * connection stays open if the body ends within the limits, and is closed otherwise. Returns
 * `answer` unchanged if the body was already read, or if there is no Node server.
 */
export async function answerThenDrain(
  c: Context,
  answer: Response,
  { maxBytes = 64 * 1024 * 1024, timeoutMs = 10_000, isAtBodyPace = false }: DrainLimits = {},
): Promise<Response> {
  const node = nodeOf(c);
  if (!node || node.incoming.complete || node.outgoing.headersSent) return answer;
  const { incoming, outgoing } = node;
  const body = Buffer.from(await answer.arrayBuffer());
  const headers = { ...recordOf(answer.headers), "content-length": String(body.length) };
  outgoing.writeHead(answer.status, headers);
  // The client has the complete response. `end` comes later, because it may close the connection.
  if (body.length > 0) outgoing.write(body);
  else outgoing.flushHeaders();
  const pace = isAtBodyPace ? node.bodyPace : undefined;
  const whole = await drained(incoming, maxBytes, pace ?? timeoutMs);
  outgoing.end();
  if (!whole) incoming.socket.destroySoon();
  return alreadySent();
}

/** Returns whether the body ended within the limits. `limit`: milliseconds, or a minimum rate. */
function drained(
  incoming: IncomingMessage,
  maxBytes: number,
  limit: number | BodyPace,
): Promise<boolean> {
  return new Promise((resolve) => {
    let size = 0;
    let checkedSize = 0;
    const settle = (whole: boolean) => {
      clearInterval(timer);
      incoming.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd);
      incoming.pause();
      resolve(whole);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) settle(false);
    };
    const onEnd = () => settle(incoming.complete);
    const isOnTime = () => typeof limit !== "number" && size - checkedSize >= bytesPerWindow(limit);
    const check = () => {
      if (!isOnTime()) settle(false);
      checkedSize = size;
    };
    const timer = setInterval(check, typeof limit === "number" ? limit : limit.windowMs);
    // A reader that failed may have left its iterator open, which keeps chunks from `data`.
    incoming.removeAllListeners("readable");
    incoming.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd);
    incoming.resume();
  });
}

function bytesPerWindow({ bytesPerSecond, windowMs }: BodyPace): number {
  return (bytesPerSecond * windowMs) / 1_000;
}

function recordOf(headers: Headers): Record<string, string | string[]> {
  const cookies = headers.getSetCookie();
  const record: Record<string, string | string[]> = Object.fromEntries(headers);
  if (cookies.length > 0) record["set-cookie"] = cookies;
  return record;
}
