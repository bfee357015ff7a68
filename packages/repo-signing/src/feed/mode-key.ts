import type { RemoteKey } from "../keys/remote-key.ts";
import type {
  ExtensionConfig,
  FeedSigningOptions,
  SigningRules,
  StoredCertificateConfig,
} from "./feed-options.ts";
import { modeOf } from "./signers.ts";
import { createWatchedCertificate } from "./watched-certificate.ts";

// The key of a signing mode, for a certificate that does not exist yet.

/** Opens the key of a stored certificate. */
export async function openStoredKey(
  parts: Pick<FeedSigningOptions, "files" | "now">,
  signing: { readonly mode: "StoredCertificate" } & SigningRules & StoredCertificateConfig,
): Promise<RemoteKey> {
  const library = await import("../index.ts");
  return library.keyOfSigner(await createWatchedCertificate(signing, { ...parts, library }).open());
}

/** Opens the key of an extension; undefined: its mode makes certificate requests elsewhere. */
export async function openExtensionKey(
  { extensions, log, now }: Pick<FeedSigningOptions, "extensions" | "log" | "now">,
  { name, values, named }: ExtensionConfig,
): Promise<RemoteKey | undefined> {
  const warn = (message: string) => log.warn({ mode: name }, message);
  return modeOf(extensions, name).openKey?.({ values, named, warn, now });
}
