import { expect, test } from "vitest";
import { createRefreshingSigner } from "./refreshing-signer.ts";
import type { Signer } from "../ports.ts";

function signerWith(certificate: number, log: string[]): Signer & AsyncDisposable {
  return {
    chain: [Uint8Array.of(certificate)],
    hash: "SHA256",
    sign: async (data) => data,
    async [Symbol.asyncDispose]() {
      log.push(`closed ${certificate}`);
    },
  };
}

function keeping(open: () => Promise<Signer & AsyncDisposable>) {
  const clock = { at: 0 };
  const reports: unknown[] = [];
  const keptSigner = createRefreshingSigner({
    open,
    reopenEveryMs: 1_000,
    now: () => new Date(clock.at),
    report: (error) => reports.push(error),
  });
  const certificate = async () => (await keptSigner.signer()).chain[0]?.[0];
  /** Reopening continues after the call that started it. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { kept: keptSigner, clock, reports, certificate, settled };
}

test("concurrent callers share one opening, and a new certificate is used in time", async () => {
  const log: string[] = [];
  let [opened, current] = [0, 1];
  const {
    kept: keptSigner,
    clock,
    certificate,
    settled,
  } = keeping(async () => {
    opened += 1;
    return signerWith(current, log);
  });
  expect(await Promise.all([certificate(), certificate()])).toEqual([1, 1]);
  expect(opened).toBe(1);

  clock.at = 999;
  current = 2;
  expect(await certificate()).toBe(1);
  expect(opened).toBe(1);
  clock.at = 1_000;
  expect(await certificate()).toBe(1);
  await settled();
  expect(await certificate()).toBe(2);
  expect(log).toEqual([]);

  // The same certificate again: what was opened to look is closed at once.
  clock.at = 2_000;
  await certificate();
  await settled();
  expect([opened, log]).toEqual([3, ["closed 2"]]);
  await keptSigner[Symbol.asyncDispose]();
  expect(log).toEqual(["closed 2", "closed 2", "closed 1"]);
});

test("a first opening that fails is tried again; a later one is reported", async () => {
  let fails = true;
  const { clock, reports, certificate, settled } = keeping(async () => {
    if (fails) throw new Error("vault is out");
    return signerWith(7, []);
  });
  await expect(certificate()).rejects.toThrow("vault is out");
  fails = false;
  expect(await certificate()).toBe(7);
  fails = true;
  clock.at = 5_000;
  expect(await certificate()).toBe(7);
  await settled();
  expect(await certificate()).toBe(7);
  expect(reports).toEqual([new Error("vault is out")]);
});

test("a new version is opened at once; one that cannot be opened changes nothing", async () => {
  const log: string[] = [];
  let [version, certificate]: [string | Error | undefined, number | Error] = ["a", 1];
  const reports: unknown[] = [];
  const keptSigner = createRefreshingSigner({
    async open() {
      if (certificate instanceof Error) throw certificate;
      log.push(`opened ${certificate}`);
      return signerWith(certificate, log);
    },
    reopenEveryMs: 1_000,
    async version() {
      if (version instanceof Error) throw version;
      return version;
    },
    now: () => new Date(0),
    report: (error) => reports.push(error),
  });
  const current = async () => (await keptSigner.signer()).chain[0]?.[0];
  expect(await Promise.all([current(), current()])).toEqual([1, 1]);
  [version, certificate] = ["b", 2];
  expect(await Promise.all([current(), current()])).toEqual([2, 2]);
  expect(log).toEqual(["opened 1", "opened 2"]);
  for (const unknown of [undefined, new Error("gone")]) {
    version = unknown;
    expect(await current()).toBe(2);
  }
  [version, certificate] = ["c", new Error("half written")];
  expect([await current(), await current()]).toEqual([2, 2]);
  expect(reports).toEqual([new Error("half written")]);
  [version, certificate] = ["d", 3];
  expect(await current()).toBe(3);
});

test("a new certificate waits for its time, and one that is taken back never signs", async () => {
  const log: string[] = [];
  let current = 1;
  const clock = { at: 0 };
  const keptSigner = createRefreshingSigner({
    open: async () => signerWith(current, log),
    reopenEveryMs: 1_000,
    signsFrom: async () => new Date(clock.at + 5_000),
    now: () => new Date(clock.at),
    report: (error) => log.push(String(error)),
  });
  const certificateAt = async (timeMs: number) => {
    clock.at = timeMs;
    await keptSigner.signer();
    await new Promise((resolve) => setImmediate(resolve));
    return (await keptSigner.signer()).chain[0]?.[0];
  };
  expect(await certificateAt(0)).toBe(1);
  current = 2;
  expect(await certificateAt(1_000)).toBe(1);
  // Looked at again, the same one waits no longer than before.
  expect(await certificateAt(4_000)).toBe(1);
  expect(await certificateAt(5_999)).toBe(1);
  expect(await certificateAt(6_000)).toBe(2);
  current = 3;
  expect(await certificateAt(8_000)).toBe(2);
  current = 2;
  expect(await certificateAt(9_000)).toBe(2);
  expect(await certificateAt(20_000)).toBe(2);
  expect(log.filter((line) => line.includes("Error"))).toEqual([]);
});

test("a new version is opened although the opening of the former one still fails", async () => {
  const first = Promise.withResolvers<Signer & AsyncDisposable>();
  const openings = [first.promise, Promise.resolve(signerWith(2, []))];
  let version = "a";
  const keptSigner = createRefreshingSigner({
    open: async () => openings.shift() ?? Promise.reject(new Error("opened too often")),
    reopenEveryMs: 1_000,
    version: async () => version,
    now: () => new Date(0),
    report: () => undefined,
  });
  const failing = keptSigner.signer();
  await new Promise((resolve) => setImmediate(resolve));
  version = "b";
  const next = keptSigner.signer();
  await new Promise((resolve) => setImmediate(resolve));
  first.reject(new Error("expired"));
  await expect(failing).rejects.toThrow("expired");
  expect((await next).chain[0]?.[0]).toBe(2);
});
