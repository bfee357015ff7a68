import { readArchive } from "../archive/archive.ts";
import { readSignatureEntry, signatureEntryOf } from "../archive/signature-entry.ts";
import type { HashName } from "../hash.ts";
import type { PackageBytes } from "../ports.ts";
import type { SignatureKind } from "../signature/nuget-attributes.ts";
import { countersignatureOf, parseSignature } from "../signature/parse-signature.ts";
import type { SignerFacts } from "../signature/signer-facts.ts";
import { signerFacts } from "../signature/signer-facts.ts";

/** The signature of a package, as `readSignature` finds it. */
export type PackageSignature =
  | { readonly kind: "none" }
  | {
      readonly kind: SignatureKind;
      readonly signer: SignerFacts;
      /** Countersignature of a repository, after another first signer. */
      readonly countersignature: SignerFacts | undefined;
      /** All certificates in the signature, DER. */
      readonly certificates: readonly Uint8Array[];
      /** The package hash that was signed. */
      readonly contentHash: { readonly hash: HashName; readonly value: Uint8Array };
    };

/**
 * Reads a package's signature without verifying it; `verifyPackage` does that. Throws a
 * SignatureError with NuGet's code for a malformed one and an ArchiveError for a bad archive.
 */
export async function readSignature(file: PackageBytes): Promise<PackageSignature> {
  const archive = await readArchive(file);
  const entry = signatureEntryOf(archive);
  if (!entry) return { kind: "none" };
  const signature = parseSignature(await readSignatureEntry(file, entry));
  const countersigner = countersignatureOf(signature);
  return {
    kind: signature.kind,
    signer: signerFacts(signature),
    countersignature: countersigner && signerFacts(countersigner),
    certificates: signature.data.certificates.map((certificate) => certificate.der),
    contentHash: signature.content,
  };
}
