import type { Promotion, StoredRelease } from "@sealhouse/promotion";
import { expect, test } from "vitest";
import type { Command } from "../command.ts";
import { finishRelease } from "./finish-release.ts";

const RELEASE = { id: "r1", group: "web", state: "carrying", items: [], targets: [] };
const CONTINUES = "The release continues in the background: sealhouse release show r1";

type Fake = { readonly run?: () => Promise<void>; readonly find?: () => Promise<unknown> };

async function finish({ run, find }: Fake, stop: AbortSignal) {
  const lines: string[] = [];
  const text = (line: string) => void lines.push(line);
  const command = { stop, stdout: text, stderr: text } as Partial<Command> as Command;
  const promotion = {
    run: async () => (await run?.(), true),
    releases: { find: async () => (await find?.()) ?? RELEASE },
  } as unknown as Promotion;
  const code = await finishRelease(command, promotion, { id: "r1", isWaiting: true, json: true });
  return { code, lines };
}

const lost = async () => {
  throw new Error("the database is unavailable");
};

test.each([
  ["its step", { run: lost }],
  ["the look at it", { find: lost }],
])("a release continues when %s fails: exit code 4, with its id", async (_, fake) => {
  const { code, lines } = await finish(fake, new AbortController().signal);
  expect(code).toBe(4);
  expect(lines).toEqual(["the database is unavailable", CONTINUES]);
});

test("a release continues when the wait for it is stopped: exit code 4, with its id", async () => {
  const stop = new AbortController();
  const { code, lines } = await finish({ run: async () => stop.abort() }, stop.signal);
  expect(code).toBe(4);
  expect(lines).toEqual([CONTINUES]);
});

test("a release that no longer exists is an error", async () => {
  const find = async () => undefined;
  const gone = { find } satisfies { readonly find: () => Promise<StoredRelease | undefined> };
  const command = { stop: new AbortController().signal } as Partial<Command> as Command;
  const promotion = { run: async () => true, releases: gone } as unknown as Promotion;
  const finished = finishRelease(command, promotion, { id: "r1", isWaiting: true });
  await expect(finished).rejects.toThrow("The release r1 no longer exists.");
});
