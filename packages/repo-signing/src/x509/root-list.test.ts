import { expect, test } from "vitest";
import { DerError } from "../der/reader.ts";
import { sequence } from "../der/writer.ts";
import { createTestCredential } from "../testing/test-credential.ts";
import { parseCertificate } from "./certificate.ts";
import { createRootList } from "./root-list.ts";

const { chain } = await createTestCredential();
const [leaf, issuer, root] = chain.map(parseCertificate);
if (!leaf || !issuer || !root) throw new Error("the credential has three certificates");

test("a root is found by its subject", () => {
  const roots = createRootList([issuer.der, root.der]);
  const fingerprints = roots
    .withSubject(issuer.issuerDer)
    .map((certificate) => certificate.fingerprint);
  expect(fingerprints).toEqual([root.fingerprint]);
  expect(roots.withSubject(leaf.subjectDer)).toEqual([]);
});

test("all roots with one subject are found, in the order of the list", () => {
  const roots = createRootList([root.der, issuer.der, root.der]);
  expect(roots.withSubject(root.subjectDer)).toHaveLength(2);
});

test("a root with contents that are not a certificate's is not trusted", () => {
  const damaged = Buffer.from(root.der);
  // The year of the end of validity: the outline stays, the time is none.
  const end = damaged.lastIndexOf(Buffer.from("170d", "hex"));
  damaged.write("XX", end + 2, "latin1");
  expect(() => parseCertificate(damaged)).toThrow(DerError);
  expect(createRootList([damaged]).withSubject(root.subjectDer)).toEqual([]);
});

test("bytes that are not a certificate are refused when the list is made", () => {
  expect(() => createRootList([sequence()])).toThrow(DerError);
});
