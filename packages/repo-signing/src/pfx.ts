import type { KeyObject } from "node:crypto";
import { createPrivateKey, X509Certificate } from "node:crypto";
import type * as Pki from "pkijs";
import { SigningError } from "./errors.ts";

/** A private key with its certificate, as PKCS#12 files carry them. */
export type KeyWithCertificate = {
  readonly key: KeyObject;
  /** DER, the certificate of the key first. */
  readonly chain: readonly Uint8Array[];
};

const ITERATIONS = 100_000;
/** Each one is a turn of the event loop here, so fewer; the password is a machine's secret. */
const MAC_ITERATIONS = 10_000;
const BYTES_MAX = 1024 * 1024;
const PROTECTION = {
  contentEncryptionAlgorithm: { name: "AES-CBC", length: 256 },
  hmacHashAlgorithm: "SHA-256",
  iterationCount: ITERATIONS,
} as const;

/**
 * A PKCS#12 file protected with PBES2 (PBKDF2, AES-256-CBC) and an HMAC-SHA-256 over all of it, as
 * OpenSSL 3, Windows and .NET read it.
 */
export async function writePfx(content: KeyWithCertificate, password: string): Promise<Uint8Array> {
  const pki = await import("pkijs");
  const { OctetString } = await import("asn1js");
  const secret = passwordBytes(password);
  const keyInfo = content.key.export({ format: "der", type: "pkcs8" });
  const keyBag = new pki.PKCS8ShroudedKeyBag({
    parsedValue: pki.PrivateKeyInfo.fromBER(arrayBufferOf(keyInfo)),
  });
  const localKeyId = () =>
    new pki.Attribute({
      type: "1.2.840.113549.1.9.21",
      values: [new OctetString({ valueHex: Uint8Array.of(1).buffer })],
    });
  const certificateBags = content.chain.map(
    (der, index) =>
      new pki.SafeBag({
        bagId: "1.2.840.113549.1.12.10.1.3",
        bagValue: new pki.CertBag({ parsedValue: pki.Certificate.fromBER(arrayBufferOf(der)) }),
        ...(index === 0 && { bagAttributes: [localKeyId()] }),
      }),
  );
  const keyBags = [
    new pki.SafeBag({
      bagId: "1.2.840.113549.1.12.10.1.2",
      bagValue: keyBag,
      bagAttributes: [localKeyId()],
    }),
  ];
  const safe = new pki.AuthenticatedSafe({
    parsedValue: {
      safeContents: [
        { privacyMode: 0, value: new pki.SafeContents({ safeBags: keyBags }) },
        { privacyMode: 1, value: new pki.SafeContents({ safeBags: certificateBags }) },
      ],
    },
  });
  const pfx = new pki.PFX({ parsedValue: { integrityMode: 0, authenticatedSafe: safe } });
  await keyBag.makeInternalValues({ password: secret, ...PROTECTION });
  await safe.makeInternalValues({ safeContents: [{}, { password: secret, ...PROTECTION }] });
  await pfx.makeInternalValues({
    password: secret,
    iterations: MAC_ITERATIONS,
    pbkdf2HashAlgorithm: { name: "SHA-256" },
    hmacHashAlgorithm: "SHA-256",
  });
  return new Uint8Array(pfx.toSchema().toBER());
}

/**
 * Reads a PKCS#12 file of the modern kind. Throws a SigningError `certificate-file` when the
 * password does not open it or it holds no key with its certificate.
 */
export async function readPfx(pfx: Uint8Array, password: string): Promise<KeyWithCertificate> {
  if (pfx.length > BYTES_MAX) throw unreadable("it is larger than 1 MiB");
  const pki = await import("pkijs");
  const secret = passwordBytes(password);
  try {
    const file = pki.PFX.fromBER(arrayBufferOf(pfx));
    await file.parseInternalValues({ password: secret, checkIntegrity: true });
    const safe = file.parsedValue?.authenticatedSafe;
    await safe?.parseInternalValues({
      safeContents: safe.safeContents.map(() => ({ password: secret })),
    });
    const found: Found = { keys: [], certificates: [] };
    for (const { value } of safe?.parsedValue?.safeContents ?? []) {
      if (!(value instanceof pki.SafeContents)) continue;
      for (const bag of value.safeBags) collect(pki, bag.bagValue, { password, found });
    }
    return matching(found);
  } catch (cause) {
    if (cause instanceof SigningError) throw cause;
    throw unreadable("the password does not open it, or it is damaged", cause);
  }
}

type Found = { readonly keys: KeyObject[]; readonly certificates: Uint8Array[] };

function collect(
  pki: typeof Pki,
  bag: unknown,
  into: { readonly password: string; readonly found: Found },
): void {
  const { password, found } = into;
  if (bag instanceof pki.PKCS8ShroudedKeyBag) {
    found.keys.push(privateKeyOf(bag.toSchema().toBER(), password));
  } else if (bag instanceof pki.PrivateKeyInfo) {
    found.keys.push(privateKeyOf(bag.toSchema().toBER(), undefined));
  } else if (bag instanceof pki.CertBag && bag.parsedValue instanceof pki.Certificate) {
    found.certificates.push(new Uint8Array(bag.parsedValue.toSchema().toBER()));
  }
}

function privateKeyOf(pkcs8: ArrayBuffer, passphrase: string | undefined): KeyObject {
  const key = Buffer.from(pkcs8);
  return createPrivateKey({
    key,
    format: "der",
    type: "pkcs8",
    ...(passphrase !== undefined && { passphrase }),
  });
}

/** The first key with the certificate of its public half, which comes first in the chain. */
function matching(found: Found): KeyWithCertificate {
  const [key] = found.keys;
  if (!key) throw unreadable("it holds no private key");
  const own = found.certificates.find((der) => new X509Certificate(der).checkPrivateKey(key));
  if (!own) throw unreadable("it holds no certificate of its key");
  return { key, chain: [own, ...found.certificates.filter((der) => der !== own)] };
}

function passwordBytes(password: string): ArrayBuffer {
  return arrayBufferOf(Buffer.from(password, "utf8"));
}

function arrayBufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function unreadable(why: string, cause?: unknown): SigningError {
  return new SigningError("certificate-file", `The certificate file cannot be read: ${why}.`, {
    cause,
  });
}
