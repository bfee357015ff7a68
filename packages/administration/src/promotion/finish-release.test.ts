import type { Promotion, StoredRelease } from "@sealhouse/promotion";
import { expect, test } from "vitest";
import { finishRelease } from "./finish-release.ts";

const RELEASE = { id: "r1", group: "web", state: "carrying", items: [], targets: [] };
const CONTINUES = "The release continues in the background: sealhouse release show r1";

type Fake = { readonly run?: () => Promise<void>; readonly find?: () => Promise<unknown> };

async function finish({ run, find }: Fake, signal: AbortSignal) {
  const lines: string[] = [];
  const promotion = {
    run: async () => (await run?.(), true),
    releases: { find: async () => (await find?.()) ?? RELEASE },
  } as unknown as Promotion;
  const report = (line: string) => void lines.push(line);
  const options = { id: "r1", isWaiting: true };
  const output = await finishRelease(promotion, options, { signal, report });
  return { output, lines };
}

const lost = async () => {
  throw new Error("the database is unavailable");
};

test.each([
  ["its step", { run: lost }],
  ["the look at it", { find: lost }],
])("a release continues when %s fails, and its id is reported", async (_, fake) => {
  const { output, lines } = await finish(fake, new AbortController().signal);
  expect(output).toEqual({ continues: "r1" });
  expect(lines).toEqual(["the database is unavailable", CONTINUES]);
});

test("a release continues when the wait for it ends, and reports its id", async () => {
  const stop = new AbortController();
  const { output, lines } = await finish({ run: async () => stop.abort() }, stop.signal);
  expect(output).toEqual({ continues: "r1" });
  expect(lines).toEqual([CONTINUES]);
});

test("a release that no longer exists is an error", async () => {
  const find = async () => undefined;
  const gone = { find } satisfies { readonly find: () => Promise<StoredRelease | undefined> };
  const promotion = { run: async () => true, releases: gone } as unknown as Promotion;
  const { signal } = new AbortController();
  const finished = finishRelease(promotion, { id: "r1", isWaiting: true }, { signal });
  await expect(finished).rejects.toThrow("The release r1 no longer exists.");
});
