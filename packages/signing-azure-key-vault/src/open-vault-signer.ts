import { createPublicKey, X509Certificate } from "node:crypto";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type { KeyVaultCertificate } from "@azure/keyvault-certificates";
import type { KeyVaultKey } from "@azure/keyvault-keys";
import {
  certificatesIn,
  createRemoteSigner,
  SigningError,
  trySigner,
  usableCertificate,
} from "@sealhouse/repo-signing";
import type { ModeContext, Signer } from "@sealhouse/repo-signing";
import { connectVault } from "./vault-client.ts";
import { CHAIN, readVaultSettings } from "./vault-settings.ts";
import type { VaultConfig } from "./vault-settings.ts";

const TIMEOUT_MS = 10_000;

/**
 * Finds the certificate and its key in the vault, and lets the key sign once, so that a missing
 * permission shows before the first package needs it.
 *
 * @throws ModeSettingError when settings are missing or contradict each other
 * @throws SigningError when the vault, the certificate or the key does not do
 */
export async function openVaultSigner(
  context: ModeContext,
  {
    timeoutMs = TIMEOUT_MS,
  }: {
    /** Timeout of a signature in milliseconds; default 10,000. */
    readonly timeoutMs?: number;
  } = {},
): Promise<Signer & AsyncDisposable> {
  const config = readVaultSettings(context);
  const { chain: issuers = [] } = (await certificatesIn(CHAIN, context)) ?? {};
  await using opened = new AsyncDisposableStack();
  const vault = opened.use(await connectVault(config));
  const { leaf, keyId, label } = checkedCertificate(await vault.certificate(), config);
  const key = await vault.key(keyId);
  if (key) checkKey(key, label);
  const signer = createRemoteSigner({
    chain: chainOf(leaf, issuers, context),
    hash: config.hash,
    publicKey: key ? publicKeyOf(key) : leaf.publicKey.export({ format: "der", type: "spki" }),
    keyName: `key of the ${label}`,
    timeoutMs,
    signDigest: vault.signerFor(key ?? keyId, config.hash),
  });
  usableCertificate(signer, context.now());
  await trySigner(signer);
  const owned = opened.move();
  return { ...signer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

type FoundCertificate = {
  readonly leaf: X509Certificate;
  readonly keyId: string;
  /** `certificate feed/0123… in https://acme.vault.azure.net`. */
  readonly label: string;
};

function checkedCertificate(
  vaultCertificate: KeyVaultCertificate,
  config: VaultConfig,
): FoundCertificate {
  const { cer, keyId, properties } = vaultCertificate;
  const version = properties.version === undefined ? "" : `/${properties.version}`;
  const label = `certificate ${vaultCertificate.name}${version} in ${config.vaultUrl}`;
  if (!cer || keyId === undefined) {
    throw unusable(`The ${label} is not finished: the vault waits for its issuer.`);
  }
  if (properties.enabled === false) {
    throw unusable(`The ${label} is disabled. Enable it, or name another version.`);
  }
  const leaf = new X509Certificate(cer);
  const type = leaf.publicKey.asymmetricKeyType;
  if (type !== "rsa") {
    throw unusable(
      `The ${label} has a key of type ${type?.toUpperCase() ?? "unknown"}, which NuGet clients ` +
        "refuse. Make one with the key type RSA or RSA-HSM and 2048 bits or more.",
    );
  }
  return { leaf, keyId, label };
}

function checkKey({ properties, keyOperations }: KeyVaultKey, label: string): void {
  if (properties.enabled === false) {
    throw unusable(`The key of the ${label} is disabled. Enable it in the vault.`);
  }
  if (keyOperations && !keyOperations.includes("sign")) {
    throw unusable(
      `The key of the ${label} may not sign: allow the key usage digitalSignature in the ` +
        "certificate's policy and make a new version.",
    );
  }
}

function publicKeyOf({ key }: KeyVaultKey): Uint8Array {
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("base64url");
  const jwk = { kty: "RSA", n: text(key?.n), e: text(key?.e) };
  return createPublicKey({ key: jwk, format: "jwk" }).export({ format: "der", type: "spki" });
}

/** The vault's certificate first, whether the file of the issuers has it, too, or not. */
function chainOf(
  leaf: X509Certificate,
  issuers: readonly Uint8Array[],
  { warn }: Pick<ModeContext, "warn">,
): readonly Uint8Array[] {
  const others = issuers.filter((der) => Buffer.compare(der, leaf.raw) !== 0);
  const isIssuer = (der: Uint8Array) => leaf.checkIssued(new X509Certificate(der));
  if (others.length > 0 && !others.some(isIssuer)) {
    warn(
      `None of the certificates in ${CHAIN}Path or ChainPem issued the ` +
        "signing certificate; clients may not find the way to its root.",
    );
  }
  return [leaf.raw, ...others];
}

function unusable(message: string): SigningError {
  return new SigningError("certificate-unusable", message);
}
