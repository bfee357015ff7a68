import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryLeases } from "@sealhouse/jobs/testing";
import { afterAll, expect, test } from "vitest";
import { createArrivals } from "./arrivals.ts";
import { createOwnCalls } from "../calls/own-calls.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-arrivals-"));
afterAll(() => rm(folder, { recursive: true }));

async function* bytes() {
  yield Buffer.from("bytes");
}

test.each([true, false])(
  "a client that comes while the lease of a transfer ends gets the file (kept: %s)",
  async (isKept) => {
    const leases = createMemoryLeases();
    const released = Promise.withResolvers<void>();
    const slow = {
      ...leases,
      acquire: leases.acquire.bind(leases),
      async release(name: string, holder: string) {
        await released.promise;
        await leases.release(name, holder);
      },
    };
    await using arrivals = createArrivals({
      leases: slow,
      ownCalls: createOwnCalls("test"),
      folder,
    });
    let calls = 0;
    const ask = {
      key: "a",
      source: "s",
      maxBytes: 100,
      isKept: async () => isKept && calls > 0,
      async open() {
        calls += 1;
        return { size: 5, body: bytes(), [Symbol.asyncDispose]: async () => undefined };
      },
      async keep(body: AsyncIterable<Uint8Array>) {
        for await (const _ of body);
        return isKept ? ("kept" as const) : ("passed" as const);
      },
    };
    const read = async () => {
      const answer = await arrivals.fetch(ask);
      if (answer.status !== "arriving") return answer.status;
      return Buffer.concat(await Array.fromAsync(answer.content.read())).toString();
    };
    expect(await read()).toBe("bytes");
    const late = read();
    released.resolve();
    expect(await late).toBe(isKept ? "kept" : "bytes");
  },
);
