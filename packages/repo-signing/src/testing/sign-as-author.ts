import { readArchive } from "../archive/archive.ts";
import { contentHash } from "../splice/content-hash.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import type { PackageBytes, Signer } from "../ports.ts";
import { createPrimarySignature } from "../signature/create-signature.ts";
import { planInsert } from "../splice/edit-signature.ts";
import { spliced } from "../splice/splice-plan.ts";
import type { Timestamper } from "../timestamp/client.ts";
import { parseCertificate } from "../x509/certificate.ts";

/** An unsigned package with an author's signature, as its publisher would upload it. */
export async function signAsAuthor(
  file: Uint8Array,
  signer: Signer,
  options: { readonly now?: Date; readonly timestamp?: Timestamper } = {},
): Promise<Buffer> {
  const { now = new Date(), timestamp } = options;
  const source = packageBytesOf(file);
  const [der = new Uint8Array()] = signer.chain;
  const value = await contentHash(source, "SHA256");
  const signature = await createPrimarySignature(
    { hash: "SHA256", value },
    {
      signer,
      certificate: parseCertificate(der),
      signedAt: now,
      kind: "author",
      serviceIndexUrl: undefined,
      packageOwners: [],
      timestamp: timestamp && ((signed, within) => timestamp(signed, { within })),
    },
  );
  return bytesOf(spliced(source, planInsert(await readArchive(source), signature, now)));
}

/** All bytes of a file, in memory. */
export async function bytesOf(file: PackageBytes): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
