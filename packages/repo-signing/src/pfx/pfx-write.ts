import type { KeyWithCertificate } from "../keys/key-signer.ts";

const ITERATIONS = 100_000;
/** Each one is a turn of the thread's event loop, so fewer; the password is a machine's secret. */
const MAC_ITERATIONS = 10_000;
const PROTECTION = {
  contentEncryptionAlgorithm: { name: "AES-CBC", length: 256 },
  hmacHashAlgorithm: "SHA-256",
  iterationCount: ITERATIONS,
} as const;

/** `writePfx` in this thread: loading `pkijs` and writing hold it up. */
export async function encodePfx(
  content: KeyWithCertificate,
  password: string,
): Promise<Uint8Array> {
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

function passwordBytes(password: string): ArrayBuffer {
  return arrayBufferOf(Buffer.from(password, "utf8"));
}

function arrayBufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
