import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import { isObject } from "../json.ts";
import { isSignedBy } from "../signatures/registry-signature.ts";
import type { Addresses } from "./addresses.ts";
import { listOf } from "./packument-document.ts";
import type { RemoteVersion } from "./packument-document.ts";
import type { Reader } from "./reader.ts";

/** A key that a registry signs with. */
export type RemoteKey = {
  readonly keyId: string;
  /** `ecdsa-sha2-nistp256` is what there is. */
  readonly type: string;
  /** SubjectPublicKeyInfo: DER, base64. */
  readonly publicKey: string;
  /** Time after which its signatures are not valid for newly published versions. */
  readonly expiresAt?: Date;
};

export type SignatureVerdict =
  | { readonly status: "verified" }
  /** The registry has no keys, or the version no signature. */
  | { readonly status: "unsigned" }
  | { readonly status: "invalid"; readonly reason: string };

const KIND = "ecdsa-sha2-nistp256";

/** Undefined where the registry signs nothing. */
export async function readKeys(
  { reader, addresses }: { readonly reader: Reader; readonly addresses: Addresses },
  read: CallOptions,
): Promise<readonly RemoteKey[] | undefined> {
  const document = await reader.object(addresses.endpoint("npm/v1/keys"), read);
  return document && listOf(document["keys"]).flatMap(remoteKey);
}

/**
 * Whether a signature is valid by the rules of `npm audit signatures`: every signature must be by a
 * known key that had not expired at the publish, and must match.
 */
export function checkSignatures(
  name: string,
  { version, dist, publishedAt }: RemoteVersion,
  keys: readonly RemoteKey[],
): SignatureVerdict {
  const { signatures, integrity } = dist;
  if (signatures.length === 0 || keys.length === 0) return { status: "unsigned" };
  if (integrity === undefined) return invalid("it names no integrity that could be signed");
  for (const { keyid, sig } of signatures) {
    const key = keys.find(({ keyId }) => keyId === keyid);
    if (!key) return invalid(`it is signed with ${keyid}, which the registry does not list`);
    if (key.expiresAt && (!publishedAt || publishedAt > key.expiresAt)) {
      return invalid(`it is signed with ${keyid}, which had expired by then`);
    }
    if (!fits({ name, version, integrity }, sig, key)) {
      return invalid(`its signature with ${keyid} does not fit`);
    }
  }
  return { status: "verified" };
}

function fits(
  signed: { readonly name: string; readonly version: string; readonly integrity: string },
  sig: string,
  { type, publicKey }: RemoteKey,
): boolean {
  try {
    return type === KIND && isSignedBy(signed, sig, publicKey);
  } catch {
    return false; // no key that could be read
  }
}

function remoteKey(value: unknown): readonly RemoteKey[] {
  const { keyid, keytype, key, expires } = isObject(value) ? value : {};
  if (typeof keyid !== "string" || typeof keytype !== "string" || typeof key !== "string") {
    return [];
  }
  const expiresAt = typeof expires === "string" ? new Date(expires) : undefined;
  // A key with an unreadable expiry may have expired long ago.
  const end = expiresAt && Number.isNaN(expiresAt.getTime()) ? new Date(0) : expiresAt;
  return [{ keyId: keyid, type: keytype, publicKey: key, ...(end && { expiresAt: end }) }];
}

function invalid(reason: string): SignatureVerdict {
  return { status: "invalid", reason };
}
