// Writes and reads one large body, and prints the resident memory of this process as JSON.
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { parseObjectKey } from "../object-store.ts";
import type { StorageExtension } from "../storage-type.ts";
import { noise, sha256Of } from "./bodies.ts";
import type { BodyMemoryOptions } from "./body-memory.ts";

/** V8 lets about 64 MiB of received network buffers pile up, with any HTTP client. */
const WARM_UP_BYTES = 128 * 1024 * 1024;
const SAMPLE_MS = 10;

const { module, type, values, bytes } = JSON.parse(process.argv[2] ?? "{}") as BodyMemoryOptions;
const { extension } = (await import(module)) as { readonly extension: StorageExtension };
const store = await extension.storageTypes[type]?.open({ values, named: () => undefined });
if (!store) throw new TypeError(`no type ${type}`);
const key = parseObjectKey("body");
await store.write(key, noise(WARM_UP_BYTES), { existing: "replace" });
await sha256Of(store.bytes(key));
await delay(200);
const restBytes = process.memoryUsage.rss();

let peakBytes = restBytes;
const timer = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, SAMPLE_MS);
const writtenHash = createHash("sha256");
/** One chunk whose memory it uses again, so that the measured memory is that of the driver. */
async function* hashed(): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let offset = 0; offset < bytes; offset += chunk.length) {
    chunk.writeDoubleLE(offset);
    writtenHash.update(chunk);
    yield chunk;
  }
}
await store.write(key, hashed(), { existing: "replace" });
const writePeakBytes = peakBytes;
peakBytes = restBytes;
// As the host reads for an answer.
const body = store.bytes(key, undefined, { reuse: true });
const isSame = (await sha256Of(body)) === writtenHash.digest("hex");
clearInterval(timer);
await store[Symbol.asyncDispose]();
process.stdout.write(
  JSON.stringify({ restBytes, writePeakBytes, readPeakBytes: peakBytes, isSame }),
);
