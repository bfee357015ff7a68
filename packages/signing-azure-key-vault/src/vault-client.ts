import type { KeyVaultCertificate } from "@azure/keyvault-certificates";
import type { KeyVaultKey } from "@azure/keyvault-keys";
import type { HashName } from "@sealhouse/repo-signing";
import { untilAborted } from "@sealhouse/repo-signing";
import { credentialFor, RETRIES } from "./credential.ts";
import { isForbidden, vaultError } from "./vault-error.ts";
import type { VaultConfig } from "./vault-settings.ts";

/** The first token takes longer than any later one: the SDK looks for who could give it. */
const OPENING_TIMEOUT_MS = 30_000;

const ALGORITHM = { SHA256: "RS256", SHA384: "RS384", SHA512: "RS512" } as const satisfies Readonly<
  Record<HashName, string>
>;

/** The three calls to a vault. All of them throw a SigningError or a ModeSettingError, and are
 * given up in time, or when the vault is closed. */
export type VaultClient = AsyncDisposable & {
  certificate(): Promise<KeyVaultCertificate>;
  /** Undefined when the host may not look at keys; signing needs no such permission. */
  key(keyId: string): Promise<KeyVaultKey | undefined>;
  /** Signs digests, RSASSA-PKCS1-v1_5. */
  signerFor(
    key: KeyVaultKey | string,
    hash: HashName,
  ): (digest: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>;
};

/** Loads the SDKs; the first call comes with the first question. */
export async function connectVault(config: VaultConfig): Promise<VaultClient> {
  const [{ CertificateClient }, { KeyClient, CryptographyClient, parseKeyVaultKeyIdentifier }] =
    await Promise.all([import("@azure/keyvault-certificates"), import("@azure/keyvault-keys")]);
  const credential = await credentialFor(config);
  const options = {
    retryOptions: RETRIES,
    disableChallengeResourceVerification: !config.verifyChallengeResource,
  };
  const { vaultUrl, certificateName: name, certificateVersion: version } = config;
  const label = version === undefined ? name : `${name}/${version}`;
  const closed = new AbortController();
  const soon = () => AbortSignal.any([closed.signal, AbortSignal.timeout(OPENING_TIMEOUT_MS)]);
  const explained = (doing: string, permission: string) => (error: unknown) => {
    throw vaultError(error, { doing, permission, vaultUrl });
  };
  return {
    certificate() {
      const client = new CertificateClient(vaultUrl, credential, options);
      const read = (abortSignal: AbortSignal) =>
        version === undefined
          ? client.getCertificate(name, { abortSignal })
          : client.getCertificateVersion(name, version, { abortSignal });
      return untilAborted(soon(), read).catch(
        explained(`read the certificate ${label}`, "certificates/get"),
      );
    },
    async key(keyId) {
      const { name: keyName, version: keyVersion } = parseKeyVaultKeyIdentifier(keyId);
      const client = new KeyClient(vaultUrl, credential, options);
      try {
        return await untilAborted(soon(), (abortSignal) =>
          client.getKey(keyName, {
            abortSignal,
            ...(keyVersion !== undefined && { version: keyVersion }),
          }),
        );
      } catch (error) {
        if (isForbidden(error)) return undefined;
        return explained(`look at the key ${keyName}`, "keys/get")(error);
      }
    },
    signerFor(key, hash) {
      const client =
        typeof key === "string"
          ? new CryptographyClient(key, credential, options)
          : new CryptographyClient(key, credential, options);
      return async (digest, signal) => {
        const until = AbortSignal.any([closed.signal, signal]);
        const { result } = await untilAborted(until, (abortSignal) =>
          client.sign(ALGORITHM[hash], digest, { abortSignal }),
        ).catch(explained(`sign with the key of the certificate ${label}`, "keys/sign"));
        return result;
      };
    },
    async [Symbol.asyncDispose]() {
      closed.abort(new DOMException("the host is stopping", "AbortError"));
    },
  };
}
