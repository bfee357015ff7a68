import type { KmsMethod, KmsRequest } from "./kms-answers.ts";

/** The call in a path of the REST interface and its body. */
export function restCall(
  path: string,
  body: string,
): { readonly method: KmsMethod; readonly request: KmsRequest } {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const name = decodeURIComponent(pathname).replace(/^\/v1\//, "");
  if (name.endsWith(":asymmetricSign")) {
    const sent = JSON.parse(body) as { digest?: Record<string, string>; digestCrc32c?: string };
    const digest = Object.entries(sent.digest ?? {}).map(([hash, base64]) => [
      hash,
      Buffer.from(base64, "base64"),
    ]);
    const value = sent.digestCrc32c;
    return {
      method: "asymmetricSign",
      request: {
        name: name.slice(0, -":asymmetricSign".length),
        digest: Object.fromEntries(digest),
        digestCrc32c: value === undefined ? null : { value },
      },
    };
  }
  if (name.endsWith("/publicKey")) {
    return { method: "getPublicKey", request: { name: name.slice(0, -"/publicKey".length) } };
  }
  if (name.endsWith("/cryptoKeyVersions")) {
    const [filter, pageToken] = [searchParams.get("filter"), searchParams.get("pageToken")];
    return {
      method: "listCryptoKeyVersions",
      request: {
        parent: name.slice(0, -"/cryptoKeyVersions".length),
        ...(filter !== null && { filter }),
        ...(pageToken !== null && { pageToken }),
      },
    };
  }
  return { method: "getCryptoKey", request: { name } };
}

/** Numbers of the enum values that the stand-in sends: clients ask for them in place of names. */
const NUMBERS: Readonly<Record<string, number>> = {
  SOFTWARE: 1,
  HSM: 2,
  HSM_SINGLE_TENANT: 5,
  ENABLED: 1,
  RSA_SIGN_PSS_2048_SHA256: 2,
  RSA_SIGN_PKCS1_2048_SHA256: 5,
  RSA_SIGN_PKCS1_4096_SHA512: 16,
  EC_SIGN_P256_SHA256: 12,
  ASYMMETRIC_SIGN: 5,
};

/** JSON as the REST interface has it: bytes in base64, wrapped numbers bare, enums by number. */
export function restAnswer(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(restAnswer);
  if (typeof value === "string") return NUMBERS[value] ?? value;
  if (typeof value !== "object" || value === null) return value;
  if ("value" in value) return value.value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, restAnswer(part)]));
}
