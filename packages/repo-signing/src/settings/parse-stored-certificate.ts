import type { CertificateSource, StoredCertificateConfig } from "../feed/feed-options.ts";
import type { SigningSettings } from "./table.ts";

const FILE = "Signing__StoredCertificate__FilePath";
const KEY_FILE = "Signing__StoredCertificate__KeyPath";
const PASSWORD = "Signing__StoredCertificate__Password";
const NEXT_FILE = "Signing__StoredCertificate__NextFilePath";
const NEXT_KEY_FILE = "Signing__StoredCertificate__NextKeyPath";
const STORE = [
  "Signing__StoredCertificate__Thumbprint",
  "Signing__StoredCertificate__StoreName",
  "Signing__StoredCertificate__StoreLocation",
] as const;

/** `secret` is the password from the setting that `Signing__CertificatePasswordSecret` names. */
export function parseStoredCertificate(
  settings: SigningSettings,
  secret: string | undefined,
): StoredCertificateConfig {
  const next = parseNext(settings);
  return {
    source: parseSource(settings),
    ...(next && { next }),
    password: secret ?? settings.get(PASSWORD) ?? "",
    passwordSetting: settings.get("Signing__CertificatePasswordSecret") ?? PASSWORD,
    hash: settings.get("Signing__StoredCertificate__HashAlgorithm"),
  };
}

/** Either the file or the three settings of a store. */
function parseSource(settings: SigningSettings): CertificateSource {
  const path = settings.get(FILE);
  const keyPath = settings.get(KEY_FILE);
  const inStore = STORE.filter((key) => (settings.textOf(key) ?? "") !== "");
  if (path === undefined && keyPath !== undefined) {
    settings.problem(KEY_FILE, `is the key of a certificate in a file; set ${FILE}, too`);
  }
  if (path !== undefined && inStore.length > 0) {
    settings.problem(FILE, `is set, and so is ${inStore.join(", ")}; leave one of the two out`);
  } else if (path === undefined && inStore.length === 0) {
    const store = STORE.map(lastPart).join(", ");
    settings.problem(FILE, `is required: a PFX or PEM file; or in its place all of ${store}`);
  } else if (path === undefined) {
    for (const key of STORE.filter((candidate) => !inStore.includes(candidate))) {
      settings.problem(key, `is required in addition to ${inStore.map(lastPart).join(" and ")}`);
    }
  }
  if (path !== undefined) return { type: "file", path, ...(keyPath !== undefined && { keyPath }) };
  return {
    type: "store",
    thumbprint: parseThumbprint(settings),
    storeName: parseStoreName(settings),
    storeLocation: settings.get("Signing__StoredCertificate__StoreLocation") ?? "CurrentUser",
  };
}

function parseNext(settings: SigningSettings): CertificateSource | undefined {
  const path = settings.get(NEXT_FILE);
  const keyPath = settings.get(NEXT_KEY_FILE);
  if (path !== undefined) {
    return { type: "file", path, ...(keyPath !== undefined && { keyPath }), isNext: true };
  }
  if (keyPath !== undefined) {
    settings.problem(NEXT_KEY_FILE, `is the key of a certificate in a file; set ${NEXT_FILE}, too`);
  }
  return undefined;
}

/** As copied from Windows: with spaces, and with an invisible mark of direction. */
function parseThumbprint(settings: SigningSettings): string {
  const text = settings.get("Signing__StoredCertificate__Thumbprint") ?? "";
  const thumbprint = text.replaceAll(/[\s:\u200e\u200f\u202a-\u202e\ufeff]/g, "").toUpperCase();
  if (text !== "" && !/^[0-9A-F]{40}$/.test(thumbprint)) {
    settings.problem(
      "Signing__StoredCertificate__Thumbprint",
      `"${text}" is not allowed; allowed: the 40 hex digits of a SHA-1 thumbprint`,
    );
  }
  return thumbprint;
}

/** The name of a folder on Linux, so nothing that leads out of it. */
function parseStoreName(settings: SigningSettings): string {
  const name = settings.get("Signing__StoredCertificate__StoreName") ?? "";
  if (name !== "" && !/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,99}$/.test(name)) {
    settings.problem(
      "Signing__StoredCertificate__StoreName",
      `"${name}" is not allowed; allowed: a name such as My, Root or TrustedPeople`,
    );
  }
  return name;
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf("__") + 2);
}
