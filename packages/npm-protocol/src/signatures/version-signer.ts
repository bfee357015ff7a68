import type { Caller } from "@sealhouse/request-types";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { NpmRecorder } from "../ports.ts";
import type { KeyProtection, NewSigningKey, NpmSigningKeys, SigningKeyRecord } from "./ports.ts";
import { keyIdOf, signVersion } from "./registry-signature.ts";
import type { RegistrySignature, SignedVersion } from "./registry-signature.ts";

/** Gives the signatures that a version leaves with. */
export type SignVersion = (version: SignedVersion) => Promise<readonly RegistrySignature[]>;

export type SignerParts = {
  readonly keys: Pick<NpmSigningKeys, "list" | "add">;
  readonly protection: KeyProtection;
  readonly now: () => Date;
};

/**
 * Maximum difference between the clocks of instances, in milliseconds: a replaced key expires that
 * much later.
 */
const CLOCKS_APART_MS = 5 * 60 * 1000;

/** The registry's own key cannot be used. The message says what to do. */
export class SigningKeyError extends Error {
  override readonly name = "SigningKeyError";
  readonly code = "signing-key-unusable";
}

/**
 * Signs with the registry's current key, and creates the first one. Every call looks up the key, so
 * a key that another instance replaced signs nothing more.
 */
export function createVersionSigner(parts: SignerParts): SignVersion {
  const opened = new Map<string, KeyObject>();
  return async (version) => {
    const { keyId, encryptedKey } = await currentKey(parts);
    const privateKey = opened.get(keyId) ?? (await openKey(parts.protection, keyId, encryptedKey));
    opened.set(keyId, privateKey);
    return [signVersion(version, { keyId, privateKey })];
  };
}

/** A recorder that signs each version before it becomes visible. */
export function withSignatures(recorder: NpmRecorder, sign: SignVersion): NpmRecorder {
  return {
    async publish(version, caller) {
      return recorder.publish({ ...version, signatures: await sign(version) }, caller);
    },
    async publishAll(versions, caller, callers) {
      const signed = [];
      for (const version of versions) {
        signed.push({ ...version, signatures: await sign(version) });
      }
      return recorder.publishAll(signed, caller, callers);
    },
    async release(stageId, version, caller) {
      const signed = { ...version, signatures: await sign(version) };
      return recorder.release(stageId, signed, caller);
    },
    setTag: (...args) => recorder.setTag(...args),
    removeTag: (...args) => recorder.removeTag(...args),
  };
}

/**
 * Replaces the signing key by a new one. The signatures of the old key stay valid. Returns the id
 * of the new key.
 */
export async function replaceKey(
  { keys, protection, now }: Omit<SignerParts, "keys"> & { keys: Pick<NpmSigningKeys, "replace"> },
  caller: Caller,
): Promise<string> {
  const key = newKey(protection, now());
  await keys.replace(key, new Date(now().getTime() + CLOCKS_APART_MS), caller);
  return key.keyId;
}

/**
 * Creates the key if there is none, and opens it.
 * @throws SigningKeyError
 */
export async function ensureKey(parts: SignerParts): Promise<void> {
  const { keyId, encryptedKey } = await currentKey(parts);
  await openKey(parts.protection, keyId, encryptedKey);
}

/**
 * The registry's current P-256 key, for other signatures; created when there is none.
 * @throws SigningKeyError
 */
export async function openCurrentKey(
  parts: SignerParts,
): Promise<{ readonly keyId: string; readonly privateKey: KeyObject }> {
  const { keyId, encryptedKey } = await currentKey(parts);
  return { keyId, privateKey: await openKey(parts.protection, keyId, encryptedKey) };
}

type OwnKey = SigningKeyRecord & { readonly encryptedKey: Uint8Array };

async function currentKey({ keys, protection, now }: SignerParts): Promise<OwnKey> {
  const ownKey = currentOf(await keys.list());
  if (ownKey) return ownKey;
  await keys.add(newKey(protection, now()));
  // Another instance may have been first.
  const made = currentOf(await keys.list());
  if (!made) throw new SigningKeyError("The key of the registry's signatures was not kept.");
  return made;
}

/** The newest of the registry's own keys that was not replaced. */
export function currentOf(all: readonly SigningKeyRecord[]): OwnKey | undefined {
  return all.filter(isOwn).findLast(({ expiresAt }) => expiresAt === undefined);
}

function isOwn(key: SigningKeyRecord): key is OwnKey {
  return key.encryptedKey !== undefined;
}

function newKey(protection: KeyProtection, createdAt: Date): NewSigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return {
    keyId: keyIdOf(spki),
    publicKey: spki.toString("base64"),
    encryptedKey: protection.seal(privateKey.export({ type: "pkcs8", format: "der" })),
    createdAt,
  };
}

async function openKey(
  protection: KeyProtection,
  keyId: string,
  sealed: Uint8Array,
): Promise<KeyObject> {
  try {
    const key = Buffer.from(await protection.open(sealed));
    return createPrivateKey({ key, format: "der", type: "pkcs8" });
  } catch (cause) {
    throw new SigningKeyError(
      `The private half of ${keyId}, the key of the npm registry's signatures, cannot be opened: ` +
        "the host's key ring has changed. Restore its folder (Host__DataProtection__KeyPath), or " +
        "take a new key with `sealhouse npm keys rotate`.",
      { cause },
    );
  }
}
