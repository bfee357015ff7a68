import type { ModeContext, ModeSetting } from "@sealhouse/repo-signing";
import {
  ModeSettingError,
  readCertificateFile,
  readCertificates,
  SigningError,
} from "@sealhouse/repo-signing";

export type KeyCertificate = {
  /** DER, the signing certificate first. */
  readonly chain: readonly Uint8Array[];
  /** Full key of the setting it came from. */
  readonly setting: string;
};

/** A key service keeps keys without certificates, so the certificate comes in a setting. */
export function certificateSettings(section: string): Readonly<Record<string, ModeSetting>> {
  return {
    [`${section}__CertificatePath`]: {
      kind: { type: "path" },
      otherwise: `\`${section}__CertificatePem\` has to be set`,
      about: "PEM or DER file with the certificate of the key, and in PEM its issuers.",
    },
    [`${section}__CertificatePem`]: {
      kind: { type: "text" },
      otherwise: `\`${section}__CertificatePath\` has to be set`,
      about: "The same as PEM text; `\\n` may stand for line ends.",
    },
  };
}

/** @throws ModeSettingError when there is none, or none that can be read */
export async function certificateOf(
  section: string,
  { values }: ModeContext,
): Promise<KeyCertificate> {
  const pathKey = `${section}__CertificatePath`;
  const pemKey = `${section}__CertificatePem`;
  const path = values[pathKey];
  const pem = values[pemKey];
  if (path === undefined && pem === undefined) {
    throw new ModeSettingError(
      pathKey,
      "A key service has no certificates. Set this one to the file with the certificate of the " +
        `key, or ${pemKey} to its text.`,
    );
  }
  if (path !== undefined && pem !== undefined) {
    throw new ModeSettingError(pathKey, `Set either this one or ${pemKey}, not both.`);
  }
  const setting = pem === undefined ? pathKey : pemKey;
  try {
    const chain =
      path === undefined
        ? readCertificates((pem ?? "").replaceAll("\\n", "\n"))
        : await readCertificateFile(path);
    return { chain, setting };
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause;
    throw new ModeSettingError(setting, cause.message, { cause });
  }
}
