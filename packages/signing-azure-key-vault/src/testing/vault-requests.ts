import type { KeyObject } from "node:crypto";
import { createHash, createPublicKey, X509Certificate } from "node:crypto";
import type { HashName } from "@sealhouse/repo-signing";
import { signDigest } from "@sealhouse/repo-signing/testing";
import { RESOURCE, troubled } from "./vault-state.ts";
import type {
  VaultRequest,
  Reply,
  VaultOperation,
  VaultState,
  VersionInVault,
} from "./vault-state.ts";

const DIGESTS: Readonly<Record<string, { readonly hash: HashName; readonly bytes: number }>> = {
  RS256: { hash: "SHA256", bytes: 32 },
  RS384: { hash: "SHA384", bytes: 48 },
  RS512: { hash: "SHA512", bytes: 64 },
};

const ROUTE = /^\/(certificates|keys)\/([0-9A-Za-z-]+)(?:\/([0-9A-Za-z]*))?(\/sign)?$/;

export function answerVaultRequest(request: VaultRequest, state: VaultState): Reply {
  const { method, url, headers } = request;
  if (!state.tokens.isKnown(headers.authorization)) return challenge(state);
  state.requests.push(`${method} ${url.pathname}`);
  if (!url.searchParams.has("api-version")) {
    return failed(400, "BadParameter", "The query parameter 'api-version' is missing.");
  }
  const [, kind, name = "", version = "", sign] = ROUTE.exec(url.pathname) ?? [];
  const operation = operationOf(method, kind, sign);
  if (operation === undefined) return failed(404, "NotFound", "There is nothing here.");
  const trouble = state.troubles.get(operation);
  if (trouble) return troubled(trouble);
  const versions = state.certificates.get(name) ?? [];
  const vaultVersion =
    version === "" ? versions.at(-1) : versions.find((candidate) => candidate.version === version);
  if (!vaultVersion) {
    const what = kind === "keys" ? "Key" : "Certificate";
    const message = `A ${what.toLowerCase()} with (name/id) ${name} was not found in this vault.`;
    return failed(404, `${what}NotFound`, message);
  }
  const place = { name, vault: state.url };
  switch (operation) {
    case "certificates/get":
      return { status: 200, body: certificateBundle(vaultVersion, place) };
    case "keys/get":
      return { status: 200, body: keyBundle(vaultVersion, place) };
    case "keys/sign":
      return signature(request, vaultVersion, place);
  }
}

function operationOf(
  method: string,
  kind: string | undefined,
  sign: string | undefined,
): Exclude<VaultOperation, "token"> | undefined {
  if (kind === "keys" && sign !== undefined) return method === "POST" ? "keys/sign" : undefined;
  if (method !== "GET" || sign !== undefined) return undefined;
  if (kind === "keys") return "keys/get";
  return kind === "certificates" ? "certificates/get" : undefined;
}

function challenge({ url, tenantId }: VaultState): Reply {
  const value = `Bearer authorization="${url}/${tenantId}", resource="${RESOURCE}"`;
  const error = { code: "Unauthorized", message: "AKV10000: Request is missing a Bearer token." };
  return { status: 401, headers: { "www-authenticate": value }, body: { error } };
}

function failed(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message } } };
}

type Named = { readonly name: string; readonly vault: string };

const idOf = (kind: string, { name, vault }: Named, { version }: VersionInVault): string =>
  `${vault}/${kind}/${name}/${version}`;

const seconds = (text: string): number => Math.floor(Date.parse(text) / 1000);

function certificateBundle(vaultVersion: VersionInVault, place: Named): unknown {
  const id = idOf("certificates", place, vaultVersion);
  const { certificate, enabled = true } = vaultVersion;
  // A version that waits for its issuer has a request, and neither certificate nor key to use.
  if (!certificate) return { id, attributes: { enabled: false } };
  const x509 = new X509Certificate(certificate);
  return {
    id,
    kid: idOf("keys", place, vaultVersion),
    sid: idOf("secrets", place, vaultVersion),
    x5t: createHash("sha1").update(certificate).digest("base64url"),
    cer: Buffer.from(certificate).toString("base64"),
    attributes: {
      enabled,
      nbf: seconds(x509.validFrom),
      exp: seconds(x509.validTo),
      created: seconds(x509.validFrom),
      updated: seconds(x509.validFrom),
      recoveryLevel: "Recoverable",
    },
    policy: {
      id: `${place.vault}/certificates/${place.name}/policy`,
      key_props: { exportable: false, kty: "RSA-HSM", key_size: 2048, reuse_key: false },
      x509_props: { subject: x509.subject.replaceAll("\n", ", ") },
    },
  };
}

function keyBundle(vaultVersion: VersionInVault, place: Named): unknown {
  const { key, shownKey = key, keyEnabled = true } = vaultVersion;
  const { keyOperations = ["sign", "verify"] } = vaultVersion;
  const { kty, n, e, crv, x, y } = publicJwk(shownKey);
  return {
    key: {
      kid: idOf("keys", place, vaultVersion),
      kty: `${kty}-HSM`,
      key_ops: keyOperations,
      ...(kty === "RSA" ? { n, e } : { crv, x, y }),
    },
    attributes: { enabled: keyEnabled, exportable: false, recoveryLevel: "Recoverable" },
    managed: true,
  };
}

function publicJwk(key: KeyObject) {
  return createPublicKey(key).export({ format: "jwk" });
}

function signature({ body }: VaultRequest, vaultVersion: VersionInVault, place: Named): Reply {
  const { alg, value } = JSON.parse(body) as { readonly alg: string; readonly value: string };
  const digest = Buffer.from(value, "base64url");
  const algorithm = DIGESTS[alg];
  if (vaultVersion.keyEnabled === false) {
    const error = {
      code: "Forbidden",
      message: "Operation sign is not allowed on a disabled key.",
      innererror: { code: "KeyDisabled" },
    };
    return { status: 403, body: { error } };
  }
  if (!algorithm || digest.length !== algorithm.bytes) {
    return failed(400, "BadParameter", "Property has invalid value");
  }
  const signed = signDigest(digest, {
    key: vaultVersion.key,
    hash: algorithm.hash,
    scheme: "pkcs1",
  });
  return {
    status: 200,
    body: { kid: idOf("keys", place, vaultVersion), value: signed.toString("base64url") },
  };
}
