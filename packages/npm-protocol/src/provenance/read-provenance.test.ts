import * as fc from "fast-check";
import { expect, test } from "vitest";
import { provenanceBundle } from "../testing/provenance-bundle.ts";
import { readProvenance } from "./read-provenance.ts";

const sha512 = "ab".repeat(64);
const about = { name: "@acme/demo", version: "1.0.0", sha512 };
const read = (text: string) => readProvenance(text, about);

test("reads a statement about this version and these bytes, and keeps its text", () => {
  const text = `${provenanceBundle(about)}\n`;
  expect(read(text)).toEqual({ predicateType: "https://slsa.dev/provenance/v1", bundle: text });
});

test("reads bundles of both versions that npm makes, and both kinds of SLSA provenance", () => {
  const mediaType = "application/vnd.dev.sigstore.bundle+json;version=0.2";
  const predicateType = "https://slsa.dev/provenance/v0.2";
  const chain = { x509CertificateChain: { certificates: [{ rawBytes: "AA==" }] } };
  const verificationMaterial = { ...chain, tlogEntries: [{}] };
  const text = provenanceBundle(about, { predicateType }, { mediaType, verificationMaterial });
  expect(read(text)).toMatchObject({ predicateType });
});

const subject = { name: "pkg:npm/%40acme/demo@1.0.0", digest: { sha512 } };
test.each([
  ["another version", [{ ...subject, name: "pkg:npm/%40acme/demo@1.0.1" }], /not about pkg:npm/],
  ["another name", [{ ...subject, name: "pkg:npm/demo@1.0.0" }], /not about pkg:npm/],
  ["a name not escaped", [{ ...subject, name: "pkg:npm/@acme/demo@1.0.0" }], /not about pkg/],
  ["other bytes", [{ ...subject, digest: { sha512: "cd".repeat(64) } }], /another sha512/],
  ["no bytes", [{ name: subject.name }], /another sha512/],
  ["nothing", [], /exactly one subject/],
  ["two packages", [subject, subject], /exactly one subject/],
])("refuses a statement about %s", (_, subjects, problem) => {
  expect(() => read(provenanceBundle(about, { subject: subjects }))).toThrow(problem);
});

test.each([
  ["no JSON", "{", /not a JSON object/],
  ["an array", "[]", /not a JSON object/],
  ["an old bundle", bundle({ mediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1" })],
  ["no certificate", bundle({ verificationMaterial: { tlogEntries: [{}] } }), /no certificate/],
  ["no log", bundle({ verificationMaterial: { certificate: {} } }), /transparency log/],
  ["no envelope", bundle({ dsseEnvelope: undefined }), /in-toto/],
  ["a key", bundle({}, { signatures: [{ sig: "AA==", keyid: "SHA256:x" }] }), /with a key/],
  ["two signatures", bundle({}, { signatures: [{ sig: "AA==" }, { sig: "AA==" }] }), /exactly one/],
  ["a payload of another type", bundle({}, { payloadType: "text/plain" }), /in-toto/],
  ["a payload that is no JSON", bundle({}, { payload: "AAAA" }), /not a JSON object/],
  ["another predicate", provenanceBundle(about, { predicateType: "https://x.test/1" }), /SLSA/],
  ["more than 1 MiB", bundle({ padding: "x".repeat(1024 * 1024) }), /1 MiB/],
])("refuses a bundle with %s", (_, text, problem = /Sigstore bundle/) => {
  const refused = expect.objectContaining({ code: "provenance-refused" }) as Error;
  expect(() => read(text)).toThrow(refused);
  expect(() => read(text)).toThrow(problem);
});

test("answers whatever is sent with a refusal, never with an accident", () => {
  const refused = expect.objectContaining({ code: "provenance-refused" }) as Error;
  const anything = fc.jsonValue();
  const parts = fc.constantFrom("mediaType", "verificationMaterial", "dsseEnvelope");
  fc.assert(
    fc.property(fc.jsonValue(), anything, parts, (whole, part, key) => {
      expect(() => read(JSON.stringify(whole))).toThrow(refused);
      expect(() => read(bundle({ [key]: part }))).toThrow(refused);
      expect(() => read(bundle({}, { signatures: part }))).toThrow(refused);
      expect(() => read(provenanceBundle(about, { subject: part }))).toThrow(refused);
      expect(() => read(provenanceBundle(about, { predicateType: part }))).toThrow(refused);
    }),
  );
});

function bundle(fields: object, envelope: object = {}): string {
  return provenanceBundle(about, {}, fields, envelope);
}
