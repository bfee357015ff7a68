import { createHash, createHmac, webcrypto } from "node:crypto";
import type { Hash, Hmac } from "node:crypto";

type Data = string | ArrayBuffer | ArrayBufferView;

/** Data of this size is hashed in another thread. The event loop hashes smaller data faster. */
const OTHER_THREAD_BYTES = 256 * 1024;

/**
 * The SHA-256 with which the SDK signs requests. The SDK's own would hold up the event loop for
 * about 20 ms at each part of an upload.
 */
export class Sha256 {
  readonly #secret: Data | undefined;
  #hash: Hash | Hmac;
  /** Large data, when nothing was added before it. */
  #large: Uint8Array | undefined;
  #isEmpty = true;

  constructor(secret?: Data) {
    this.#secret = secret;
    this.#hash = this.#start();
  }

  update(data: Data): void {
    const bytes = bytesOf(data);
    if (this.#isEmpty && this.#secret === undefined && bytes.length >= OTHER_THREAD_BYTES) {
      this.#large = bytes;
    } else {
      if (this.#large) this.#hash.update(this.#large);
      this.#large = undefined;
      this.#hash.update(bytes);
    }
    this.#isEmpty = false;
  }

  async digest(): Promise<Uint8Array> {
    if (!this.#large) return this.#hash.digest();
    return new Uint8Array(await webcrypto.subtle.digest("SHA-256", this.#large));
  }

  reset(): void {
    this.#hash = this.#start();
    this.#large = undefined;
    this.#isEmpty = true;
  }

  #start(): Hash | Hmac {
    if (this.#secret === undefined) return createHash("sha256");
    return createHmac("sha256", bytesOf(this.#secret));
  }
}

function bytesOf(data: Data): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
