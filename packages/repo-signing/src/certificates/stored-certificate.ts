import type { KeyObject } from "node:crypto";
import { createPrivateKey } from "node:crypto";
import { DerError } from "../der/reader.ts";
import { SigningError } from "../errors.ts";
import type { KeyWithCertificate } from "../keys/key-signer.ts";
import { readPfx } from "../certificate-thread/pfx.ts";
import {
  chainOf,
  readEncryptedKey,
  passwordOrDamage,
  refuseKey,
  wrongPassword,
} from "../pfx/pfx.ts";
import { readCertificates } from "../x509/read-certificates.ts";
import { parseCertificate } from "../x509/certificate.ts";

/** A file and where it came from, for messages. */
export type NamedFile = {
  readonly place: string;
  readonly bytes: Uint8Array;
  /** Full key of the setting that names the file. */
  readonly setting?: string;
};

const BYTES_MAX = 1024 * 1024;

/**
 * Reads a key with its certificate from a PFX file, from one PEM file with both, or from a
 * certificate and a separate key file. Issuers in the files follow the certificate.
 *
 * @throws SigningError `certificate-file` with the file and its fault; `certificate-password` when
 *   the password is missing or wrong
 */
export async function readStoredCertificate(
  files: {
    readonly certificate: NamedFile;
    /** In PEM, encrypted or not. */
    readonly key?: NamedFile;
  },
  /** Password of the PFX file or of the PEM key; empty for none. */
  password: string,
  /** Full key of the setting with the password, for errors. */
  passwordSetting?: string,
): Promise<KeyWithCertificate> {
  const { certificate, key = certificate } = files;
  const naming = namingWith(passwordSetting);
  if (!files.key && !isPem(certificate)) {
    return naming(certificate, () => readPfx(certificate.bytes, password));
  }
  const certificates = await naming(certificate, async () => certificatesIn(certificate));
  return naming(key, async () => {
    const privateKey = await privateKeyIn(key, password);
    if (privateKey.asymmetricKeyType !== "rsa") refuseKey(privateKey);
    const chain = await chainOf(privateKey, certificates.map(parseCertificate));
    if (chain) return { key: privateKey, chain };
    throw unreadable(`its key belongs to no certificate in ${certificate.place}`);
  });
}

function isPem({ bytes }: NamedFile): boolean {
  return Buffer.from(bytes).includes("-----BEGIN ");
}

function certificatesIn(file: NamedFile): readonly Uint8Array[] {
  if (file.bytes.length > BYTES_MAX) throw unreadable("it is larger than 1 MiB");
  if (isPem(file)) return readCertificates(Buffer.from(file.bytes).toString("latin1"));
  try {
    return [parseCertificate(file.bytes).der];
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw unreadable("it is not a certificate; a PFX file contains its key", cause);
  }
}

const KEY_BEGINS = /-----BEGIN ((?:RSA |EC |DSA |ENCRYPTED )?PRIVATE KEY)-----/;

async function privateKeyIn({ bytes }: NamedFile, password: string): Promise<KeyObject> {
  if (bytes.length > BYTES_MAX) throw unreadable("it is larger than 1 MiB");
  const text = Buffer.from(bytes).toString("latin1");
  const [begins, label] = KEY_BEGINS.exec(text) ?? [];
  if (begins === undefined) throw unreadable("it holds no private key in PEM");
  const start = text.indexOf(begins);
  const ends = `-----END ${label}-----`;
  const end = text.indexOf(ends, start);
  if (end < 0) throw unreadable("it is damaged: the private key has no end");
  if (label === "ENCRYPTED PRIVATE KEY") {
    const base64 = text.slice(start + begins.length, end);
    return readEncryptedKey(Buffer.from(base64, "base64"), password);
  }
  const pem = text.slice(start, end + ends.length);
  const isEncrypted = pem.includes("Proc-Type: 4,ENCRYPTED");
  if (isEncrypted && password === "") throw wrongPassword(password);
  try {
    return createPrivateKey({ key: pem, ...(isEncrypted && { passphrase: password }) });
  } catch (cause) {
    throw isEncrypted ? passwordOrDamage(cause) : unreadable("it is damaged", cause);
  }
}

type ReadNaming = <Value>(file: NamedFile, read: () => Promise<Value>) => Promise<Value>;

/** Adds the file to the message of an error, and the setting with the faulty value. */
function namingWith(passwordSetting: string | undefined): ReadNaming {
  return async ({ place, setting: fileSetting }, read) => {
    try {
      return await read();
    } catch (cause) {
      if (!(cause instanceof SigningError)) throw cause;
      const { problem, message } = cause;
      const setting =
        problem === "certificate-password" ? (passwordSetting ?? fileSetting) : fileSetting;
      throw new SigningError(problem, `${place}: ${message}`, { cause: cause.cause, setting });
    }
  };
}

function unreadable(why: string, cause?: unknown): SigningError {
  return new SigningError("certificate-file", `The certificate file cannot be read: ${why}.`, {
    cause,
  });
}
