import type { Setting, SettingsTable } from "@sealhouse/settings";
import { SigningError } from "../errors.ts";
import { readCertificateFile, readCertificates } from "../x509/read-certificates.ts";
import type { ModeContext } from "./signing-mode.ts";
import { ModeSettingError } from "./signing-mode.ts";

// Key services keep keys without certificates, so those come in settings.

/** Certificates, and the setting that a complaint about them has to name. */
export type KeyCertificate = {
  /** DER, the signing certificate first. */
  readonly chain: readonly Uint8Array[];
  /** Full key. */
  readonly setting: string;
};

/** `<section>__CertificatePath` and `<section>__CertificatePem`, for `certificateOfKey`. */
export function certificateSettings<const Section extends string>(
  section: Section,
): CertificateSettings<Section> {
  return {
    [`${section}__CertificatePath`]: {
      kind: { type: "path" },
      required: { unless: `${section}__CertificatePem` },
      about:
        "File with the certificate of the key, PEM or DER; a PEM file may hold its issuers, too.",
    },
    [`${section}__CertificatePem`]: {
      kind: { type: "text" },
      about: "The same as PEM text, in place of a file; `\\n` may replace line ends.",
    },
  } satisfies SettingsTable as CertificateSettings<Section>;
}

/** Settings of the certificate of a key, by full key. */
export type CertificateSettings<Section extends string> = {
  readonly [Name in "Path" | "Pem" as `${Section}__Certificate${Name}`]: OptionalText;
};

type OptionalText = Setting & {
  readonly kind: { readonly type: "text" | "path" };
  readonly fallback?: never;
};

/**
 * The certificate of a mode's key.
 *
 * @throws ModeSettingError when the certificate is missing or cannot be read
 */
export async function certificateOfKey(
  section: string,
  context: Pick<ModeContext, "values">,
): Promise<KeyCertificate> {
  const keyCertificate = await certificatesIn(`${section}__Certificate`, context);
  if (keyCertificate) return keyCertificate;
  throw new ModeSettingError(
    `${section}__CertificatePath`,
    "A key service has no certificates. Set this one to the file with the certificate of the " +
      `key, or ${section}__CertificatePem to its text.`,
  );
}

/**
 * Certificates from `<prefix>Path` or `<prefix>Pem`; undefined when neither is set.
 *
 * @throws ModeSettingError when both are set, or they cannot be read
 */
export async function certificatesIn(
  prefix: string,
  { values }: Pick<ModeContext, "values">,
): Promise<KeyCertificate | undefined> {
  const [pathKey, pemKey] = [`${prefix}Path`, `${prefix}Pem`];
  const path = values[pathKey]?.trim() || undefined;
  const pem = values[pemKey]?.trim() || undefined;
  if (path !== undefined && pem !== undefined) {
    throw new ModeSettingError(pemKey, `${pathKey} is set, too; remove one of them.`);
  }
  const setting = pem === undefined ? pathKey : pemKey;
  try {
    if (path !== undefined) return { chain: await readCertificateFile(path), setting };
    // Environment files and orchestrators often carry line ends as two characters.
    if (pem !== undefined) return { chain: readCertificates(pem.replaceAll("\\n", "\n")), setting };
    return undefined;
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause;
    throw new ModeSettingError(setting, cause.message, { cause });
  }
}
