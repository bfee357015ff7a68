import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { KeyRingError } from "./errors.ts";
import { hasKeys, KEY_BYTES, readOrCreateKeys, warningAbout } from "./key-file.ts";

/** Settings of `openKeyRing`. */
export type KeyRingOptions = {
  /** Folder of the key files; undefined creates a key that exists only in this process. */
  readonly path?: string | undefined;
  /** Part of the key derivation: keys of another name cannot decrypt the data. */
  readonly applicationName?: string;
  /** Returns cryptographically random bytes. */
  readonly random: (size: number) => Uint8Array;
};

/** Encrypts secrets at rest, and derives keys for other purposes. */
export type KeyRing = {
  /** Warnings for the operator at startup. */
  readonly warnings: readonly string[];
  /** Whether the first key was created now. */
  readonly isNew: boolean;
  /** Encrypts bytes. Decryption requires the same purpose. */
  protect(purpose: string, bytes: Uint8Array): Uint8Array;
  /** @throws KeyRingError `unknown-key`, `not-protected`, or `tampered` (also: other purpose) */
  unprotect(purpose: string, bytes: Uint8Array): Uint8Array;
  /** Derives 32 bytes, which change only when the oldest key changes. */
  derive(purpose: string): Uint8Array;
};

/** Layout: version, key id, nonce, ciphertext, tag. The tag also covers version and key id. */
const VERSION = 1;
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES;
const APPLICATION_NAME = "sealhouse";

type Key = { readonly id: string; derive(info: string): Buffer };

/**
 * Opens the key ring with all keys of a folder (mode 0700, files 0600). The newest key encrypts.
 * Creates the first key when the folder has none; processes that start together create one key.
 *
 * @throws KeyRingError `bad-key-file`; file system errors propagate
 */
export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { path, random, applicationName = APPLICATION_NAME } = options;
  const isNew = path !== undefined && !(await hasKeys(path));
  const secrets = path === undefined ? [random(KEY_BYTES)] : await readOrCreateKeys(path, random);
  const keys = secrets.map((secret) => keyOf(secret, applicationName));
  const [oldest, newest] = [keys[0], keys.at(-1)];
  if (!oldest || !newest) throw new KeyRingError("bad-key-file", `${path} contains no keys.`);
  const warning = path === undefined ? NO_PATH : await warningAbout(path);

  return {
    warnings: warning === undefined ? [] : [warning],
    isNew,
    protect: (purpose, bytes) => seal({ key: newest, purpose, nonce: random(NONCE_BYTES) }, bytes),
    unprotect(purpose, bytes) {
      const box = Buffer.from(bytes);
      if (box.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || box[0] !== VERSION) {
        throw new KeyRingError("not-protected", "The data is not encrypted by a key ring.");
      }
      const id = box.subarray(1, HEAD_BYTES).toString("hex");
      const key = keys.find((candidate) => candidate.id === id);
      if (!key) throw new KeyRingError("unknown-key", unknownKey(id, path));
      return unseal(key, purpose, box);
    },
    derive: (purpose) => oldest.derive(`derive/${purpose}`),
  };
}

const NO_PATH =
  "The key ring has no folder (Host__DataProtection__KeyPath), so its key exists only in this " +
  "process: credentials that are saved now cannot be decrypted after a restart.";

function unknownKey(id: string, path: string | undefined): string {
  const place = path === undefined ? "this process has" : `${path} holds`;
  return (
    `The data is encrypted with the key ${id}, which is not among those ${place}. ` +
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
    const message = `The data was changed, or was not encrypted for "${purpose}".`;
    throw new KeyRingError("tampered", message, { cause });
  }
}

function keyOf(secret: Uint8Array, applicationName: string): Key {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, applicationName, `sealhouse/v1/${info}`, length));
  return { id: derive("id", ID_BYTES).toString("hex"), derive: (info) => derive(info, KEY_BYTES) };
}
