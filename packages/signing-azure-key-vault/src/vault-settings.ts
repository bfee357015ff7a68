import type { HashName, ModeContext } from "@sealhouse/repo-signing";
import { ModeSettingError } from "@sealhouse/repo-signing";
import type { VAULT_SETTINGS } from "./settings/table.ts";

/** Authentication of the host at Azure. */
export type VaultIdentity =
  | { readonly type: "default"; readonly tenantId?: string; readonly clientId?: string }
  /** With `clientId` a user-assigned identity, without it the system-assigned one. */
  | { readonly type: "managed-identity"; readonly clientId?: string }
  | {
      readonly type: "client-secret";
      readonly tenantId: string;
      readonly clientId: string;
      readonly clientSecret: string;
    };

export type VaultConfig = {
  /** Origin, without trailing slash. */
  readonly vaultUrl: string;
  readonly certificateName: string;
  /** Undefined = the latest. */
  readonly certificateVersion?: string;
  readonly hash: HashName;
  readonly identity: VaultIdentity;
  /** Undefined = the public cloud's. */
  readonly authorityHost?: string;
  readonly verifyAuthority: boolean;
  readonly verifyChallengeResource: boolean;
};

type VaultKey = keyof typeof VAULT_SETTINGS;
type Problem = { readonly key: VaultKey; readonly words: string };

/** Where the certificates of the issuers may be, for `certificatesIn`. */
export const CHAIN = "Signing__AzureKeyVault__Chain";

/**
 * Reads the mode's settings, but for the issuers' certificates.
 *
 * @throws ModeSettingError that names everything to correct, the first key as its own
 */
export function readVaultSettings(context: ModeContext): VaultConfig {
  const problems: Problem[] = [];
  const problem = (key: VaultKey, words: string): void => void problems.push({ key, words });
  const textOf = (key: VaultKey): string | undefined => context.values[key] || undefined;
  const reader = { context, problem, textOf };
  const identity = readIdentity(reader);
  const version = textOf("Signing__AzureKeyVault__CertificateVersion");
  if (version !== undefined && !/^[0-9A-Za-z]{32}$/.test(version)) {
    problem(
      "Signing__AzureKeyVault__CertificateVersion",
      `"${version}" is not a version: 32 letters and digits, the last part of the identifier ` +
        "that the vault shows",
    );
  }
  const authorityHost = readAuthorityHost(reader);
  const hash = textOf("Signing__AzureKeyVault__HashAlgorithm");
  const config: VaultConfig = {
    vaultUrl: readVaultUrl(reader),
    certificateName: readName(reader),
    ...(version !== undefined && { certificateVersion: version }),
    hash: hash === "SHA384" || hash === "SHA512" ? hash : "SHA256",
    identity: identity ?? { type: "default" },
    ...(authorityHost !== undefined && { authorityHost }),
    verifyAuthority: textOf("Signing__AzureKeyVault__VerifyAuthority") !== "false",
    verifyChallengeResource: textOf("Signing__AzureKeyVault__VerifyChallengeResource") !== "false",
  };
  const [first, ...others] = problems;
  if (!first) return config;
  const rest = others.map(({ key, words }) => `; ${key}: ${words}`).join("");
  throw new ModeSettingError(first.key, first.words + rest);
}

type Reader = {
  readonly context: ModeContext;
  readonly problem: (key: VaultKey, words: string) => void;
  readonly textOf: (key: VaultKey) => string | undefined;
};

function readVaultUrl({ problem, textOf }: Reader): string {
  const key = "Signing__AzureKeyVault__VaultUri";
  const text = textOf(key);
  if (text === undefined) {
    problem(key, "is required: the address of the vault, such as https://acme.vault.azure.net");
    return "";
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && isOrigin(url)) return url.origin;
  const origin = url ? `https://${url.host}` : "https://acme.vault.azure.net";
  problem(key, `"${text}" is not the address of a vault alone; write ${origin}`);
  return "";
}

function readAuthorityHost({ problem, textOf }: Reader): string | undefined {
  const key = "Signing__AzureKeyVault__AuthorityHost";
  const text = textOf(key);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && isOrigin(url)) return url.origin;
  problem(key, `"${text}" is not an https address without a path`);
  return undefined;
}

function isOrigin(url: URL): boolean {
  return url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
}

function readName({ problem, textOf }: Reader): string {
  const key = "Signing__AzureKeyVault__CertificateName";
  const name = textOf(key);
  if (name === undefined) problem(key, "is required");
  else if (!/^[0-9A-Za-z-]{1,127}$/.test(name)) {
    problem(key, `"${name}" is not a name: up to 127 letters, digits and hyphens`);
  }
  return name ?? "";
}

/** Undefined when something is missing or contradicts. */
function readIdentity(reader: Reader): VaultIdentity | undefined {
  const { textOf, problem, context } = reader;
  const tenantId = textOf("Signing__AzureKeyVault__TenantId");
  const clientId = textOf("Signing__AzureKeyVault__ClientId");
  if (tenantId !== undefined && !/^[0-9A-Za-z.-]+$/.test(tenantId)) {
    problem(
      "Signing__AzureKeyVault__TenantId",
      `"${tenantId}" is not a directory: give its identifier or one of its domain names`,
    );
  }
  const mode = textOf("Signing__AzureKeyVault__AuthenticationMode") ?? "Default";
  if (mode === "ClientSecret") return readApplication(reader, { tenantId, clientId });
  refuseSecret(reader, mode);
  if (mode === "Default") {
    return { type: "default", ...(tenantId && { tenantId }), ...(clientId && { clientId }) };
  }
  if (tenantId !== undefined) {
    context.warn(
      "Signing__AzureKeyVault__TenantId has no effect: a managed identity knows its own tenant.",
    );
  }
  return { type: "managed-identity", ...(clientId && { clientId }) };
}

function readApplication(
  reader: Reader,
  {
    tenantId,
    clientId,
  }: { readonly tenantId: string | undefined; readonly clientId: string | undefined },
): VaultIdentity | undefined {
  const why = "is required when Signing__AzureKeyVault__AuthenticationMode is ClientSecret";
  if (tenantId === undefined) reader.problem("Signing__AzureKeyVault__TenantId", why);
  if (clientId === undefined) reader.problem("Signing__AzureKeyVault__ClientId", why);
  const clientSecret = readSecret(reader, why);
  if (tenantId === undefined || clientId === undefined || clientSecret === undefined) {
    return undefined;
  }
  return { type: "client-secret", tenantId, clientId, clientSecret };
}

function readSecret({ context, problem, textOf }: Reader, why: string): string | undefined {
  const secret = textOf("Signing__AzureKeyVault__ClientSecret");
  const key = "Signing__AzureKeyVault__ClientSecretConfigurationKey";
  const name = textOf(key);
  if (name === undefined) {
    if (secret === undefined) problem("Signing__AzureKeyVault__ClientSecret", `or ${key} ${why}`);
    return secret;
  }
  const text = context.named(name);
  if (!text) problem(key, `there is no setting or environment variable named ${name}`);
  return text;
}

/** A secret that nothing uses is more likely a forgotten mode than a forgotten secret. */
function refuseSecret({ problem, textOf }: Reader, mode: string): void {
  for (const key of [
    "Signing__AzureKeyVault__ClientSecret",
    "Signing__AzureKeyVault__ClientSecretConfigurationKey",
  ] as const) {
    if (textOf(key) === undefined) continue;
    problem(
      key,
      `is not used while Signing__AzureKeyVault__AuthenticationMode is ${mode}; set that to ` +
        "ClientSecret or remove this",
    );
  }
}
