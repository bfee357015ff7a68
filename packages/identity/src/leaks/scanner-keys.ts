import { createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { readBounded } from "../id-tokens/read-bounded.ts";

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 5_000;
/** Milliseconds after which a copy of the keys is compared with the service. */
const FRESH_MS = 60 * MINUTE_MS;
/** Milliseconds for which a copy is used while the service does not answer. */
const KEPT_MS = 24 * FRESH_MS;
/** Minimum milliseconds between two requests to the service. */
const PAUSE_MS = MINUTE_MS;
const KEYS_MAX = 100;

/** Settings of `createScannerKeys`. */
export type ScannerKeysOptions = {
  /** Serves the keys: `https://api.github.com/meta/public_keys/secret_scanning`. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly now: () => Date;
};

/**
 * Finds a public key of the secret scanner by its id. Undefined when the service does not have it.
 * Rejects when the service does not answer.
 */
export type ScannerKeys = (keyId: string) => Promise<KeyObject | undefined>;

type Copy = {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly etag: string | undefined;
  readonly readAtMs: number;
};

/**
 * Keeps the keys of a secret scanner in memory. An unknown id causes a request, at most once a
 * minute.
 */
export function createScannerKeys(options: ScannerKeysOptions): ScannerKeys {
  let copy: Copy | undefined;
  let attemptAtMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let reading: Promise<void> | undefined;
  const read = async () => {
    attemptAtMs = options.now().getTime();
    try {
      copy = await readKeys(options, copy);
      failure = undefined;
    } catch (error) {
      failure = error;
    }
  };
  return async (keyId) => {
    const nowMs = options.now().getTime();
    const isFresh = copy !== undefined && nowMs - copy.readAtMs < FRESH_MS;
    const mayRead = nowMs - attemptAtMs >= PAUSE_MS;
    if (mayRead && !(isFresh && copy?.keys.has(keyId))) reading ??= read();
    await reading;
    reading = undefined;
    const isUsable = copy !== undefined && nowMs - copy.readAtMs < KEPT_MS;
    const key = isUsable ? copy?.keys.get(keyId) : undefined;
    if (key || failure === undefined) return key;
    throw failure;
  };
}

async function readKeys({ url, fetch, now }: ScannerKeysOptions, known?: Copy): Promise<Copy> {
  const readAtMs = now().getTime();
  const answer = await readBounded(fetch, url, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: "manual",
    headers: {
      accept: "application/json",
      ...(known?.etag !== undefined && { "if-none-match": known.etag }),
    },
  });
  if (answer.status === 304 && known) return { ...known, readAtMs };
  if (answer.status !== 200) throw new Error(`${url} returned status ${answer.status}`);
  const etag = answer.headers.get("etag") ?? undefined;
  return { keys: keysIn(await answer.json()), etag, readAtMs };
}

/** Ignores keys of other algorithms. */
function keysIn(document: unknown): ReadonlyMap<string, KeyObject> {
  const list = fieldOf(document, "public_keys");
  if (!Array.isArray(list)) throw new Error("the document of public keys has no public_keys");
  const keys = list.slice(0, KEYS_MAX).flatMap((entry: unknown) => {
    const [id, pem] = [fieldOf(entry, "key_identifier"), fieldOf(entry, "key")];
    if (typeof id !== "string" || typeof pem !== "string") return [];
    const key = keyOf(pem);
    return key ? [[id, key] as const] : [];
  });
  return new Map(keys);
}

function keyOf(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    // Not a key.
    return undefined;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}
