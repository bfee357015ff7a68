import type { SelfSignedConfig, SigningConfig, SigningRules } from "@sealhouse/repo-signing/feed";
import type { Extension } from "../extension.ts";
import { optionOf } from "@sealhouse/settings";
import type { ExtensionOptions as ConfigAsked } from "@sealhouse/settings";
import type { Settings } from "./settings.ts";
import { parseStoredCertificate } from "./stored-certificate.ts";
import { parseTimestamps } from "./timestamps.ts";

const KEY_SIZES = { KeySize2048: 2048, KeySize3072: 3072, KeySize4096: 4096 } as const;

export function parseSigning(
  settings: Settings,
  extensions: readonly Extension[],
  asked: ConfigAsked = {},
): SigningConfig {
  const rules: SigningRules = {
    policy: settings.get("Signing__PublishSignaturePolicy"),
    advertiseAllRepositorySigned: settings.get("Signing__AdvertiseAllRepositorySigned"),
    resignAfterRotation: settings.get("Signing__ResignAfterRotation"),
    timestamps: parseTimestamps(settings),
  };
  const modes = extensions.map((one) => one.signingModes ?? {});
  const choice = optionOf(settings, "Signing__Mode", modes, asked);
  if (choice) {
    return { mode: "Extension", ...rules, ...choice, named: (name) => settings.named(name) };
  }
  const password = parsePassword(settings);
  const selfSigned = parseSelfSigned(settings, password);
  switch (settings.get("Signing__Mode")) {
    case "SelfSigned":
      return { mode: "SelfSigned", ...rules, ...selfSigned };
    case "StoredCertificate":
      return { mode: "StoredCertificate", ...rules, ...parseStoredCertificate(settings, password) };
    default:
      return { mode: "off" };
  }
}

function parseSelfSigned(settings: Settings, password: string | undefined): SelfSignedConfig {
  const complete = settings.get("Signing__SelfSigned__SubjectName");
  const organization = settings.get("Signing__SelfSigned__Organization");
  const organizationalUnit = settings.get("Signing__SelfSigned__OrganizationalUnit");
  const country = settings.get("Signing__SelfSigned__Country");
  return {
    certificatePath: parseCertificatePath(settings),
    ...(password !== undefined && { password }),
    subject: {
      commonName: settings.get("Host__ServerName"),
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

function parsePassword(settings: Settings): string | undefined {
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
function parseCertificatePath(settings: Settings): string {
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
