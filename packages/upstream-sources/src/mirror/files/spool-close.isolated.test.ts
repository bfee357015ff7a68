import { tmpdir } from "node:os";
import { expect, test, vi } from "vitest";
import { createSpool } from "./spool.ts";

const close = vi.hoisted(() => vi.fn(() => Promise.reject(new Error("EIO: the disk fails"))));
vi.mock("./spool-bytes.ts", () => ({ createSpoolBytes: () => ({ size: () => 0, close }) }));

test("a file that cannot be closed does not cause an unhandled rejection", async () => {
  vi.useFakeTimers();
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  try {
    const spool = createSpool(tmpdir());
    spool.finish();
    expect(spool.readLater()).toBeDefined();
    await spool[Symbol.asyncDispose]();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(close).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", unhandled);
    vi.useRealTimers();
  }
});
