import type { Attribute, SignerInfo } from "../cms/signed-data.ts";
import { attributesOf } from "../cms/signed-data.ts";
import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import { expectTag, oidOf, sequenceOf, TAG, timeOf } from "../der/reader.ts";
import { SignatureError } from "../errors.ts";

/** Kind of a primary signature, by its commitment type. */
export type SignatureKind = "author" | "repository" | "unknown";

/** From the commitment types. Throws a SignatureError NU3000 when both kinds are claimed. */
export function kindOf(signer: SignerInfo): SignatureKind {
  const kinds = new Set<SignatureKind>();
  for (const attribute of attributesOf(signer.signedAttributes, OID.commitmentType)) {
    for (const value of attribute.values) {
      const type = oidOf(sequenceOf(value, "commitment type")[0], "commitment type");
      if (type === OID.proofOfOrigin) kinds.add("author");
      if (type === OID.proofOfReceipt) kinds.add("repository");
    }
  }
  if (kinds.size > 1) {
    throw new SignatureError(
      "NU3000",
      "The signature claims to be an author's and a repository's.",
    );
  }
  return [...kinds][0] ?? "unknown";
}

export function signingTimeOf(signer: SignerInfo): Date | undefined {
  const [value] = attributesOf(signer.signedAttributes, OID.signingTime)[0]?.values ?? [];
  return value && timeOf(value, "signing time");
}

/** The absolute https address in a repository signature. Throws a SignatureError NU3000. */
export function serviceIndexUrlOf(signer: SignerInfo): string {
  const value = onlyValue(signer, OID.serviceIndexUrl, "nuget-v3-service-index-url");
  if (!value) throw new SignatureError("NU3000", "The signature names no service index.");
  const text = Buffer.from(expectTag(value, TAG.ia5String, "service index").body).toString(
    "latin1",
  );
  if (URL.parse(text)?.protocol !== "https:") {
    throw new SignatureError("NU3000", "The signature's service index is not an https address.");
  }
  return text;
}

/** Package owners, or an empty list when the attribute is absent. */
export function packageOwnersOf(signer: SignerInfo): readonly string[] {
  const value = onlyValue(signer, OID.packageOwners, "nuget-package-owners");
  if (!value) return [];
  const owners = sequenceOf(value, "package owners").map((owner) =>
    Buffer.from(expectTag(owner, TAG.utf8String, "package owner").body).toString("utf8"),
  );
  if (owners.length === 0 || owners.some((owner) => owner.trim() === "")) {
    throw new SignatureError("NU3000", "The signature lists package owners that are empty.");
  }
  return owners;
}

function onlyValue(signer: SignerInfo, oid: string, name: string): Der | undefined {
  const attributes: readonly Attribute[] = attributesOf(signer.signedAttributes, oid);
  // The client looks for one attribute before it looks at its values, and has another code for it.
  if (attributes.length > 1)
    throw new SignatureError("NU3003", `The attribute ${name} is present twice.`);
  const [value, ...others] = attributes.flatMap((attribute) => attribute.values);
  if (others.length > 0 || (attributes.length === 1 && !value)) {
    throw new SignatureError("NU3000", `The attribute ${name} must have exactly one value.`);
  }
  return value;
}
