import { readArchive } from "../archive/archive.ts";
import { contentHash } from "../splice/content-hash.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { signedAttributes } from "../cms/signed-attributes.ts";
import { writeSignedData, writeSignerInfo } from "../cms/write-signed-data.ts";
import { OID } from "../der/oid.ts";
import type { Signer } from "../ports.ts";
import { createPrimarySignature } from "../signature/create-signature.ts";
import type { SignatureContent } from "../signature/signature-content.ts";
import { writeContent } from "../signature/signature-content.ts";
import { planInsert } from "../splice/edit-signature.ts";
import { spliced } from "../splice/splice-plan.ts";
import type { Certificate } from "../x509/certificate.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { bytesOf } from "./sign-as-author.ts";

/**
 * An unsigned package with a primary signature by another signer: another repository, or a signer
 * without a declared kind. `about`: another package, whose content the signature covers.
 */
export async function signAs(
  kind: "repository" | "unknown",
  file: Uint8Array,
  signer: Signer,
  options: { readonly now?: Date; readonly about?: Uint8Array } = {},
): Promise<Buffer> {
  const { now = new Date(), about = file } = options;
  const source = packageBytesOf(file);
  const [certificate] = signer.chain.map(parseCertificate);
  if (!certificate) throw new RangeError("The signer has no certificate.");
  const value = await contentHash(packageBytesOf(about), "SHA256");
  const content: SignatureContent = { hash: "SHA256", value };
  const signature =
    kind === "unknown"
      ? await signWithoutKind(content, { signer, certificate, now })
      : await createPrimarySignature(content, {
          signer,
          certificate,
          signedAt: now,
          kind,
          serviceIndexUrl: "https://upstream.test/v3/index.json",
          packageOwners: ["upstream"],
          timestamp: undefined,
        });
  return bytesOf(spliced(source, planInsert(await readArchive(source), signature, now)));
}

async function signWithoutKind(
  content: SignatureContent,
  how: { readonly signer: Signer; readonly certificate: Certificate; readonly now: Date },
): Promise<Uint8Array> {
  const { signer, certificate, now } = how;
  const { hash, chain } = signer;
  const bytes = writeContent(content);
  const attributes = signedAttributes({
    content: bytes,
    certificate,
    hash,
    signedAt: now,
    contentType: OID.data,
    commitment: undefined,
    serviceIndexUrl: undefined,
    packageOwners: [],
  });
  const signerInfo = writeSignerInfo({
    certificate,
    hash,
    scheme: "pkcs1",
    namedBy: "key",
    signedAttributes: attributes,
    signature: await signer.sign(attributes),
    timestampToken: undefined,
  });
  const contentType = OID.data;
  return writeSignedData({ contentType, content: bytes, hash, certificates: chain, signerInfo });
}
