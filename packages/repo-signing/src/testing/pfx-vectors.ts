import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childrenOf, octetsOf, readDer, TAG } from "../der/reader.ts";
import { encode, octetString, sequence } from "../der/writer.ts";
import { writePfx } from "../certificate-thread/pfx.ts";
import type { Der } from "../der/reader.ts";
import type { TestCredential } from "./test-credential.ts";

/** A PKCS#12 file of the vectors. All hold the same key and certificates. */
export type PfxVector = {
  readonly password: string;
  /** Base64. */
  readonly pfx: string;
};

const PASSWORD = "s3cret ☃";
const LEGACY = (scheme: string) => ["-legacy", "-certpbe", scheme, "-keypbe", scheme];
const OF_OPENSSL: Readonly<Record<string, readonly string[]>> = {
  "AES-256, SHA-256": [],
  "legacy: RC2-40 and 3DES": ["-legacy"],
  "3DES for all": ["-legacy", "-descert"],
  "RC2-128": LEGACY("PBE-SHA1-RC2-128"),
  "two-key 3DES": LEGACY("PBE-SHA1-2DES"),
  "PBES2 with 3DES": ["-certpbe", "DES-EDE3-CBC", "-keypbe", "DES-EDE3-CBC"],
  "AES-128 and AES-192": ["-certpbe", "AES-128-CBC", "-keypbe", "AES-192-CBC"],
  "SHA-1 MAC": ["-macalg", "sha1"],
  "SHA-224 MAC": ["-macalg", "sha224"],
  "SHA-384 MAC": ["-macalg", "sha384"],
  "SHA-512 MAC": ["-macalg", "sha512"],
  "no MAC": ["-nomac"],
  "certificates in the clear": ["-certpbe", "NONE"],
  "key in the clear": ["-keypbe", "NONE"],
  "one round": ["-iter", "1", "-nomaciter"],
};
const PASSWORDS: Readonly<Record<string, string>> = {
  "empty password": "",
  "password outside the Basic Multilingual Plane": "p😀q",
};

/** Makes the files with OpenSSL and `writePfx`; BER forms are rewritten from files of OpenSSL. */
export async function makePfxVectors(
  credential: TestCredential,
): Promise<Readonly<Record<string, PfxVector>>> {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-pfx-vectors-"));
  try {
    const made: Record<string, PfxVector> = {};
    const add = (name: string, pfx: Uint8Array, password = PASSWORD) =>
      (made[name] = { password, pfx: Buffer.from(pfx).toString("base64") });
    const openssl = openSslIn(folder, credential);
    for (const [name, options] of Object.entries(OF_OPENSSL)) add(name, openssl(options));
    for (const [name, password] of Object.entries(PASSWORDS)) {
      add(name, openssl([], password), password);
      add(`${name}, legacy`, openssl(["-legacy"], password), password);
    }
    add("written by writePfx", await writePfx(credential, PASSWORD));
    const file = openssl(["-iter", "10"]);
    const isMac = ([first]: readonly number[]) => first === 2;
    add("BER: indefinite lengths", berForm(file, { isIndefinite: true }));
    add("BER: contents in pieces", berForm(file, { inPieces: (path) => !isMac(path) }));
    const both = { isIndefinite: true, inPieces: (path: readonly number[]) => !isMac(path) };
    add("BER: indefinite lengths and pieces", berForm(file, both));
    add("BER: MAC in pieces", berForm(file, { inPieces: isMac }));
    add("BER: all parts in pieces", withBerContents(openssl(["-iter", "10", "-nomac"])));
    return made;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function openSslIn(folder: string, credential: TestCredential) {
  const pathOf = (name: string) => join(folder, name);
  writeFileSync(pathOf("key.pem"), credential.keyPem);
  writeFileSync(pathOf("cert.pem"), credential.certificatePem);
  writeFileSync(pathOf("issuers.pem"), credential.issuersPem);
  const whole = [
    "-inkey",
    pathOf("key.pem"),
    "-in",
    pathOf("cert.pem"),
    "-certfile",
    pathOf("issuers.pem"),
  ];
  return (options: readonly string[], password = PASSWORD): Buffer => {
    const out = ["pkcs12", "-export", "-out", pathOf("made.pfx"), ...whole];
    execFileSync("openssl", [...out, "-passout", `pass:${password}`, ...options], {
      stdio: "pipe",
    });
    return readFileSync(pathOf("made.pfx"));
  };
}

/** Rewrites the AuthenticatedSafe, too; only a file without a MAC allows that. */
function withBerContents(pfx: Uint8Array): Uint8Array {
  const [version, info] = childrenOf(readDer(pfx));
  const [type, content] = info ? childrenOf(info) : [];
  if (!version || !type || !content) throw new TypeError("OpenSSL wrote no PFX file");
  const safe = octetsOf(childrenOf(content)[0], "contents");
  const form = { isIndefinite: true, inPieces: () => true };
  const contents = encode(0xa0, octetString(berForm(safe, form)));
  return berForm(sequence(version.raw, sequence(type.raw, contents)), form);
}

const CONSTRUCTED = 0x20;
const PIECE_OCTETS = 100;

/** Deviations of a BER writer from DER. */
export type BerForm = {
  /** Writes constructed values with an indefinite length. */
  readonly isIndefinite?: boolean;
  /** Writes octet strings of more than 8 octets in pieces, where the predicate allows it. */
  readonly inPieces?: (path: readonly number[]) => boolean;
};

/** The same document in the form of a BER writer. Contents of octet strings stay unchanged. */
export function berForm(document: Uint8Array, form: BerForm): Uint8Array {
  return written(readDer(document), form, []);
}

function written(der: Der, form: BerForm, path: readonly number[]): Uint8Array {
  const isOctets = der.tag === TAG.octetString || (der.tag === 0x80 && path.length > 1);
  if (isOctets && der.body.length > 8 && form.inPieces?.(path)) {
    return constructed(der.tag | CONSTRUCTED, pieces(der.body), form);
  }
  if ((der.tag & CONSTRUCTED) === 0) return der.raw;
  const children = childrenOf(der).map((child, index) => written(child, form, [...path, index]));
  return constructed(der.tag, children, form);
}

function constructed(tag: number, children: readonly Uint8Array[], form: BerForm): Uint8Array {
  if (!form.isIndefinite) return encode(tag, ...children);
  return Buffer.concat([Uint8Array.of(tag, 0x80), ...children, Uint8Array.of(0, 0)]);
}

function pieces(octets: Uint8Array): Uint8Array[] {
  const size = Math.max(4, Math.min(PIECE_OCTETS, Math.floor(octets.length / 2)));
  return Array.from({ length: Math.ceil(octets.length / size) }, (_unused, index) =>
    encode(TAG.octetString, octets.subarray(index * size, (index + 1) * size)),
  );
}
