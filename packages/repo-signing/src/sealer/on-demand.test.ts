import { createHash } from "node:crypto";
import type { Leases } from "@sealhouse/jobs";
import { expect, test, vi } from "vitest";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { oneInstanceOnly } from "./across-instances.ts";
import { UnsealedError } from "../errors.ts";
import { createOnDemandSealing } from "./on-demand.ts";
import type { OnDemandSealing } from "./on-demand.ts";
import type { SealedName, SealKeeper, SealLookup } from "../ports.ts";
import type { Seal, SealOutcome } from "./sealer.ts";
import { createMemorySealKeeper } from "../testing/memory-ports.ts";

const bytes = Buffer.from("a package");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const source = { ...packageBytesOf(bytes), sha256 };
const identity = { id: "Acme", version: "1.0.0" };
let made = 0;

/** Every signature differs from every other. */
function newSeal(): Seal {
  made += 1;
  return { plan: Buffer.from(`plan ${made}`), fingerprint: "f", size: 1, signedAt: new Date(0) };
}

const sealed = (): SealOutcome => ({ status: "sealed", seal: newSeal() });

/** The database that instances share. */
function sharedDatabase() {
  const keeper = createMemorySealKeeper<Seal>();
  const stored = new Map<string, Seal>();
  const heldLeases = new Map<string, { holder: string; until: number }>();
  const keep: SealKeeper<Seal>["keep"] = async (name, seal) => {
    const first = await keeper.keep(name, seal);
    if (first) stored.set(name.sha256, first);
    return first;
  };
  const seals: SealLookup<Seal> = { find: async (name: SealedName) => stored.get(name.sha256) };
  const leases: Leases = {
    async acquire(name, holder, leaseMs) {
      const now = performance.now();
      const lease = heldLeases.get(name);
      if (lease && lease.holder !== holder && lease.until > now) return undefined;
      heldLeases.set(name, { holder, until: now + leaseMs });
      return 1;
    },
    async release(name, holder) {
      if (heldLeases.get(name)?.holder === holder) heldLeases.delete(name);
    },
    heldUntil: () => Promise.reject(new Error("nothing asks for the end of a seal's lease")),
  };
  return { keeper: { keep }, seals, leases, held: heldLeases };
}

type Shared = ReturnType<typeof sharedDatabase>;

function instance(
  database: Shared,
  seal: () => Promise<SealOutcome>,
  how: { readonly waitMaxMs?: number } = {},
): OnDemandSealing {
  const { keeper, seals, leases } = database;
  return createOnDemandSealing({
    sealer: { sealOnDownload: seal },
    keeper,
    report: () => undefined,
    across: oneInstanceOnly({ leases, seals, ...how }),
  });
}

test("fifty first downloads on two instances are one signature and the same bytes", async () => {
  const database = sharedDatabase();
  let signings = 0;
  const seal = async () => {
    signings += 1;
    return sealed();
  };
  const instances = [instance(database, seal), instance(database, seal)];
  const seals = await Promise.all(
    Array.from({ length: 25 }, () => instances.map((run) => run(source, identity))).flat(),
  );
  expect(new Set(seals).size).toBe(1);
  expect(seals[0]).toBeDefined();
  expect(signings).toBe(1);
  expect(database.held.size).toBe(0);
});

test("without leases the keeper still gives the same bytes to all requests", async () => {
  const { keeper } = sharedDatabase();
  const alone = () =>
    createOnDemandSealing({
      sealer: { sealOnDownload: async () => sealed() },
      keeper,
      report: () => undefined,
    });
  const seals = await Promise.all([alone()(source, identity), alone()(source, identity)]);
  expect(seals[0]).toBe(seals[1]);
});

test("another instance signs when the signing one fails", async () => {
  const database = sharedDatabase();
  // It holds the place and never comes back.
  const begun = Promise.withResolvers<void>();
  const killed = instance(database, () => {
    begun.resolve();
    return Promise.race([]);
  });
  const gone = new AbortController();
  const lost = killed(source, identity, gone.signal).catch(() => "lost");
  await begun.promise;
  for (const lease of database.held.values()) lease.until = performance.now() + 50;
  const other = await instance(database, async () => sealed())(source, identity);
  expect(other).toBeDefined();
  gone.abort();
  expect(await lost).toBe("lost");
});

test("an instance keeps the lease until its signature is stored", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const database = sharedDatabase();
    const signing = Promise.withResolvers<SealOutcome>();
    const begun = Promise.withResolvers<void>();
    const slow = instance(database, () => {
      begun.resolve();
      return signing.promise;
    });
    const first = slow(source, identity);
    await begun.promise;
    const until = () => [...database.held.values()].map((lease) => lease.until)[0] ?? 0;
    for (const lease of database.held.values()) lease.until = 0;
    vi.advanceTimersByTime(5_000);
    expect(until()).toBeGreaterThan(performance.now());
    signing.resolve(sealed());
    await first;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("an instance that waited too long signs; the first stored signature counts", async () => {
  const database = sharedDatabase();
  const slow = Promise.withResolvers<SealOutcome>();
  const first = instance(database, () => slow.promise)(source, identity);
  const impatient = instance(database, async () => sealed(), { waitMaxMs: 0 });
  const second = await impatient(source, identity);
  slow.resolve(sealed());
  expect(await first).toBe(second);
});

test("when the first fails, the next one tries", async () => {
  const database = sharedDatabase();
  const failing = instance(database, async () => ({
    status: "failed",
    reason: "the key is away",
    retryAfterSeconds: 30,
  }));
  const failure = await failing(source, identity).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnsealedError);
  expect(failure).toMatchObject({ message: "the key is away", retryAfterSeconds: 30 });
  expect(await instance(database, async () => sealed())(source, identity)).toBeDefined();
});

test("a request that goes away waits no longer; the others get their signature", async () => {
  const database = sharedDatabase();
  const signing = Promise.withResolvers<SealOutcome>();
  const seal = instance(database, () => signing.promise);
  const gone = new AbortController();
  const leaving = seal(source, identity, gone.signal);
  const staying = seal(source, identity);
  gone.abort(new Error("the client went away"));
  await expect(leaving).rejects.toThrow("the client went away");
  signing.resolve(sealed());
  expect(await staying).toBeDefined();
});

test("a wait for another instance ends when all requests have ended", async () => {
  const { leases, seals, keeper } = sharedDatabase();
  const gone = new AbortController();
  const stopped = Promise.withResolvers<boolean>();
  const waiting = createOnDemandSealing({
    sealer: { sealOnDownload: async () => sealed() },
    keeper,
    report: () => undefined,
    across: oneInstanceOnly({
      leases: { ...leases, acquire: async () => undefined },
      seals,
      wait: (_ms, signal) => {
        signal.addEventListener("abort", () => stopped.resolve(true));
        gone.abort();
        return stopped.promise.then(() => signal.throwIfAborted());
      },
    }),
  });
  await expect(waiting(source, identity, gone.signal)).rejects.toThrow(/abort/);
  expect(await stopped.promise).toBe(true);
});

test("looking for the other instance's signature gets rarer, up to twice a second", async () => {
  const { leases, seals } = sharedDatabase();
  const pauses: number[] = [];
  const across = oneInstanceOnly({
    leases: { ...leases, acquire: async () => (pauses.length < 7 ? undefined : 1) },
    seals,
    wait: async (ms) => void pauses.push(ms),
  });
  await across({ ...identity, sha256 }, async () => newSeal(), new AbortController().signal);
  expect(pauses).toEqual([20, 40, 80, 160, 320, 500, 500]);
});

test("examines an unsigned package once, and reports it every time", async () => {
  let examined = 0;
  const warnings: string[] = [];
  const { keeper } = sharedDatabase();
  const seal = createOnDemandSealing({
    sealer: {
      sealOnDownload: async () => {
        examined += 1;
        return { status: "unsealed", warning: "Served unchanged: broken", because: "package" };
      },
    },
    keeper,
    report: (warning) => warnings.push(warning),
  });
  expect(await seal(source, identity)).toBeUndefined();
  expect(await seal(source, identity)).toBeUndefined();
  expect(examined).toBe(1);
  expect(warnings).toEqual(["Served unchanged: broken", "Served unchanged: broken"]);
});

test("an outage is not remembered", async () => {
  const outcomes: SealOutcome[] = [
    { status: "unsealed", warning: "Not signed: away", because: "failure" },
    sealed(),
  ];
  const { keeper } = sharedDatabase();
  const seal = createOnDemandSealing({
    sealer: { sealOnDownload: async () => outcomes.shift() ?? sealed() },
    keeper,
    report: () => undefined,
  });
  expect(await seal(source, identity)).toBeUndefined();
  expect(await seal(source, identity)).toBeDefined();
});
