import { createPrivateKey } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { childrenOf, readDer } from "../der/reader.ts";
import { createKeySigner } from "../keys/key-signer.ts";
import { selfIssue } from "../keys/self-issue.ts";
import { selfIssueP256 } from "../certificates/self-issue-p256.ts";
import {
  CERTIFICATE_CASES,
  HARD_NAME,
  issueVector,
  spkiOf,
  vectorKey,
} from "../testing/certificate-vector-cases.ts";
import { createCertificateRequest } from "../keys/certificate-request.ts";

// Bytes that the certificate writer of 2026-11-23 made, before a library made them. `UPDATE=1`
// records them again: only when a certificate shall look different.

const file = new URL("../../../../vectors/certificates/certificates.json", import.meta.url);
const isUpdate = process.env["UPDATE"] === "1";
const vectors = (isUpdate ? {} : JSON.parse(readFileSync(file, "utf8"))) as Record<string, string>;

const key = vectorKey("repository");
const P256 = createPrivateKey({
  key: Buffer.from(
    [
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWd4gJge0V8RMfLlI2WpMbLa6ePXxRb87",
      "Ihejo7nSeYKhRANCAASIbSiYWIqHlNJykR49/S4aI+UolvqoJm7U89W5fBTJrfPdad9arW7sQ+OE4beh",
      "N0Bqrc3zTHA/kPBwDLuv3G8h",
    ].join(""),
    "base64",
  ),
  format: "der",
  type: "pkcs8",
});
const now = new Date("2026-11-23T12:00:00.500Z");
const randomBytes = (count: number) => new Uint8Array(count).fill(0xa7);

const remote = (hash: "SHA256" | "SHA384" | "SHA512", scheme: "pkcs1" | "pss" = "pkcs1") => ({
  ...createKeySigner({ chain: [], key, hash, scheme }),
  publicKey: spkiOf(key),
});
/** The signed part, without the algorithm and the signature, which differ at each signing. */
const signedPart = (der: Uint8Array) => childrenOf(readDer(der))[0]?.raw ?? new Uint8Array();

const CASES: readonly (readonly [name: string, make: () => Promise<Uint8Array>])[] = [
  ...Object.entries(CERTIFICATE_CASES).map(
    ([name, options]) => [name, () => issueVector(options)] as const,
  ),
  ...(["SHA256", "SHA384", "SHA512"] as const).flatMap(
    (hash) =>
      [
        [
          `self-issued, ${hash}`,
          () =>
            selfIssue(remote(hash), { subject: HARD_NAME, validityInDays: 30, now, randomBytes }),
        ],
        [`request, ${hash}`, () => createCertificateRequest(remote(hash), HARD_NAME)],
        [
          `request with RSASSA-PSS, ${hash}, signed part`,
          async () => signedPart(await createCertificateRequest(remote(hash, "pss"), HARD_NAME)),
        ],
      ] as const,
  ),
  [
    "self-issued P-256, signed part",
    async () => signedPart(await selfIssueP256(P256, { subject: HARD_NAME, now, randomBytes })),
  ],
];

test.each(CASES)("the bytes are those of the vector: %s", async (name, make) => {
  const made = Buffer.from(await make()).toString("base64");
  if (isUpdate) {
    vectors[name] = made;
    writeFileSync(file, `${JSON.stringify(vectors, undefined, 2)}\n`);
  }
  expect(made).toBe(vectors[name]);
});

test("every vector has its case", () => {
  expect(Object.keys(vectors).toSorted()).toEqual(CASES.map(([name]) => name).toSorted());
});
