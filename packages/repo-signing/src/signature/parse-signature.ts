import type { SignedData, SignerInfo } from "../cms/signed-data.ts";
import {
  attributesOf,
  certificateOf,
  parseSignedData,
  parseSignerInfo,
} from "../cms/signed-data.ts";
import { bindingFault } from "../cms/signing-certificate.ts";
import { OID } from "../der/oid.ts";
import { DerError, readDer } from "../der/reader.ts";
import { SignatureError } from "../errors.ts";
import type { Certificate } from "../x509/certificate.ts";
import type { SignatureKind } from "./nuget-attributes.ts";
import { kindOf, packageOwnersOf, serviceIndexUrlOf, signingTimeOf } from "./nuget-attributes.ts";
import type { SignatureContent } from "./signature-content.ts";
import { parseContent } from "./signature-content.ts";

/** One signer of a package: the primary one, or a repository that countersigned. */
export type ParsedSigner = {
  readonly kind: SignatureKind;
  readonly signer: SignerInfo;
  /** Undefined only on a countersignature whose certificate did not come along. */
  readonly certificate: Certificate | undefined;
  readonly signingTime: Date | undefined;
  /** On repository signatures. */
  readonly serviceIndexUrl: string | undefined;
  readonly packageOwners: readonly string[];
};

export type ParsedSignature = ParsedSigner & {
  readonly certificate: Certificate;
  readonly data: SignedData;
  readonly content: SignatureContent;
};

/**
 * Reads the contents of `.signature.p7s` and holds them against the format's rules, in the
 * client's order. Throws a SignatureError; says nothing yet about keys, hashes or trust.
 */
export function parseSignature(bytes: Uint8Array): ParsedSignature {
  return asSignatureError(() => {
    const data = parseSignedData(bytes);
    const [signer, ...others] = data.signers;
    if (!signer || others.length > 0) {
      throw new SignatureError("NU3009", "The package must have exactly one primary signature.");
    }
    const kind = kindOf(signer);
    const certificate = certificateOf(signer, data.certificates);
    if (!certificate) {
      throw new SignatureError("NU3010", "The signature comes without its certificate.");
    }
    const requires = kind === "unknown" ? "nothing" : "v2-with-serial";
    const fault = bindingFault(signer, certificate, { requires });
    if (fault !== undefined)
      throw new SignatureError("NU3011", `The signature is invalid: ${fault}.`);
    const signingTime = signingTimeOf(signer);
    if (!signingTime && kind !== "unknown") {
      throw new SignatureError("NU3011", "The signature has no signing time.");
    }
    const content = parseContent(data.content);
    return {
      kind,
      signer,
      certificate,
      signingTime,
      data,
      content,
      ...repositoryFacts(kind, signer),
    };
  });
}

/**
 * The repository countersignature of a package with another first signer, or undefined.
 * @throws SignatureError NU3031 malformed, NU3032 several, NU3033 on a repository signature
 */
export function countersignatureOf(signature: ParsedSignature): ParsedSigner | undefined {
  return asSignatureError(() => {
    const [signer, ...others] = repositoryCountersigners(signature.signer);
    if (!signer) return undefined;
    if (others.length > 0) {
      throw new SignatureError("NU3032", "The package has several repository countersignatures.");
    }
    if (signature.kind === "repository") {
      throw new SignatureError(
        "NU3033",
        "A package signed by a repository must not be countersigned by another one.",
      );
    }
    const signingTime = signingTimeOf(signer);
    if (!signingTime) {
      throw new SignatureError("NU3031", "The repository countersignature has no signing time.");
    }
    const certificate = certificateOf(signer, signature.data.certificates);
    const kind = "repository";
    return { kind, signer, certificate, signingTime, ...repositoryFacts(kind, signer) };
  });
}

/** Whether a repository countersigned the signature of another kind of signer. */
export function hasRepositoryCountersignature(signature: ParsedSignature): boolean {
  return (
    signature.kind !== "repository" &&
    asSignatureError(() => repositoryCountersigners(signature.signer).length > 0)
  );
}

/** Whether these bytes are a SignerInfo with which a repository countersigned. */
export function isRepositoryCountersignature(signerInfo: Uint8Array): boolean {
  return kindOf(parseSignerInfo(readDer(signerInfo))) === "repository";
}

/** Runs a reader; bytes that are not DER become the client's NU3003. */
export function asSignatureError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new SignatureError("NU3003", `The signature cannot be read: ${error.message}.`, {
      cause: error,
    });
  }
}

function repositoryCountersigners(signer: SignerInfo): readonly SignerInfo[] {
  return attributesOf(signer.unsignedAttributes, OID.countersignature)
    .flatMap((attribute) => attribute.values)
    .map(parseSignerInfo)
    .filter((signerInfo) => kindOf(signerInfo) === "repository");
}

function repositoryFacts(
  kind: SignatureKind,
  signer: SignerInfo,
): Pick<ParsedSigner, "serviceIndexUrl" | "packageOwners"> {
  return kind === "repository"
    ? { serviceIndexUrl: serviceIndexUrlOf(signer), packageOwners: packageOwnersOf(signer) }
    : { serviceIndexUrl: undefined, packageOwners: [] };
}
