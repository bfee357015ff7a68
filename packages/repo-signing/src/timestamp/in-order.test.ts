import { expect, test } from "vitest";
import { TimestampError } from "../errors.ts";
import type { Timestamper } from "./client.ts";
import { stampInOrder } from "./in-order.ts";

const signature = Buffer.from("a signature of some kind");
const token = Buffer.from("a token");
const gives: Timestamper = async () => token;
const isDown: Timestamper = async () => {
  throw new TimestampError("unreachable", "The first server cannot be reached.");
};

test("the next server is asked when one gives no usable token, and not before", async () => {
  let requestCount = 0;
  const counted: Timestamper = async () => {
    requestCount += 1;
    return token;
  };
  await expect(stampInOrder([gives, counted])(signature)).resolves.toBe(token);
  expect(requestCount).toBe(0);
  await expect(stampInOrder([isDown, counted])(signature)).resolves.toBe(token);
  expect(requestCount).toBe(1);
});

test("every server gets the same conditions", async () => {
  const within = { notBefore: new Date(0), notAfter: new Date(1) };
  const seen: unknown[] = [];
  const notes: Timestamper = async (_signature, how) => {
    seen.push(how?.within);
    throw new TimestampError("rejected", "no");
  };
  await stampInOrder([notes, notes])(signature, { within }).catch(() => undefined);
  expect(seen).toEqual([within, within]);
});

test("reports every reason when all servers fail; the last one determines the code", async () => {
  const lies: Timestamper = async () => {
    throw new TimestampError("invalid", "The second server lies.", { nugetCode: "NU3019" });
  };
  await expect(stampInOrder([isDown, lies])(signature)).rejects.toMatchObject({
    message: "The first server cannot be reached. The second server lies.",
    reason: "invalid",
    nugetCode: "NU3019",
    retryable: true,
  });
});

test("does not treat our own error as an outage", async () => {
  const broken: Timestamper = () => Promise.reject(new RangeError("a bug"));
  await expect(stampInOrder([broken, gives])(signature)).rejects.toThrow("a bug");
});

test("all servers together are bounded in time", async () => {
  const hangs = hanging();
  const stamp = stampInOrder([hangs.stamp, gives], { totalMs: 20 });
  await expect(stamp(signature)).rejects.toMatchObject({ reason: "timeout" });
  expect(hangs.asked()).toBe(1);
});

test("one caller waits for a silent server, and the others use the next one", async () => {
  const hangs = hanging();
  const stamp = stampInOrder([hangs.stamp, gives]);
  const first = stamp(signature);
  hangs.timeOut();
  await expect(first).resolves.toBe(token);
  const probing = stamp(signature);
  await expect(stamp(signature)).resolves.toBe(token);
  expect(hangs.asked()).toBe(2);
  hangs.answer();
  await probing;
  // It answers again, so all callers ask it again.
  const both = [stamp(signature), stamp(signature)];
  expect(hangs.asked()).toBe(4);
  hangs.answer();
  await Promise.all(both);
});

/** A server that answers, or times out, when the test triggers it. */
function hanging() {
  let requestCount = 0;
  let waiting: PromiseWithResolvers<Uint8Array>[] = [];
  const all = (end: (call: PromiseWithResolvers<Uint8Array>) => void) => {
    for (const request of waiting) end(request);
    waiting = [];
  };
  const late = () => new TimestampError("timeout", "The first server did not answer in time.");
  const stamp: Timestamper = (_signature, how) => {
    requestCount += 1;
    const request = Promise.withResolvers<Uint8Array>();
    how?.signal?.addEventListener("abort", () => request.reject(late()));
    waiting.push(request);
    return request.promise;
  };
  return {
    stamp,
    asked: () => requestCount,
    answer: () => all((request) => request.resolve(token)),
    timeOut: () => all((request) => request.reject(late())),
  };
}

test("reports an empty list and a cancelled request as such", async () => {
  await expect(stampInOrder([])(signature)).rejects.toMatchObject({ reason: "unreachable" });
  const signal = AbortSignal.abort();
  await expect(stampInOrder([gives])(signature, { signal })).rejects.toMatchObject({
    reason: "cancelled",
  });
});

test("asks a server again after a caller has cancelled a request to it", async () => {
  const cancelled: Timestamper = async () => {
    throw new TimestampError("cancelled", "The caller cancelled the request.");
  };
  let count = 0;
  const stamp = stampInOrder([
    (...parameters) => (count++ === 0 ? cancelled(...parameters) : gives(...parameters)),
  ]);
  await expect(stamp(signature)).rejects.toMatchObject({ reason: "cancelled" });
  await expect(Promise.all([stamp(signature), stamp(signature)])).resolves.toEqual([token, token]);
});
