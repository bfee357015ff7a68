// `node signing-seals-process.ts <key size> <rounds> <ms per round>`: measures seals in a process
// that does nothing else, and prints the figures as JSON.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Sealer } from "@sealhouse/repo-signing";
import { createSealer, openSealed, openSelfSigned } from "@sealhouse/repo-signing";
import { createMemoryCertificateFile, createMemoryLedger } from "@sealhouse/repo-signing/testing";
import { signByRezipping } from "./rezip-signer.ts";
import type { BenchPackage } from "./signing-packages.ts";
import { packageInMemory } from "./signing-packages.ts";
import { watched } from "./watched.ts";
import type { HoldUp } from "./watched.ts";

/** As large as the files of most packages are many. */
const FILES = 100;
const FILE_BYTES = 70_000;
const MANY_FILES = 5_000;
const AT_ONCE = 8;
/** Size of the signed bytes: the signed attributes of a repository signature. */
const SIGNED_BYTES = 320;

export type SealFigures = {
  /** Per second, one after the other; what is bare is `crypto.sign` alone. */
  readonly rounds: readonly Round[];
  /** The longest stretch without a turn of the event loop, in each round. */
  readonly holdUps: readonly HoldUp[];
  readonly manyFilesHoldUps: readonly HoldUp[];
  /** Milliseconds for the whole signed file, by splicing and by packing again. */
  readonly rewrites: readonly { readonly spliceMs: number; readonly rezipMs: number }[];
  readonly packageBytes: number;
};
type Round = {
  readonly bare: number;
  readonly seals: number;
  readonly bareAtOnce: number;
  readonly sealsAtOnce: number;
};

const [keySize, rounds = 1, roundMs = 100] = process.argv.slice(2).map(Number);
if (keySize !== 2048 && keySize !== 4096) throw new RangeError("a key has 2048 or 4096 bits");
console.log(JSON.stringify(await measure(keySize)));

async function measure(size: 2048 | 4096): Promise<SealFigures> {
  const sealer = await openSealer(size);
  const usual = packageInMemory(FILES, FILE_BYTES);
  const large = packageInMemory(MANY_FILES, 10);
  const seal = () => sealOnce(sealer, usual);
  const bare = bareSigning(size);
  await perSecond(seal);
  await perSecond(() => sealOnce(sealer, large));
  const each = <T>(runRound: () => Promise<T>): Promise<T[]> =>
    Array.fromAsync({ length: rounds }, runRound);
  return {
    rounds: await each(async () => ({
      bare: await perSecond(async () => bare.now()),
      seals: await perSecond(seal),
      bareAtOnce: await perSecond(() => atOnce(bare.later)),
      sealsAtOnce: await perSecond(() => atOnce(seal)),
    })).then((all) => all.map(perCall)),
    holdUps: await each(() => watched(() => perSecond(seal))),
    manyFilesHoldUps: await each(() => watched(() => perSecond(() => sealOnce(sealer, large)))),
    rewrites: await each(async () => ({
      spliceMs: await timeOf(() => wholeBySplice(sealer, usual)),
      rezipMs: await timeOf(() => signByRezipping(usual.bytes, sealer)),
    })),
    packageBytes: usual.size,
  };
}

/** The default key of the host, made here; the certificate is as in production. */
async function openSealer(size: 2048 | 4096): Promise<Sealer> {
  const now = () => new Date();
  const signer = await openSelfSigned({
    file: createMemoryCertificateFile(),
    next: createMemoryCertificateFile(),
    ledger: createMemoryLedger(),
    password: "",
    subject: { serverName: "Benchmark" },
    keySize: size,
    validityInDays: 3650,
    hash: "SHA256",
    now,
    randomBytes,
  });
  return createSealer({
    signer: async () => signer,
    ledger: createMemoryLedger(),
    serviceIndexUrl: "https://packages.example/v3/index.json",
    policy: "ReSign",
    onFailure: "fail",
    now,
  });
}

async function sealOnce(sealer: Sealer, file: BenchPackage) {
  const outcome = await sealer.seal(file, { id: "Bench.Signing", version: "1.0.0" });
  if (outcome.status !== "sealed") throw new Error(`the package was ${outcome.status}`);
  return outcome.seal;
}

/** The signed file, every byte of it. */
async function wholeBySplice(sealer: Sealer, file: BenchPackage): Promise<Buffer> {
  const seal = await sealOnce(sealer, file);
  return Buffer.concat(await Array.fromAsync(openSealed(file, seal).read()));
}

/** `crypto.sign` alone: on this thread, and as the key signer calls it. */
function bareSigning(size: number): {
  readonly now: () => void;
  readonly later: () => Promise<void>;
} {
  const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: size });
  const data = randomBytes(SIGNED_BYTES);
  return {
    now: () => void sign("sha256", data, key),
    later: () =>
      new Promise((resolve, reject) => {
        sign("sha256", data, key, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

async function atOnce(work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  for (; performance.now() - startedAt < roundMs; done += 1) await work();
  return done / ((performance.now() - startedAt) / 1000);
}

function perCall(round: Round): Round {
  const { bareAtOnce, sealsAtOnce } = round;
  return { ...round, bareAtOnce: bareAtOnce * AT_ONCE, sealsAtOnce: sealsAtOnce * AT_ONCE };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
