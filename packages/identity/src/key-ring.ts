import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { KeyRingError } from "./errors.ts";
import { hasKeys, KEY_BYTES, readOrCreateKeys, warningAbout } from "./key-file.ts";

export type KeyRingOptions = {
  /** The folder of the key files; absent = keys that last as long as the process. */
  readonly path?: string | undefined;
  /** Keys are scoped to it: another name opens nothing of this one. */
  readonly applicationName?: string;
  /** That many bytes nobody can guess. */
  readonly random: (size: number) => Uint8Array;
};

/** Encrypts what must be kept secret at rest, and derives keys for other purposes. */
export type KeyRing = {
  /** What an operator should be told at start. */
  readonly warnings: readonly string[];
  /** The folder held no key, and the first one was made. */
  readonly isNew: boolean;
  /** Encrypts; the result opens only under the same purpose. */
  protect(purpose: string, bytes: Uint8Array): Uint8Array;
  /** @throws KeyRingError `unknown-key`, `not-protected`, or `tampered` (also: other purpose) */
  unprotect(purpose: string, bytes: Uint8Array): Uint8Array;
  /** 32 bytes that stay the same for as long as the oldest key of the folder stays. */
  derive(purpose: string): Uint8Array;
};

/** Layout: version, key id, nonce, ciphertext, tag. Version and key id are authenticated too. */
const VERSION = 1;
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES;
const APPLICATION_NAME = "sealhouse";

type Key = { readonly id: string; derive(info: string): Buffer };

/**
 * Opens the key ring: all keys of a folder (mode 0700, files 0600), the newest of which protects.
 * The first key is made when there is none, once, however many processes start together.
 *
 * @throws KeyRingError `bad-key-file`; file system errors as they are
 */
export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { path, random, applicationName = APPLICATION_NAME } = options;
  const isNew = path !== undefined && !(await hasKeys(path));
  const secrets = path === undefined ? [random(KEY_BYTES)] : await readOrCreateKeys(path, random);
  const keys = secrets.map((secret) => keyOf(secret, applicationName));
  const [oldest, newest] = [keys[0], keys.at(-1)];
  if (!oldest || !newest) throw new KeyRingError("bad-key-file", `${path} holds no keys.`);
  const warning = path === undefined ? NO_PATH : await warningAbout(path);

  return {
    warnings: warning === undefined ? [] : [warning],
    isNew,
    protect: (purpose, bytes) => seal({ key: newest, purpose, nonce: random(NONCE_BYTES) }, bytes),
    unprotect(purpose, bytes) {
      const box = Buffer.from(bytes);
      if (box.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || box[0] !== VERSION) {
        throw new KeyRingError("not-protected", "These bytes were not protected by a key ring.");
      }
      const id = box.subarray(1, HEAD_BYTES).toString("hex");
      const key = keys.find((one) => one.id === id);
      if (!key) throw new KeyRingError("unknown-key", unknownKey(id, path));
      return unseal(key, purpose, box);
    },
    derive: (purpose) => oldest.derive(`derive/${purpose}`),
  };
}

const NO_PATH =
  "No folder is set for the key ring (Host__DataProtection__KeyPath). Its key lasts as long as " +
  "this process: credentials that are saved now cannot be read after a restart.";

function unknownKey(id: string, path: string | undefined): string {
  const place = path === undefined ? "this process has" : `${path} holds`;
  return (
    `This was protected with the key ${id}, which is not among those ${place}. ` +
    `Restore that key file (and Host__DataProtection__ApplicationName), or enter the secret again.`
  );
}

type Sealing = { readonly key: Key; readonly purpose: string; readonly nonce: Uint8Array };

function seal({ key, purpose, nonce }: Sealing, bytes: Uint8Array): Uint8Array {
  const head = Buffer.concat([Buffer.from([VERSION]), Buffer.from(key.id, "hex")]);
  const cipher = createCipheriv("aes-256-gcm", key.derive(`protect/${purpose}`), nonce);
  cipher.setAAD(head);
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([head, nonce, ciphertext, cipher.getAuthTag()]);
}

function unseal(key: Key, purpose: string, box: Buffer): Uint8Array {
  const nonce = box.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const cipher = createDecipheriv("aes-256-gcm", key.derive(`protect/${purpose}`), nonce, {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(box.subarray(0, HEAD_BYTES));
  cipher.setAuthTag(box.subarray(-TAG_BYTES));
  try {
    const ciphertext = box.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([cipher.update(ciphertext), cipher.final()]);
  } catch (cause) {
    const message = `These bytes were changed, or were not protected for "${purpose}".`;
    throw new KeyRingError("tampered", message, { cause });
  }
}

function keyOf(secret: Uint8Array, applicationName: string): Key {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, applicationName, `sealhouse/v1/${info}`, length));
  return { id: derive("id", ID_BYTES).toString("hex"), derive: (info) => derive(info, KEY_BYTES) };
}
