import { optionOf, typedSettings } from "@sealhouse/settings";
import type { ExtensionOptions, Settings } from "@sealhouse/settings";
import type {
  SelfSignedConfig,
  SigningConfig,
  SigningRules,
  TimestampConfig,
} from "../feed/feed-options.ts";
import type { SigningExtension } from "../signer/signing-mode.ts";
import { SIGNING_SETTINGS } from "./table.ts";
import type { SigningSettings } from "./table.ts";
import { parseStoredCertificate } from "./parse-stored-certificate.ts";

const KEY_SIZES = { KeySize2048: 2048, KeySize3072: 3072, KeySize4096: 4096 } as const;

/** `serverName`: the common name of a self-signed certificate. */
export function parseSigning(
  all: Settings,
  options: ExtensionOptions & {
    readonly extensions: readonly Partial<Pick<SigningExtension, "signingModes">>[];
    readonly serverName: string;
  },
): SigningConfig {
  const settings = typedSettings(all, SIGNING_SETTINGS);
  const { extensions, serverName, ...optional } = options;
  const rules: SigningRules = {
    policy: settings.get("Signing__PublishSignaturePolicy"),
    advertiseAllRepositorySigned: settings.get("Signing__AdvertiseAllRepositorySigned"),
    resignAfterRotation: settings.get("Signing__ResignAfterRotation"),
    timestamps: parseTimestamps(settings),
  };
  const modes = extensions.map((extension) => extension.signingModes ?? {});
  const choice = optionOf(settings, "Signing__Mode", modes, optional);
  if (choice) {
    return { mode: "Extension", ...rules, ...choice, named: (name) => settings.named(name) };
  }
  const password = parsePassword(settings);
  const selfSigned = parseSelfSigned(settings, { password, serverName });
  switch (settings.get("Signing__Mode")) {
    case "SelfSigned":
      return { mode: "SelfSigned", ...rules, ...selfSigned };
    case "StoredCertificate":
      return { mode: "StoredCertificate", ...rules, ...parseStoredCertificate(settings, password) };
    default:
      return { mode: "off" };
  }
}

function parseSelfSigned(
  settings: SigningSettings,
  { password, serverName }: { readonly password: string | undefined; readonly serverName: string },
): SelfSignedConfig {
  const complete = settings.get("Signing__SelfSigned__SubjectName");
  const organization = settings.get("Signing__SelfSigned__Organization");
  const organizationalUnit = settings.get("Signing__SelfSigned__OrganizationalUnit");
  const country = settings.get("Signing__SelfSigned__Country");
  return {
    certificatePath: parseCertificatePath(settings),
    ...(password !== undefined && { password }),
    subject: {
      commonName: serverName,
      ...(complete !== undefined && { complete }),
      ...(organization !== undefined && { organization }),
      ...(organizationalUnit !== undefined && { organizationalUnit }),
      ...(country !== undefined && { country }),
    },
    keySize: KEY_SIZES[settings.get("Signing__SelfSigned__KeySize")],
    validityInDays: settings.get("Signing__SelfSigned__ValidityInDays"),
    hash: settings.get("Signing__SelfSigned__HashAlgorithm"),
  };
}

function parsePassword(settings: SigningSettings): string | undefined {
  const name = settings.get("Signing__CertificatePasswordSecret");
  if (name === undefined) return undefined;
  const password = settings.named(name);
  if (password === undefined || password === "") {
    settings.problem(
      "Signing__CertificatePasswordSecret",
      `there is no setting or environment variable named ${name}`,
    );
  }
  return password;
}

/** A key of the storage: relative, with `/`, without `..`. */
function parseCertificatePath(settings: SigningSettings): string {
  const path = settings.get("Signing__SelfSigned__CertificatePath").replaceAll("\\", "/");
  const parts = path.split("/");
  if (!parts.every((part) => /^[A-Za-z0-9_@+~:][A-Za-z0-9._@+~:-]*$/.test(part))) {
    settings.problem(
      "Signing__SelfSigned__CertificatePath",
      `"${path}" is not a path in the storage; allowed: names of letters, digits and . _ - ` +
        "joined by /",
    );
  }
  return path;
}

/** The default server is not asked where an operator has named others. */
export function parseTimestamps(settings: SigningSettings): TimestampConfig {
  const several = settings.get("Signing__TimestampServerUrls");
  const isNamed = settings.textOf("Signing__TimestampServerUrl") !== undefined;
  const url = settings.get("Signing__TimestampServerUrl");
  const first = (isNamed || several.length === 0) && url !== "" ? [url] : [];
  const failurePolicy = settings.get("Signing__TimestampFailurePolicy");
  return {
    servers: [...new Set([...first, ...several])],
    ...(failurePolicy !== undefined && { failurePolicy }),
  };
}
